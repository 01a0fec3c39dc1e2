"""Every reader of stories, given files with something wrong: a document comes of it, or words for people."""

from __future__ import annotations

import io
import random
import string
import zipfile

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from barthes.errors import BarthesError
from barthes.reading.formats import parse_document
from barthes.reading.story import narrate
from barthes.reading.story_document import Document
from tests.fuzz.bounds import bounded, peak_megabytes
from tests.fuzz.mutation import amplify, mutate
from tests.fuzz.seeds import STORIES as SEEDS
from tests.reading.office_files import make_docx
from tests.reading.tale import Made

SECONDS = 5
MEGABYTES = 600
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


def read(data, name):
    """Read a file within the bounds; what is refused is refused with a place and a reason."""
    with bounded(SECONDS):
        document = refusal = None
        try:
            document = parse_document(data, where="tales/x", name=name)
        except BarthesError as error:
            refusal = error
    if refusal is not None:
        assert str(refusal).startswith("tales/x")
        assert len(refusal.problem) < 2_000
        return None
    assert isinstance(document, Document)
    assert document.chapters
    for chapter in document.chapters:
        edges = [0, *(edge for span in chapter.spans for edge in span), len(chapter.text)]
        assert edges == sorted(edges)
        chapter.text.encode()  # no half of a surrogate pair
    return document


@pytest.mark.parametrize("kind", SEEDS)
@given(chance=st.randoms(use_true_random=False))
@settings(max_examples=35, suppress_health_check=SLOW)
def test_a_damaged_file_is_read_or_refused(kind, chance):
    made = SEEDS[kind]
    read(mutate(made.data, chance), made.name)


@pytest.mark.parametrize("kind", SEEDS)
def test_a_swollen_file_is_read_or_refused(kind):
    made = SEEDS[kind]
    before = peak_megabytes()
    for seed in range(6):
        read(amplify(made.data, random.Random(seed)), made.name)
    assert peak_megabytes() - before < MEGABYTES


@given(st.sampled_from(sorted(SEEDS)), st.sampled_from(sorted(SEEDS)), st.randoms(use_true_random=False))
@settings(max_examples=35, suppress_health_check=SLOW)
def test_files_under_the_names_of_others(kind, other, chance):
    read(mutate(SEEDS[kind].data, chance), SEEDS[other].name)


@given(st.sampled_from(sorted(SEEDS)), st.randoms(use_true_random=False), st.integers(1, 5))
@settings(max_examples=20, suppress_health_check=SLOW)
def test_what_is_read_becomes_a_narrative_or_is_refused(kind, chance, chapter):
    made = SEEDS[kind]
    document = read(mutate(made.data, chance), made.name)
    if document is not None:
        with bounded(SECONDS):
            try:
                narrative = narrate(document, chapter=chapter, name=made.name, where="x")
            except BarthesError:
                return
        assert all(sentence.text.strip() for sentence in narrative)


LEVELS = st.text(string.digits + "²௧-+ ", max_size=6) | st.just("9" * 5_000)


@given(LEVELS)
@example("²")
@example("9" * 5_000)
@settings(max_examples=25)
def test_levels_of_headings_may_be_anything(level):
    """`"²".isdigit()` is true, and `int("²")` is an error."""
    docx = Made("a.docx", repack_level(level), (), {})
    assert read(docx.data, docx.name) is not None


def repack_level(level):
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(make_docx().data)) as source, zipfile.ZipFile(buffer, "w") as target:
        for name in source.namelist():
            content = source.read(name).decode()
            content = content.replace('<w:pStyle w:val="berschrift1"/>', f'<w:outlineLvl w:val="{level}"/>')
            content = content.replace("</w:style>", f'<w:outlineLvl w:val="{level}"/></w:style>', 1)
            target.writestr(name, content)
    return buffer.getvalue()
