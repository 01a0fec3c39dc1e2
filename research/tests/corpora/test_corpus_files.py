"""Folders, archives, encodings and limits."""

import zipfile

import pytest

from barthes.errors import ReadingError, UnknownEncodingError
from barthes.reading import source
from barthes_research.corpora import corpus_files
from barthes_research.corpora.corpus_files import read_corpus_text, read_corpus_texts, read_story_files

REMEDY = "Give a CSV file."
ORDER = ["story1.STY", "story2.sty", "story10.sty", "epilogue.sty"]
FILES = {name: name.encode() for name in [*reversed(ORDER), "notes.txt"]}


def archive(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in files.items():
            target.writestr(name, content)
    return path


def fill(folder, files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


def names(path):
    return [name for name, _ in read_story_files(path)]


def test_a_folder_in_the_order_of_the_stories(tmp_path):
    folder = fill(tmp_path / ".cache" / "corpus", FILES | {".hidden.sty": b""})
    fill(folder / "deeper", {"story3.sty": b"three"})
    (folder / "folder4.sty").mkdir()
    assert names(folder) == [*ORDER[:2], "story3.sty", *ORDER[2:]]
    assert list(read_story_files(folder / "story2.sty")) == [("story2.sty", b"story2.sty")]


def test_an_archive_in_the_order_of_the_stories(tmp_path):
    inside = {f"Corpus/{name}": content for name, content in FILES.items()}
    hidden = {"__MACOSX/Corpus/._story1.sty": b"x", "Corpus/.story7.sty": b"x", "../story8.sty": b"outside"}
    path = archive(tmp_path / "corpus.zip", inside | hidden)
    assert list(read_story_files(path)) == [(name, FILES[name]) for name in ORDER]


def damage(path):
    archive(path, {"story1.sty": bytes(range(256)) * 20})
    content = bytearray(path.read_bytes())
    content[60:70] = b"\x00" * 10
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: None, "no such file"),
        (lambda path: path.mkdir(), r"no \.sty file"),
        (lambda path: path.write_bytes(b"Once upon a time"), "not a valid zip"),
        (lambda path: archive(path, {"a.txt": b"x"}), r"no \.sty file"),
        (lambda path: archive(path, {"a/story1.sty": b"x", "b/story1.sty": b"y"}), "2 files called"),
        (damage, "is broken"),
        (lambda path: archive(path, {"story1.sty": b"\0" * 5_000_000}), "unpack to more than"),
    ],
)
def test_what_is_refused(tmp_path, make, reason):
    path = tmp_path / "corpus.zip"
    make(path)
    with pytest.raises(ReadingError, match=reason) as caught:
        names(path)
    assert caught.value.where == str(path)
    assert caught.value.remedy


@pytest.mark.parametrize("pack", [archive, fill])
def test_limits_of_stories(tmp_path, monkeypatch, pack):
    path = pack(tmp_path / "corpus", {f"story{i}.sty": b"x" * 400 for i in range(5)})
    assert len(names(path)) == 5
    monkeypatch.setattr(corpus_files, "MAX_TOTAL_BYTES", 1999)
    with pytest.raises(ReadingError, match="1999 bytes"):
        names(path)
    monkeypatch.setattr(corpus_files, "MAX_FILES", 4)
    with pytest.raises(ReadingError, match=r"5 \.sty files, more than 4"):
        names(path)


def read(path):
    return read_corpus_text(path, remedy=REMEDY)


def read_folder(path):
    return list(read_corpus_texts(path, suffix=".csv", remedy=REMEDY))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("a\nMärchen\n".encode("cp1252"), "line 2 is not UTF-8"),
        (b"a\0b", "null"),
        (b"PK\x03\x04", "zip archive"),
        (b"a \x81\x8d", "not text"),
    ],
)
def test_encodings_are_not_guessed(tmp_path, content, reason):
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(UnknownEncodingError, match=rf"a\.csv: .*{reason}.* Save it in UTF-8\."):
        read(tmp_path / "a.csv")


def test_nothing_there(tmp_path, monkeypatch):
    with pytest.raises(ReadingError, match=r"none\.csv: there is no such file\. Check its name and folder\."):
        read(tmp_path / "none.csv")
    with pytest.raises(ReadingError, match=r"this is a folder, not a file\. Give a CSV file"):
        read(tmp_path)
    with pytest.raises(ReadingError, match=r"has no \.csv file in it. Give a CSV file"):
        read_folder(tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ReadingError, match="-: there is no such file"):  # "-" is not standard input
        read("-")


def test_a_folder_of_texts_by_name(tmp_path, monkeypatch):
    (tmp_path / "d.csv").mkdir()
    fill(tmp_path, {name: name.encode() for name in ("b.CSV", "a.csv", "._a.csv", "c.txt")})
    assert read_folder(tmp_path) == [("a.csv", "a.csv"), ("b.CSV", "b.CSV")]
    monkeypatch.setattr(corpus_files, "MAX_TOTAL_BYTES", 9)
    with pytest.raises(ReadingError, match="more than 9 characters"):
        read_folder(tmp_path)
    monkeypatch.setattr(corpus_files, "MAX_FILES", 1)
    with pytest.raises(ReadingError, match=r"has 2 \.csv files, more than 1"):
        read_folder(tmp_path)
    monkeypatch.setattr(source, "LARGEST", 4)
    with pytest.raises(ReadingError, match=r"larger than.*Give a CSV file"):
        read(tmp_path / "a.csv")
