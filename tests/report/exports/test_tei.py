"""TEI as somebody else's parser reads it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from lxml import etree

from barthes.narrative import Narrative
from barthes.reading import read
from barthes.report.exports import to_tei
from barthes.report.exports.markup import hold_in_xml
from tests.report.exports import tei_rules
from tests.report.exports.stories import EVENTS, PROFILE, STORY, profiles
from tests.report.exports.tei_rules import TEI, XML

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
            salience, rank = (pointer.split(":", 1)[1] for pointer in node.get("ana").split())
            figures[node.get(f"{XML}id")] = (float(salience), int(rank))
    return figures


def standoff_figures(root):
    structures = {node.get(f"{XML}id"): node for node in root.iter(f"{TEI}fs")}
    figures = {}
    for span in root.iter(f"{TEI}span"):
        structure = structures[span.get("ana").removeprefix("#")]
        values = {f.get("name"): f[0].get("value") for f in structure}
        figures[span.get("target").removeprefix("#")] = (float(values["salience"]), int(values["rank"]))
    return figures


@BOTH
@given(profile=profiles())
def test_any_story_is_tei_and_its_text_can_be_had_back(profile, standoff):
    root = parse(to_tei(profile, standoff=standoff))
    tei_rules.check(root)
    held = hold_in_xml(profile.narrative.text)
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
def test_the_header_says_what_was_computed_and_what_was_lost(standoff):
    root = parse(to_tei(PROFILE, standoff=standoff))
    header = "".join(root.find(f"{TEI}teiHeader").itertext())
    assert "nats per token" in header
    assert "method sd, model counting, unit sentence, computed in float32" in header
    assert "Read as <Windows-1252>." in header
    assert "1 characters that XML cannot hold" in header, "the form feed"
    assert root.findtext(f".//{TEI}title") == STORY.title


def test_carriage_returns_survive_and_paragraphs_are_those_of_the_story():
    root = parse(to_tei(PROFILE))
    paragraphs = ["".join(p.itertext()) for p in root.iter(f"{TEI}p") if p.getparent().tag == f"{TEI}body"]
    assert paragraphs[0].endswith("THE WOLF")
    assert "ran\r\noff" in paragraphs[1]
    assert paragraphs[-1] == "[Plate 3]", "text of no sentence is kept, in a paragraph of its own"
    assert len(paragraphs) == 4


@BOTH
def test_events_are_segments_of_their_sentences(standoff):
    root = parse(to_tei(EVENTS, standoff=standoff))
    tei_rules.check(root)
    assert body_text(root) == hold_in_xml(STORY.text)
    segments = {node.get(f"{XML}id"): "".join(node.itertext()) for node in root.iter(f"{TEI}seg")}
    assert segments == {"e1": "cried", "e2": "ran", "e3": "came", "e4": "came", "e5": "did"}
    figures = standoff_figures(root) if standoff else inline_figures(root, "seg")
    assert figures == {"e1": (0.5, 2), "e2": (-0.125, 5), "e3": (0.75, 1), "e4": (0.25, 3), "e5": (0.0, 4)}


@BOTH
def test_only_the_top_has_figures_and_the_text_is_whole(standoff):
    root = parse(to_tei(PROFILE, standoff=standoff, top=2))
    tei_rules.check(root)
    assert set(standoff_figures(root) if standoff else inline_figures(root, "s")) == {"s2", "s4"}
    assert len(list(root.iter(f"{TEI}s"))) == 5


def test_a_story_is_never_markup():
    story = Narrative.from_sentences(['<script>alert("1")</script> & &amp; ]]> "\'.', "<!-- x -->"])
    root = parse(to_tei(replace(PROFILE, narrative=story, scores=(0.0, 1.0), notes=("</note><p/>",))))
    tei_rules.check(root)
    assert body_text(root) == story.text


def test_a_story_without_events_is_tei_too():
    empty = replace(EVENTS, events=(), scores=())
    for standoff in (False, True):
        tei_rules.check(parse(to_tei(empty, standoff=standoff)))


@BOTH
def test_barthes_reads_its_own_tei(tmp_path, standoff):
    """The reader was written by other hands, from the Guidelines."""
    story = Narrative.from_sentences(['"Stop!" cried the girl.', "It rained.", "The wolf & co. came."])
    path = tmp_path / "story.xml"
    document = to_tei(replace(PROFILE, narrative=story, scores=(0.0, 1.0, 2.0)), standoff=standoff)
    path.write_text(document, encoding="utf-8", newline="")
    assert [str(sentence) for sentence in read(path)] == [str(sentence) for sentence in story]
