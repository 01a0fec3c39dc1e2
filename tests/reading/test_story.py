"""Reading stories: what is in them, and what is said when there is none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from barthes.errors import EmptyNarrativeError, ReadingError, UnknownEncodingError, UnknownNameError
from barthes.reading import read, read_chapters, source
from tests.reading.conversion import CHAPTERS, make_epub, make_html


@pytest.fixture
def tale(tmp_path: Path) -> Path:
    path = tmp_path / "the wolf.old.txt"
    path.write_bytes(b'"Stop!" she cried.\r\n\r\nThe wolf came. It rained.')
    return path


def test_a_file_becomes_a_narrative(tale):
    narrative = read(tale)
    assert [sentence.text for sentence in narrative] == ['"Stop!" she cried.', "The wolf came.", "It rained."]
    assert narrative.text == tale.read_bytes().decode()  # \r\n and all
    assert (narrative.title, narrative.language, narrative.notes) == ("the wolf.old", "en", ())


def test_title_and_language_are_kept(tale):
    narrative = read(str(tale), title="Wolf", language="de-AT")
    assert (narrative.title, narrative.language) == ("Wolf", "de")


def test_one_sentence_a_line(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_bytes(b"  One. Two.\r\n\n \t\nThree\rFour \n")
    narrative = read(path, sentences=True)
    assert [sentence.text for sentence in narrative] == ["One. Two.", "Three", "Four"]
    assert narrative.text[2:11] == "One. Two."


def test_the_encoding_is_noted(tmp_path):
    path = tmp_path / "tale.txt"
    path.write_bytes("Der Bär kam. Ein Märchen.".encode("cp1252"))
    narrative = read(path, language="de")
    assert narrative.text == "Der Bär kam. Ein Märchen."
    assert [note[:20] for note in narrative.notes] == ["Read as Windows-1252"]


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


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ReadingError, match=r"nowhere\.txt: there is no such file\. Check"):
        read(tmp_path / "nowhere.txt")


def test_a_folder_is_not_a_story(tmp_path):
    with pytest.raises(ReadingError, match="this is a folder, not a story"):
        read(tmp_path)


def test_a_path_through_a_file_is_named(tale):
    with pytest.raises(ReadingError, match="cannot be read"):
        read(tale / "inside.txt")
    with pytest.raises(ReadingError, match="cannot be read"):
        read("null\0byte.txt")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="whoever runs the tests may read everything")
def test_an_unreadable_file_is_named(tale):
    tale.chmod(0)
    with pytest.raises(ReadingError, match="may not be read"):
        read(tale)


def test_binary_data_is_named(tmp_path):
    path = tmp_path / "picture.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    with pytest.raises(UnknownEncodingError, match=r"picture\.png: this is not text.*Save"):
        read(path)


def test_a_huge_file_is_refused_unread(tmp_path):
    path = tmp_path / "huge.txt"
    with path.open("wb") as file:
        file.truncate(source.LARGEST + 1)  # sparse: takes no room
    with pytest.raises(ReadingError, match="larger than 50 MB"):
        read(path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a device without end")
def test_what_does_not_tell_its_size_is_read_up_to_the_limit():
    with pytest.raises(ReadingError, match="larger than 50 MB"):
        read("/dev/zero")


def test_an_unknown_language_is_named_even_for_segmented_text(tale):
    with pytest.raises(UnknownNameError, match="no language 'klingon'"):
        read(tale, language="klingon", sentences=True)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "book.epub"
    path.write_bytes(make_epub().data)
    return path


def test_one_chapter_of_a_book(book):
    narrative = read(book, chapter=2)
    assert narrative.title == "The Ferryman's Daughter: The Bell"
    assert narrative.text == "\n\n".join(CHAPTERS[1][1])
    assert narrative.notes == ("Left out: 1 footnote, 1 table of contents, 1 title page.",)


def test_each_chapter_is_a_narrative(book):
    narratives = read_chapters(book)
    assert [each.text for each in narratives] == ["\n\n".join(paragraphs) for _, paragraphs in CHAPTERS]
    assert [each.title for each in read_chapters(book, title="")] == [title for title, _ in CHAPTERS]
    assert [len(each.notes) for each in narratives] == [1, 0, 0]
    assert sum(map(len, narratives)) == len(read(book))


def test_a_chapter_that_is_not_there_is_named(book, tale):
    with pytest.raises(
        ReadingError, match=r"book\.epub: there is no chapter 4; it has 3\. They are: 1\. The Coin; "
    ):
        read(book, chapter=4)
    with pytest.raises(ReadingError, match="no chapter 2: it has no chapters"):
        read(tale, chapter=2)
    assert read(tale, chapter=1) == read(tale)
    assert read_chapters(tale) == [read(tale)]


def test_what_the_file_says_of_its_language_counts_unless_the_reader_knows_better(tmp_path):
    path = tmp_path / "tale.html"
    page = '<html lang="{}"><body><p>Ein Wolf kam. Es regnete.</p></body></html>'
    path.write_text(page.format("de-AT"))
    assert (read(path).language, read(path, language="fr").language) == ("de", "fr")
    path.write_text(page.format("cy"))
    narrative = read(path)
    assert (narrative.language, len(narrative)) == ("xx", 2)
    assert narrative.notes == (
        "There are no rules for the language 'cy': its sentences are split by punctuation alone.",
    )
    assert read(path, language="gv").notes[0].startswith("There are no rules for the language 'gv'")


def test_lines_that_are_sentences_are_so_in_every_format(tmp_path):
    path = tmp_path / "tale.md"
    path.write_text("# Wolf\n\nA wolf came. It rained.\n\nHe left.\n")
    assert [each.text for each in read(path, sentences=True)] == ["A wolf came. It rained.", "He left."]


def test_a_book_from_a_pipe():
    code = "from barthes.reading import read; n = read('-', sentences=True); print(n.title, len(n))"
    assert run(code, make_html().data).stdout == b"The Ferryman's Daughter 9\n"


def run(code: str, data: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=False)


def test_standard_input_is_read_as_bytes():
    code = (
        "from barthes.reading import read; n = read('-', sentences=True);"
        "print(ascii((n.title, n.text, n.notes[0])))"
    )
    done = run(code, "Bär\r\nWolf".encode("cp1252"))
    assert done.stdout.startswith(b"('stdin', 'B\\xe4r\\r\\nWolf', 'Read as Windows-1252")


def test_an_empty_standard_input_is_named():
    done = run("from barthes.reading import read; read('-')", b"")
    assert b"standard input: it is empty." in done.stderr


def test_spacy_waits_until_sentences_are_split():
    code = (
        "import sys; from barthes.reading import read_text; read_text('A wolf.\\nRain.', sentences=True);"
        "sys.exit('spacy' in sys.modules)"
    )
    assert run(code, b"").returncode == 0
