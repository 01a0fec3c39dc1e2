"""TEI as somebody else's parser reads it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from lxml import etree

from barthes.narrative import Narrative
from barthes.reading import read
from barthes.report.escaping import replace_forbidden
from barthes.report.exports import to_tei
from barthes.salience.profile import Profile
from tests.report.profiles import EVENTS, PROFILE, STORY, profiles

TEI = "{http://www.tei-c.org/ns/1.0}"
XML = "{http://www.w3.org/XML/1998/namespace}"
BOTH = pytest.mark.parametrize("standoff", [False, True], ids=["inline", "standoff"])


def parse(document):
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    return etree.fromstring(document.encode("utf-8"), parser)


def body_text(root):
    return "".join(root.find(f"{TEI}text/{TEI}body").itertext())


def inline_figures(root, name):
    figures = {}
    for node in root.iter(f"{TEI}{name}"):
        if node.get("ana"):
            values = dict(pointer.split(":", 1) for pointer in node.get("ana").split())
            figures[node.get(f"{XML}id")] = read_figures(values)
    return figures


def standoff_figures(root):
    structures = {node.get(f"{XML}id"): node for node in root.iter(f"{TEI}fs")}
    figures = {}
    for span in root.iter(f"{TEI}span"):
        structure = structures[span.get("ana").removeprefix("#")]
        values = {f.get("name"): f[0].get("value") for f in structure}
        figures[span.get("target").removeprefix("#")] = read_figures(values)
    return figures


def read_figures(values):
    return float(values["salience"]), int(values["rank"]) if "rank" in values else None


@BOTH
@given(profile=profiles())
def test_the_schema_of_tei_accepts_any_story(tei_schema, profile, standoff):
    tei_schema.assertValid(parse(to_tei(profile, standoff=standoff)))


def test_white_space_that_xml_takes_for_text_stands_in_paragraphs():
    text = "\x85 A wolf came.\n\n\xa0\n\nIt rained.\x0c\n\u2003\n"
    story = Narrative(text, ((2, 14), (19, 29)))
    root = parse(to_tei(Profile(story, (0.5, 0.25), method="sd", model="counting")))
    found = ["".join(p.itertext()) for p in root.iterfind(f"{TEI}text/{TEI}body/{TEI}p")]
    assert found == ["\x85 A wolf came.", "\xa0\n\nIt rained. \n\u2003"]


@BOTH
@given(profile=profiles())
def test_any_story_is_tei_and_its_text_can_be_had_back(profile, standoff):
    root = parse(to_tei(profile, standoff=standoff))
    held = replace_forbidden(profile.narrative.text)
    assert body_text(root) == held
    sentences = list(root.iter(f"{TEI}s"))
    assert ["".join(s.itertext()) for s in sentences] == [
        held[slice(*span)] for span in profile.narrative.spans
    ]
    expected = {
        f"s{n}": (score, rank)
        for n, (score, rank) in enumerate(zip(profile.scores, profile.ranks, strict=True), start=1)
    }
    assert (standoff_figures(root) if standoff else inline_figures(root, "s")) == expected


@BOTH
@pytest.mark.parametrize("top", [None, 2])
@pytest.mark.parametrize("profile", [PROFILE, EVENTS, replace(EVENTS, events=(), scores=())])
def test_sentences_events_and_none_at_all(profile, top, standoff):
    root = parse(to_tei(profile, standoff=standoff, top=top))
    assert body_text(root) == replace_forbidden(STORY.text)
    chosen = profile.units if top is None else profile.top(top)
    letter, name = ("s", "s") if profile.unit == "sentence" else ("e", "seg")
    expected = {f"{letter}{unit.index + 1}": (unit.salience, unit.rank) for unit in chosen}
    assert (standoff_figures(root) if standoff else inline_figures(root, name)) == expected


@BOTH
def test_barthes_reads_its_own_tei(tmp_path, standoff):
    """The reader was written by other hands, from the Guidelines."""
    story = Narrative.from_sentences(['"Stop!" cried the girl.', "It rained.", "The wolf & co. came."])
    path = tmp_path / "story.xml"
    document = to_tei(replace(PROFILE, narrative=story, scores=(0.0, 1.0, 2.0)), standoff=standoff)
    path.write_text(document, encoding="utf-8", newline="")
    assert [str(sentence) for sentence in read(path)] == [str(sentence) for sentence in story]
