"""Web Annotations: what the standard requires, and positions that find the quoted text."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

from hypothesis import given

from barthes.report.exports import to_web_annotations
from tests.report.profiles import profiles

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
