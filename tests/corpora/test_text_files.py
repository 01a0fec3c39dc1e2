import pytest

from barthes.corpora import text_files
from barthes.corpora.text_files import read_corpus_text, read_corpus_texts
from barthes.errors import ReadingError, UnknownEncodingError
from barthes.reading import source

REMEDY = "Give a CSV file."


def read(path):
    return read_corpus_text(path, remedy=REMEDY)


def read_folder(path):
    return list(read_corpus_texts(path, suffixes=(".csv",), remedy=REMEDY))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_that_say_what_they_are(tmp_path, encoding):
    (tmp_path / "a.csv").write_bytes("Märchen\r\n".encode(encoding))
    assert read(tmp_path / "a.csv") == "Märchen\r\n"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("a\nMärchen\n".encode("cp1252"), "line 2 is not UTF-8"),
        (b"a\0b", "null"),
        (b"PK\x03\x04", "zip archive"),
        (b"a \x81\x8d", "not text"),
    ],
)
def test_bytes_that_do_not(tmp_path, content, reason):
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(UnknownEncodingError, match=rf"a\.csv: .*{reason}.* Save it in UTF-8\."):
        read(tmp_path / "a.csv")


def test_nothing_there(tmp_path):
    with pytest.raises(ReadingError, match=r"none\.csv: there is no such file\. Check its name and folder\."):
        read(tmp_path / "none.csv")
    with pytest.raises(ReadingError, match=r"this is a folder, not a file\. Give a CSV file"):
        read(tmp_path)
    with pytest.raises(ReadingError, match=r"has no \.csv file in it. Give a CSV file"):
        read_folder(tmp_path)


def test_a_dash_is_no_pipe(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ReadingError, match="-: there is no such file"):
        read("-")


def test_a_folder_by_name_without_what_a_system_hides(tmp_path):
    for name in ("b.CSV", "a.csv", "._a.csv", "c.txt"):
        (tmp_path / name).write_text(name)
    (tmp_path / "d.csv").mkdir()
    assert read_folder(tmp_path) == [("a.csv", "a.csv"), ("b.CSV", "b.CSV")]


def test_limits(tmp_path, monkeypatch):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("x" * 100)
    monkeypatch.setattr(text_files, "MAX_TOTAL_BYTES", 150)
    with pytest.raises(ReadingError, match="more than 150 characters"):
        read_folder(tmp_path)
    monkeypatch.setattr(text_files, "MAX_FILES", 1)
    with pytest.raises(ReadingError, match=r"has 2 \.csv files, more than 1"):
        read_folder(tmp_path)
    monkeypatch.setattr(source, "LARGEST", 99)
    with pytest.raises(ReadingError, match="larger than"):
        read(tmp_path / "a.csv")
