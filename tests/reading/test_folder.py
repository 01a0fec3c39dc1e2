from __future__ import annotations

import os
from pathlib import Path

import pytest

from barthes.errors import ReadingError
from barthes.reading import find_stories
from barthes.reading.formats import ENDINGS


@pytest.fixture
def tales(tmp_path: Path) -> Path:
    names = "b.txt a.TXT notes.odp README.md .hidden.txt ~$c.docx sub/c.txt .git/d.txt sub/.x/e.txt".split()
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("A wolf came.")
    return tmp_path


def test_a_folder_gives_its_stories_sorted_and_none_that_are_hidden(tales):
    assert find_stories([tales]) == [tales / "a.TXT", tales / "b.txt", tales / "sub" / "c.txt"]


def test_files_stay_as_they_are(tales):
    given = [tales / "README.md", tales / "missing.txt", tales / ".hidden.txt", "-"]
    assert find_stories(given) == [*given[:-1], Path("-")]
    assert find_stories([tales / "sub", tales / "b.txt"]) == [tales / "sub" / "c.txt", tales / "b.txt"]


def test_every_known_format_is_a_story(tmp_path):
    for ending in ENDINGS:
        (tmp_path / f"tale{ending}").touch()
    assert len(find_stories([tmp_path])) == len(ENDINGS) > 10


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
