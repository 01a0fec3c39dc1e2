"""Files and folders of stories."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from barthes.errors import ReadingError
from barthes.reading import find_stories, source
from barthes.reading.formats import ENDINGS

needs_permissions = pytest.mark.skipif(
    os.name == "nt" or os.geteuid() == 0, reason="whoever runs the tests may read everything"
)


@pytest.fixture
def tales(tmp_path: Path) -> Path:
    names = "b.txt a.TXT notes.odp README.md .hidden.txt ~$c.docx sub/c.txt .git/d.txt sub/.x/e.txt".split()
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("A wolf came.")
    return tmp_path


def test_a_folder_gives_its_stories_sorted_without_hidden_ones(tales):
    (tales / "sub" / "loop").symlink_to(tales, target_is_directory=True)  # not followed
    assert find_stories([tales]) == [tales / "a.TXT", tales / "b.txt", tales / "sub" / "c.txt"]


def test_files_stay_as_they_are(tales):
    given = [tales / "README.md", tales / "missing.txt", tales / ".hidden.txt", "-"]
    assert find_stories(given) == [*given[:-1], Path("-")]
    assert find_stories([tales / "sub", tales / "b.txt"]) == [tales / "sub" / "c.txt", tales / "b.txt"]


def test_every_known_format_is_a_story(tmp_path):
    for ending in ENDINGS:
        (tmp_path / f"tale{ending}").touch()
    assert len(find_stories([tmp_path])) == len(ENDINGS) > 10


def test_every_ending_is_documented_and_named_in_the_error(tmp_path):
    page = Path(__file__).parents[2] / "docs" / "how-to" / "read-formats.md"
    with pytest.raises(ReadingError, match="no story in this folder") as caught:
        find_stories([tmp_path])
    for ending in ENDINGS:
        assert f"`{ending}`" in page.read_text(encoding="utf-8")
        assert f"*{ending}" in caught.value.remedy


def test_what_gives_no_story_is_named(tmp_path):
    with pytest.raises(ReadingError, match=r"no story in this folder\. Stories are files named \*\.txt"):
        find_stories([tmp_path])
    with pytest.raises(ReadingError, match="empty"):  # not the current folder
        find_stories([""])


@needs_permissions
def test_what_may_not_be_read_is_named(tales):
    (tales / "b.txt").chmod(0)
    with pytest.raises(ReadingError, match="may not be read"):
        source.read_bytes(tales / "b.txt")
    (tales / "sub").chmod(0)
    try:
        with pytest.raises(ReadingError, match="sub: it cannot be read"):
            find_stories([tales])
    finally:
        (tales / "sub").chmod(0o755)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere.txt", r"nowhere\.txt: there is no such file\. Check"),
        ("sub", "this is a folder, not a story"),
        ("b.txt/inside.txt", "cannot be read"),
        ("null\0byte.txt", "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tales, name, message):
    with pytest.raises(ReadingError, match=message):
        source.read_bytes(tales / name)


def test_huge_and_endless_files_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "huge.txt"
    with path.open("wb") as file:
        file.truncate(source.LARGEST + 1)  # sparse: takes no room
    with pytest.raises(ReadingError, match="larger than 50 MB"):
        source.read_bytes(path)
    if Path("/dev/zero").exists():
        monkeypatch.setattr(source, "LARGEST", 2_000_000)
        with pytest.raises(ReadingError, match="larger than 2 MB"):
            source.read_bytes("/dev/zero")
