"""Folders, archives, and archives that mean harm."""

import io
import struct
import zipfile

import pytest

from barthes.corpora import story_files
from barthes.corpora.story_files import read_story_files
from barthes.errors import ReadingError


def archive(path, files, *, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as target:
        for name, content in files.items():
            target.writestr(name, content)
    return path


def names(path):
    return [name for name, _ in read_story_files(path)]


FILES = {
    "story10.sty": b"ten",
    "story2.sty": b"two",
    "story1.STY": b"one",
    "epilogue.sty": b"end",
    "notes.txt": b"-",
}
ORDER = ["story1.STY", "story2.sty", "story10.sty", "epilogue.sty"]


def test_a_folder_in_the_order_of_the_stories(tmp_path):
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "story3.sty").write_bytes(b"three")
    (tmp_path / ".hidden.sty").write_bytes(b"")
    (tmp_path / "folder4.sty").mkdir()
    assert names(tmp_path) == [*ORDER[:2], "story3.sty", *ORDER[2:]]


def test_a_folder_below_a_hidden_one(tmp_path):
    folder = tmp_path / ".cache" / "corpus"
    folder.mkdir(parents=True)
    (folder / "story1.sty").write_bytes(b"one")
    assert list(read_story_files(folder)) == [("story1.sty", b"one")]


def test_an_archive_in_the_order_of_the_stories(tmp_path):
    inside = {f"Corpus/{name}": content for name, content in FILES.items()}
    shadows = {"__MACOSX/Corpus/._story1.sty": b"x", "Corpus/.story7.sty": b"x", "../story8.sty": b"outside"}
    path = archive(tmp_path / "corpus.zip", inside | shadows)
    assert names(path) == ORDER


def test_one_file(tmp_path):
    (tmp_path / "story7.sty").write_bytes(b"seven")
    assert list(read_story_files(tmp_path / "story7.sty")) == [("story7.sty", b"seven")]


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: None, "No such file"),
        (lambda path: path.mkdir(), r"no \.sty file"),
        (lambda path: path.write_bytes(b""), "not a sound zip"),
        (lambda path: path.write_bytes(b"Once upon a time"), "not a sound zip"),
        (lambda path: archive(path, {}), r"no \.sty file"),
        (lambda path: archive(path, {"a.txt": b"x"}), r"no \.sty file"),
        (lambda path: archive(path, {"a/story1.sty": b"x", "b/story1.sty": b"y"}), "2 files called"),
    ],
)
def test_nothing_to_read(tmp_path, make, reason):
    path = tmp_path / "corpus.zip"
    make(path)
    with pytest.raises(ReadingError, match=reason) as caught:
        names(path)
    assert caught.value.where == str(path)
    assert caught.value.remedy


def test_a_damaged_archive(tmp_path):
    path = archive(tmp_path / "corpus.zip", {"story1.sty": bytes(range(256)) * 20})
    content = bytearray(path.read_bytes())
    content[60:70] = b"\x00" * 10
    path.write_bytes(content)
    with pytest.raises(ReadingError, match="not a sound zip"):
        names(path)


def test_a_locked_archive(tmp_path):
    path = archive(tmp_path / "corpus.zip", {"story1.sty": b"secret"})
    content = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):  # the flag for a password
        content[content.index(signature) + offset] |= 1
    path.write_bytes(content)
    with pytest.raises(ReadingError, match="cannot be unpacked"):
        names(path)


def test_a_bomb_by_ratio(tmp_path):
    path = archive(tmp_path / "corpus.zip", {"story1.sty": b"\0" * 5_000_000})
    with pytest.raises(ReadingError, match="swell"):
        names(path)


def test_a_bomb_by_size(tmp_path, monkeypatch):
    path = archive(tmp_path / "corpus.zip", {"story1.sty": b"x" * 2000}, compression=zipfile.ZIP_STORED)
    monkeypatch.setattr(story_files, "MAX_BYTES", 1999)
    with pytest.raises(ReadingError, match="2000 bytes"):
        names(path)


def test_a_bomb_by_total(tmp_path, monkeypatch):
    files = {f"story{i}.sty": b"x" * 400 for i in range(5)}
    monkeypatch.setattr(story_files, "MAX_TOTAL_BYTES", 1999)
    with pytest.raises(ReadingError, match="1999 bytes"):
        names(archive(tmp_path / "corpus.zip", files, compression=zipfile.ZIP_STORED))
    folder = tmp_path / "folder"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    with pytest.raises(ReadingError, match="1999 bytes"):
        names(folder)


def test_a_bomb_by_number(tmp_path, monkeypatch):
    monkeypatch.setattr(story_files, "MAX_FILES", 4)
    with pytest.raises(ReadingError, match="more than 4"):
        names(archive(tmp_path / "corpus.zip", {f"story{i}.sty": b"x" for i in range(5)}))


def test_a_bomb_that_lies_about_its_size(tmp_path, monkeypatch):
    """The directory says 10 bytes; what is packed is far more, and reading stops at the limit."""
    monkeypatch.setattr(story_files, "MAX_BYTES", 1000)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("story1.sty", bytes(range(256)) * 100)
    content = bytearray(buffer.getvalue())
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", content, content.index(signature) + offset, 10)
    path = tmp_path / "corpus.zip"
    path.write_bytes(content)
    with pytest.raises(ReadingError):
        names(path)


def test_a_file_that_is_too_big(tmp_path, monkeypatch):
    (tmp_path / "story1.sty").write_bytes(b"x" * 2000)
    monkeypatch.setattr(story_files, "MAX_BYTES", 1999)
    with pytest.raises(ReadingError, match="more than 1999"):
        names(tmp_path)
