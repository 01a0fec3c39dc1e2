"""Reading stories from files, pipes and strings, and the errors when that fails."""

from __future__ import annotations

import io
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.errors import EmptyNarrativeError, NarrativeError, ReadingError, UnknownNameError
from barthes.reading import read, read_chapters, read_text
from barthes.reading.scene_breaks import mask_scene_breaks
from tests.reading.conversion import CHAPTERS, make_epub, make_html


@pytest.fixture
def tale(tmp_path: Path) -> Path:
    path = tmp_path / "the wolf.old.txt"
    path.write_bytes(b'"Stop!" she cried.\r\n\r\nThe wolf came. It rained.')
    return path


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "book.epub"
    path.write_bytes(make_epub().data)
    return path


@pytest.fixture
def pipe(monkeypatch):
    def fill(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))

    return fill


def texts(narrative):
    return [sentence.text for sentence in narrative]


def test_a_file_becomes_a_narrative(tale):
    narrative = read(tale)
    assert texts(narrative) == ['"Stop!" she cried.', "The wolf came.", "It rained."]
    assert narrative.text == tale.read_bytes().decode()  # \r\n and all
    assert (narrative.title, narrative.language, narrative.notes) == ("the wolf.old", "en", ())
    narrative = read(str(tale), title="Wolf", language="de-AT")
    assert (narrative.title, narrative.language) == ("Wolf", "de")


def test_one_sentence_per_line_in_every_format(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_bytes(b"  One. Two.\r\n\n \t\nThree\rFour \n")
    narrative = read(path, sentences=True)
    assert texts(narrative) == ["One. Two.", "Three", "Four"]
    assert narrative.text[2:11] == "One. Two."
    path = tmp_path / "tale.md"
    path.write_text("# Wolf\n\nA wolf came. It rained.\n\nHe left.\n")
    assert texts(read(path, sentences=True)) == ["A wolf came. It rained.", "He left."]
    text = "One.\x0bStill one.\x85Still\u2028one.\n\nTwo"
    assert texts(read_text(text, sentences=True)) == [text[:-5], "Two"]


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (b"", "it is empty"),
        (b" \n\t\r\n", "nothing in it but white space"),
        ("\ufeff\u200b\n".encode(), "nothing"),
    ],
)
def test_an_empty_file_is_named(tmp_path, content, cause):
    path = tmp_path / "empty.txt"
    path.write_bytes(content)
    with pytest.raises(EmptyNarrativeError, match=cause) as caught:
        read(path, title="Nothing")
    assert caught.value.where == str(path)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("text", "options", "kind", "message"),
    [
        ("", {"title": "Wolf"}, EmptyNarrativeError, "Wolf: it is empty"),
        (" \n", {"sentences": True}, EmptyNarrativeError, "white space"),
        ("A \ud800 wolf.", {}, NarrativeError, r"character 3 \(U\+D800\) is not a valid character"),
        ("A wolf.", {"language": "klingon", "sentences": True}, UnknownNameError, "no language 'klingon'"),
    ],
)
def test_a_text_that_is_no_narrative_is_refused(text, options, kind, message):
    with pytest.raises(kind, match=message):
        read_text(text, **options)


def test_chapters_are_read_one_by_one_or_all(book):
    narrative = read(book, chapter=2)
    assert narrative.title == "The Ferryman's Daughter: The Bell"
    assert narrative.text == "\n\n".join(CHAPTERS[1][1])
    assert narrative.notes == (
        "Words of the whole file not scored: 7 contents, 13 heading, 8 note, 2 matter.",
    )
    narratives = read_chapters(book)
    assert texts(narratives) == ["\n\n".join(paragraphs) for _, paragraphs in CHAPTERS]
    assert [each.title for each in read_chapters(book, title="")] == [title for title, _ in CHAPTERS]
    assert [len(each.notes) for each in narratives] == [1, 0, 0]
    assert sum(map(len, narratives)) == len(read(book))


def test_a_missing_chapter_is_named(book, tale):
    message = r"book\.epub: there is no chapter 4; it has 3\. They are: 1\. The Coin; "
    with pytest.raises(ReadingError, match=message):
        read(book, chapter=4)
    with pytest.raises(ReadingError, match=r"no chapter 2: no chapters were found\. Leave the chapter out"):
        read(tale, chapter=2)
    assert read(tale, chapter=1) == read(tale)


def test_a_file_without_chapters_is_one_story(tale):
    [narrative] = read_chapters(tale)
    assert narrative.notes == ("No chapters found; the whole file is one story.",)
    assert replace(narrative, notes=()) == read(tale)


def test_the_language_of_the_file_counts_unless_another_is_given(tmp_path):
    path = tmp_path / "tale.html"
    page = '<html lang="{}"><body><p>Ein Wolf kam. Es regnete.</p></body></html>'
    path.write_text(page.format("de-AT"))
    assert (read(path).language, read(path, language="es").language) == ("de", "es")
    path.write_text(page.format("cy"))
    narrative = read(path)
    assert (narrative.language, len(narrative)) == ("xx", 2)
    assert narrative.notes == (
        "There are no rules for the language 'cy': its sentences are split by punctuation alone.",
    )
    assert read(path, language="gv").notes[0].startswith("There are no rules for the language 'gv'")


def test_standard_input_is_read_as_bytes(pipe):
    pipe(make_html().data)
    narrative = read("-", sentences=True)
    assert (narrative.title, len(narrative)) == ("The Ferryman's Daughter", 9)
    pipe("Bär\r\nWolf".encode("cp1252"))
    narrative = read("-", sentences=True)
    assert (narrative.title, narrative.text) == ("stdin", "Bär\r\nWolf")
    assert narrative.notes[0].startswith("Read as Windows-1252")
    pipe(b"")
    with pytest.raises(EmptyNarrativeError, match=r"standard input: it is empty\."):
        read("-")


def test_spacy_is_imported_only_to_split_sentences():
    code = (
        "import sys; from barthes.reading import read; print(len(read('-', sentences=True)));"
        "sys.exit('spacy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], input=b"A wolf.\nRain.", capture_output=True)
    assert (done.stdout.strip(), done.returncode) == (b"2", 0)


stories = st.text(max_size=80).filter(
    lambda text: any(c.isprintable() and not c.isspace() for c in mask_scene_breaks(text))
)


@given(stories, st.booleans())
@settings(deadline=None, max_examples=100)
def test_sentences_and_gaps_rebuild_the_text(text, sentences):
    narrative = read_text(text, sentences=sentences)
    first, *gaps = narrative.gaps
    rebuilt = first + "".join(sentence.text + gap for sentence, gap in zip(narrative, gaps, strict=True))
    assert rebuilt == narrative.text == text
    assert mask_scene_breaks("\n".join(narrative.gaps)).strip() == ""


def test_chapters_that_begin_alike_are_told_apart(tmp_path):
    path = tmp_path / "tales.md"
    opening = "Once upon a time there was a king who had three daughters and a"
    path.write_text("".join(f"# {pet}\n\n{opening} {pet}. He died.\n\n" for pet in ("Wolf", "Fox", "Owl")))
    story = read(path)
    assert [title for _, title in story.chapters] == ["Wolf", "Fox", "Owl"]
    assert len({start for start, _ in story.chapters}) == 3


def test_speakers_of_screenplays_are_kept_on_request(tmp_path):
    path = tmp_path / "mill.fountain"
    path.write_text("INT. MILL - NIGHT\n\nANNA\nWho is there?\n\nBEN\nThe wolf.\n")
    assert [str(sentence) for sentence in read(path)] == ["Who is there?", "The wolf."]
    spoken = [str(sentence) for sentence in read(path, keep=["speaker", "direction"])]
    assert spoken == ["INT. MILL - NIGHT", "ANNA", "Who is there?", "BEN", "The wolf."]


def test_lines_of_prose_are_no_scene_headings():
    text = "EST. 1893\n\nThe mill stood.\n\nINT. IS A WORD."
    assert "1893" in " ".join(str(sentence) for sentence in read_text(text))
    assert "IS A WORD." in " ".join(str(sentence) for sentence in read_text(text))
