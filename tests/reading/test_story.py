"""Reading stories: what is in them, and what is said when there is none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from barthes.errors import EmptyNarrativeError, ReadingError, UnknownEncodingError, UnknownNameError
from barthes.reading import read, source


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
