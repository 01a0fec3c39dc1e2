"""One tale in every format: the same sentences, the same chapters, and nothing of the clutter."""

from __future__ import annotations

import pytest

import barthes
from barthes.cutting.write_back import write_back
from barthes.reading.formats import find_format, parse_document
from tests.reading.conversion import CHAPTERS, EXAMPLE, MAKERS, NOTE, PARAGRAPHS


@pytest.fixture(scope="module")
def expected():
    return [str(sentence) for sentence in barthes.read(EXAMPLE)]


@pytest.fixture(params=MAKERS, scope="module")
def made(request):
    return MAKERS[request.param]()


def test_each_format_gives_the_same_sentences(made, expected, tmp_path):
    path = tmp_path / made.name
    path.write_bytes(made.data)
    narrative = barthes.read(path)
    assert [str(sentence) for sentence in narrative] == expected
    assert (narrative.title, narrative.author) == (made.title, made.author)
    assert narrative.language == made.language
    assert NOTE not in narrative.text


def test_each_format_is_written_back_with_its_headings(made, expected, tmp_path):
    """Headings come back, and what is written has the same sentences and chapters when it is read again."""
    (tmp_path / made.name).write_bytes(made.data)
    narrative = barthes.read(tmp_path / made.name)
    restored = write_back(narrative)
    assert [str(sentence) for sentence in restored] == expected
    short = tmp_path / f"short.{narrative.written_as}"
    short.write_text(restored.text, encoding="utf-8")
    again, titles = barthes.read(short), [title for _, title in narrative.chapters]
    told = [str(sentence) for sentence in again if str(sentence) not in titles]  # plain text has them
    assert told == expected
    assert [title for _, title in again.chapters] == titles


def test_each_format_keeps_the_chapters_and_marks_notes(made):
    document = parse_document(made.data, where=made.name, name=made.name)
    assert tuple(chapter.title for chapter in document.chapters) == made.chapters
    notes = [text for kind, text in document.marked if kind == "note"]
    assert not notes or any(NOTE in text for text in notes)
    texts = [" ".join(chapter.text.split()) for chapter in document.chapters]
    wanted = CHAPTERS if len(texts) > 1 else [("", PARAGRAPHS)]
    assert texts == [" ".join(" ".join(paragraphs).split()) for _, paragraphs in wanted]


def test_the_content_decides_and_not_the_name(made):
    known = find_format(made.data, where=made.name, name=made.name)
    if made.name not in ("tale.md", "tale.txt", "tale.fountain"):
        assert find_format(made.data, where="x", name="story.txt") is known
        assert find_format(made.data, where="x", name="") is known
