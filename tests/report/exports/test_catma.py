"""CATMA's collections, read by the rules of CATMA's own import."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given
from lxml import etree

from barthes.narrative import Narrative
from barthes.report.exports import to_catma
from barthes.report.exports.catma import write_source
from tests.report.profiles import PROFILE, STORY, profiles

TEI = "{http://www.tei-c.org/ns/1.0}"
ID = "{http://www.w3.org/XML/1998/namespace}id"
VERSION = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d{4}")


def load(document):
    """Tags by identifier, and annotations as (tag, properties, ranges): what CATMA makes of the file."""
    root = etree.fromstring(document.encode("utf-8"))
    header = root.find(f"{TEI}teiHeader")
    for path in ("title", "author", "publisher", "sourceDesc"):
        assert header.find(f".//{TEI}{path}") is not None, "CATMA requires it"
    version = header.find(f".//{TEI}fs[@{ID}='CATMA_TECH_DESC']/{TEI}f[@name='version']/{TEI}string")
    assert version.text == "5"
    identifiers = [node.get(ID) for node in root.iter() if node.get(ID)]
    assert len(identifiers) == len(set(identifiers))
    tags = read_tags(header)
    ranges = read_ranges(root)
    annotations = []
    for node in root.findall(f"{TEI}text/{TEI}fs"):
        values = {f.get("name"): f.findtext(f"{TEI}string") for f in node}
        annotations.append((tags[node.get("type")], values, ranges[node.get(ID)]))
    return tags, annotations


def read_tags(header):
    tags = {}
    [tagset] = header.findall(f"{TEI}encodingDesc/{TEI}fsdDecl")
    name, stamp = tagset.get("n").rsplit(" ", 1)
    assert (name, bool(VERSION.fullmatch(stamp))) == ("Barthes salience", True)
    for tag in tagset:
        assert tag.get("type") == tag.get(ID)
        assert VERSION.fullmatch(tag.get("n"))
        assert tag.get("baseTypes") is None or tag.get("baseTypes") in tags, "a parent comes first"
        declared = {f.get("name"): [s.text for s in f.iter(f"{TEI}string")] for f in tag.iter(f"{TEI}fDecl")}
        assert -(2**31) <= int(declared["catma_displaycolor"][0]) < 0, "an opaque colour, as a Java int"
        assert {"catma_markupauthor", "salience", "rank"} <= set(declared)
        tags[tag.get(ID)] = tag.findtext(f"{TEI}fsDescr")
    return tags


def read_ranges(root):
    """Where each annotation points; the pointers must cover the text from end to end."""
    ranges, position = {}, 0
    for pointer in root.iter(f"{TEI}ptr"):
        match = re.fullmatch(r"catma://CATMA_[0-9A-F-]{36}#char=(\d+),(\d+)", pointer.get("target"))
        start, end = map(int, match.groups())
        assert start == position
        position = end
        parent = pointer.getparent()
        if parent.tag == f"{TEI}seg":
            assert parent.get("ana").startswith("#CATMA")
            for reference in parent.get("ana").split():
                ranges.setdefault(reference.removeprefix("#"), []).append((start, end))
    ranges["length"] = position
    return ranges


@given(profiles())
def test_any_story_can_be_imported(profile):
    _, annotations = load(to_catma(profile))
    assert [ranges for _, _, ranges in annotations] == [[span] for span in profile.narrative.spans]
    assert [float(values["salience"]) for _, values, _ in annotations] == list(profile.scores)
    ranks = [int(values["rank"]) if "rank" in values else None for _, values, _ in annotations]
    assert ranks == list(profile.ranks)


@given(profiles())
def test_the_schema_of_tei_accepts_any_collection(tei_schema, profile):
    tei_schema.assertValid(etree.fromstring(to_catma(profile).encode("utf-8")))


def test_offsets_hold_in_the_text_to_upload():
    source = write_source(STORY)
    assert len(source.encode("utf-16-le")) // 2 == len(STORY.text), "one unit a character, as offsets count"
    _, annotations = load(to_catma(PROFILE))
    shown = [source[slice(*ranges[0])] for _, _, ranges in annotations]
    assert shown[3] == "The � came—and\\went, didn't it?"


def test_fifths_have_a_tag_each():
    story = Narrative.from_sentences([f"Sentence {n}." for n in range(11)])
    tags, annotations = load(to_catma(replace(PROFILE, narrative=story, scores=tuple(range(11)))))
    lowest_first = [tag for tag in reversed(tags.values()) if tag != "salience"]
    expected = [*(tag for tag in lowest_first for _ in range(2)), "salience"]
    assert [tag for tag, _, _ in annotations] == expected, "the last one is not ranked"
    assert lowest_first[0] == "salience 5 of 5 (lowest)"
