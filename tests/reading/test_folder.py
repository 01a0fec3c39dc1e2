from __future__ import annotations

import os
from pathlib import Path

import pytest

from barthes.errors import ReadingError
from barthes.reading import find_stories


@pytest.fixture
def tales(tmp_path: Path) -> Path:
    for name in ("b.txt", "a.TXT", "notes.md", ".hidden.txt", "sub/c.txt", ".git/d.txt", "sub/.x/e.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("A wolf came.")
    return tmp_path


def test_a_folder_gives_its_stories_sorted_and_none_that_are_hidden(tales):
    assert find_stories([tales]) == [tales / "a.TXT", tales / "b.txt", tales / "sub" / "c.txt"]


def test_files_stay_as_they_are(tales):
    given = [tales / "notes.md", tales / "missing.txt", tales / ".hidden.txt", "-"]
    assert find_stories(given) == [*given[:-1], Path("-")]
    assert find_stories([tales / "sub", tales / "b.txt"]) == [tales / "sub" / "c.txt", tales / "b.txt"]


def test_links_are_not_followed_in_circles(tales):
    (tales / "sub" / "loop").symlink_to(tales, target_is_directory=True)
    assert len(find_stories([tales])) == 3


def test_a_folder_without_stories_is_named(tmp_path):
    with pytest.raises(
        ReadingError, match=r"there is no story in this folder\. Stories are files named \*\.txt"
    ):
        find_stories([tmp_path])


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="whoever runs the tests may read everything")
def test_a_locked_folder_is_named(tales):
    (tales / "sub").chmod(0)
    try:
        with pytest.raises(ReadingError, match="sub: it cannot be read"):
            find_stories([tales])
    finally:
        (tales / "sub").chmod(0o755)


def test_an_empty_name_is_not_the_folder_we_are_in():
    with pytest.raises(ReadingError, match="empty"):
        find_stories([""])
