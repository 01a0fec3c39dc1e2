"""RecogitoJS loads our Web Annotations and marks the sentences that we quoted."""

from __future__ import annotations

import html
import json

from barthes.report.exports import to_web_annotations
from tests.browser.conftest import read_script
from tests.report.profiles import wolf

LOAD = """annotations => {
    const source = annotations[0].target.source;
    const element = document.getElementById("story");
    const adapter = RecogitoJS.W3CTextFormat(source, element);
    const annotator = RecogitoJS.createTextAnnotator(element, {adapter});
    annotator.setAnnotations(annotations);
    const plain = annotator.state.store.all();
    return {
        quoted: plain.map(each => each.target.selector.map(part => part.range.toString()).join("")),
        tags: plain.map(each => each.bodies.find(body => body.purpose === "tagging")?.value ?? null),
        saved: annotator.getAnnotations().map(each => each.id),
    };
}"""


def test_recogito_marks_every_sentence(open_page):
    profile = wolf()
    annotations = json.loads(to_web_annotations(profile))
    story = f"<div id=story style='white-space: pre-wrap'>{html.escape(profile.narrative.text)}</div>"
    page = open_page(f"<!doctype html><meta charset=utf-8><title>Wolf</title>{story}")
    page.add_script_tag(content="var process = {env: {NODE_ENV: 'production'}}")  # as bundlers define it
    page.add_script_tag(content=read_script("@recogito/text-annotator/dist/text-annotator.umd.js"))
    found = page.evaluate(LOAD, annotations)
    assert found["quoted"] == [sentence.text for sentence in profile.narrative]
    assert found["saved"] == [each["id"] for each in annotations]
    ranked = [unit.rank is not None for unit in profile.units]
    assert [tag is not None for tag in found["tags"]] == ranked
