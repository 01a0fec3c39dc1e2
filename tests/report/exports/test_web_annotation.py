"""Web Annotations: what the standard requires, and positions that find the quoted text."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

from hypothesis import given

from barthes.report.exports import to_web_annotations
from tests.report.profiles import PROFILE, STORY, profiles

PURPOSES = {"tagging", "describing"}


def check_annotation(annotation, text):
    """Check the MUSTs of the Web Annotation Data Model that concern us; return the marked span."""
    assert annotation["@context"] == "http://www.w3.org/ns/anno.jsonld"
    assert annotation["type"] == "Annotation"
    assert urlsplit(annotation["id"]).scheme == "urn"
    assert annotation["motivation"] == "assessing"
    for body in annotation["body"]:
        assert body["type"] == "TextualBody"
        assert body["purpose"] in PURPOSES
        assert isinstance(body["value"], str)
    assert " " not in annotation["target"]["source"]  # an IRI
    quote, position = annotation["target"]["selector"]
    assert (quote["type"], position["type"]) == ("TextQuoteSelector", "TextPositionSelector")
    start, end = position["start"], position["end"]
    assert 0 <= start < end <= len(text)
    assert text[start:end] == quote["exact"]
    assert text[:start].endswith(quote["prefix"])
    assert text[end:].startswith(quote["suffix"])
    return start, end


@given(profiles())
def test_every_unit_is_quoted_where_it_stands(profile):
    annotations = json.loads(to_web_annotations(profile))
    text = profile.narrative.text
    assert [check_annotation(each, text) for each in annotations] == sorted(profile.spans)
    assert len({each["id"] for each in annotations}) == len(annotations)


def test_figures_are_in_words_and_fifths_are_tags():
    annotations = json.loads(to_web_annotations(PROFILE, top=2))
    spans = [check_annotation(each, STORY.text) for each in annotations]
    assert spans == sorted((unit.start, unit.end) for unit in PROFILE.top(2))
    values = {body["purpose"]: body["value"] for body in annotations[0]["body"]}
    assert values["tagging"].startswith("salience ")
    assert f"rank {min(PROFILE.top(2), key=lambda unit: unit.start).rank} of" in values["describing"]


def test_an_unranked_unit_has_its_reason_instead_of_a_tag():
    unranked = [unit for unit in PROFILE.units if unit.rank is None]
    assert unranked
    last = json.loads(to_web_annotations(PROFILE))[-1]
    assert [body["purpose"] for body in last["body"]] == ["describing"]
    assert unranked[-1].reason in last["body"][0]["value"]


def test_the_same_story_gives_the_same_bytes():
    assert to_web_annotations(PROFILE) == to_web_annotations(PROFILE)
