"""Damaged stories in every format are read or refused with a clear error."""

from __future__ import annotations

import random
import string

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from barthes.errors import BarthesError
from barthes.reading import Document, narrate, parse_document
from tests.fuzz.bounds import attempt, bounded, peak_megabytes
from tests.fuzz.mutation import amplify, mutate
from tests.fuzz.seeds import STORIES as SEEDS
from tests.reading.conversion import make_docx, read_members

MEGABYTES = 600
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
KINDS = st.sampled_from(sorted(SEEDS))
CHANCE = st.randoms(use_true_random=False)


def read(data, name):
    """Read a file within the bounds; an error names the file and the reason."""
    document, refusal = None, ""
    with bounded():
        try:
            document = parse_document(data, where="tales/x", name=name)
        except BarthesError as error:
            refusal = str(error)
    if document is None:
        assert refusal.startswith("tales/x")
        assert len(refusal) < 2_500
        return None
    assert isinstance(document, Document)
    assert document.chapters
    for chapter in document.chapters:
        edges = [0, *(edge for span in chapter.spans for edge in span), len(chapter.text)]
        assert edges == sorted(edges)
        chapter.text.encode()  # no half of a surrogate pair
    return document


@pytest.mark.parametrize("kind", SEEDS)
@given(chance=CHANCE)
@settings(max_examples=35, suppress_health_check=SLOW)
def test_a_damaged_file_is_read_or_refused(kind, chance):
    read(mutate(SEEDS[kind].data, chance), SEEDS[kind].name)


@pytest.mark.parametrize("kind", SEEDS)
def test_an_inflated_file_is_read_or_refused(kind):
    before = peak_megabytes()
    for seed in range(6):
        read(amplify(SEEDS[kind].data, random.Random(seed)), SEEDS[kind].name)
    assert peak_megabytes() - before < MEGABYTES


@given(KINDS, KINDS, CHANCE, st.integers(1, 5))
@settings(max_examples=50, suppress_health_check=SLOW)
def test_files_under_any_name_become_a_narrative_or_are_refused(kind, other, chance, chapter):
    document = read(mutate(SEEDS[kind].data, chance), SEEDS[other].name)
    if document is not None:
        narrative = attempt(narrate, document, chapter=chapter, name="x", where="x")
        assert all(sentence.text.strip() for sentence in narrative or ())


STARTS = [
    b"",
    b"%PDF-1.7\n",
    b"PK\x03\x04",
    b"<html>",
    b"<?xml version='1.0'?><TEI>",
    b"<story>",
    b"{\\rtf1 ",
]
NAMES = ["", *(f"a.{ending}" for ending in "md html xml sty docx pdf fodt fountain fdx rtf scriv".split())]


@given(st.sampled_from(STARTS), st.binary(max_size=400), st.sampled_from(NAMES))
@settings(max_examples=200)
def test_any_bytes_are_a_document_or_refused(start, data, name):
    read(start + data, name)


@given(st.text(string.digits + "²௧-+ ", max_size=6) | st.just("9" * 5_000))
@example("²")
@example("9" * 5_000)
@settings(max_examples=25)
def test_any_heading_level_is_accepted(level):
    """`"²".isdigit()` is true, and `int("²")` is an error."""
    mark = f'<w:outlineLvl w:val="{level}"/>'.encode()
    members = read_members("docx")
    body = members["word/document.xml"].replace(b'<w:pStyle w:val="berschrift1"/>', mark)
    styles = members["word/styles.xml"].replace(b"</w:style>", mark + b"</w:style>", 1)
    made = make_docx(**{"word/document.xml": body, "word/styles.xml": styles})
    assert read(made.data, made.name) is not None
