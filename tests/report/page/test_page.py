from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace

import pytest
from lxml import etree, html

import barthes
from barthes.report.comparison import compare
from barthes.report.page import SCRIPTS, render_cell, render_comparison, render_page
from tests.report.profiles import NASTY, by_hand, ferry, wolf


class Outline:
    """The elements of a page with their attributes, its text, and its scripts with their types."""

    def __init__(self, page):
        root = html.document_fromstring(page)
        self.elements = [(element.tag, dict(element.attrib)) for element in root.iter(etree.Element)]
        self.scripts = [(script.get("type"), script.text or "") for script in root.iter("script")]
        self.words = root.xpath("//text()[not(ancestor::script or ancestor::style)]")


def policy_of(outline):
    return next(
        a["content"] for tag, a in outline.elements if a.get("http-equiv") == "Content-Security-Policy"
    )


@pytest.mark.parametrize(
    "page", [render_page(wolf()), render_comparison(compare(wolf(), ferry()))], ids=["report", "comparison"]
)
def test_a_page_is_whole_without_a_network(page):
    outline = Outline(page)
    assert not {"link", "img", "iframe", "object", "base", "form"} & {tag for tag, _ in outline.elements}
    assert not [a for _, a in outline.elements if "src" in a]
    assert all(a["href"].startswith("#") for _, a in outline.elements if "href" in a)
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", page)
    assert "@import" not in page
    assert "default-src 'none'" in policy_of(outline)


def test_only_the_page_s_own_scripts_may_run():
    outline = Outline(render_page(wolf()))
    policy = policy_of(outline)
    assert "script-src 'sha256-" in policy
    assert "'unsafe-inline'" not in policy.split("script-src")[1]
    [data] = [script for kind, script in outline.scripts if kind == "application/json"]
    assert json.loads(data)["scores"] == list(wolf().scores)
    assert "<" not in data
    running = [script for kind, script in outline.scripts if kind is None]
    assert len(running) == len(SCRIPTS)
    for script in running:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_nothing_of_a_story_becomes_markup():
    calm, nasty = (
        Outline(
            render_page(by_hand([text, "It rained."], [0.1, 0.2], [[0.3], []], title=text, notes=(text,)))
        )
        for text in ("A calm sentence.", NASTY)
    )
    assert [tag for tag, _ in calm.elements] == [tag for tag, _ in nasty.elements]
    assert NASTY in "".join(nasty.words)
    drafts = [barthes.score(["It rained.", text], method="length") for text in ("The end.", NASTY)]
    page = render_comparison(compare(*drafts))
    assert "<script" not in page
    assert NASTY in "".join(Outline(page).words)


def test_profiles_write_their_page(tmp_path):
    page = wolf().to_html(tmp_path / "wolf.html", title="The wolf & the goats")
    assert (tmp_path / "wolf.html").read_text(encoding="utf-8") == page
    assert '<h1 dir="auto">The wolf &amp; the goats</h1>' in page
    with pytest.raises(barthes.BarthesError, match="cannot be written"):
        wolf().to_html(tmp_path / "nowhere" / "wolf.html")


def test_a_notebook_shows_the_page_in_a_frame_of_its_own():
    cell = wolf()._repr_html_()
    assert cell == render_cell(wolf())
    [(tag, attributes)] = [
        element for element in Outline(cell).elements if element[0] not in ("html", "body")
    ]
    assert (tag, attributes["sandbox"]) == ("iframe", "allow-scripts")
    assert attributes["srcdoc"] == render_page(wolf())


@pytest.mark.parametrize(
    ("headings", "shown"),
    [
        (("", ""), "Draft1 and Draft2"),
        (("The Wolf", "The Golden Arm"), "The Wolf and The Golden Arm"),
        (("The Wolf", "The Wolf"), "The Wolf: Draft1 and Draft2"),
    ],
)
def test_a_comparison_is_headed_by_the_titles_of_the_stories(headings, shown):
    drafts = [by_hand(["A wolf came."], [0.1], title=name) for name in ("draft1.txt", "draft2.txt")]
    named = (
        replace(draft, narrative=replace(draft.narrative, heading=heading))
        for draft, heading in zip(drafts, headings, strict=True)
    )
    assert f'<h1 dir="auto">{shown}</h1>' in render_comparison(compare(*named))
