"""Only files below allowed folders are found, whatever a name looks like."""

from __future__ import annotations

import os

import pytest

from barthes.errors import ReadingError
from barthes.integrations.allowed_folders import AllowedFolders


@pytest.fixture
def folders(tmp_path):
    """An allowed folder beside a secret one, with links between them."""
    (tmp_path / "tales" / "old").mkdir(parents=True)
    (tmp_path / "tales" / "old" / "wolf.txt").write_text("A wolf came.")
    (tmp_path / "tales2").mkdir()
    (tmp_path / "tales2" / "secret.txt").write_text("A secret.")
    (tmp_path / "tales" / "file_link.txt").symlink_to(tmp_path / "tales2" / "secret.txt")
    (tmp_path / "tales" / "folder_link").symlink_to(tmp_path / "tales2")
    (tmp_path / "tales" / "loop").symlink_to(tmp_path / "tales" / "loop")
    (tmp_path / "tales" / "inner_link.txt").symlink_to(tmp_path / "tales" / "old" / "wolf.txt")
    return tmp_path


@pytest.mark.parametrize("name", ["old/wolf.txt", "inner_link.txt", "old/../old/./wolf.txt"])
def test_files_below_are_found_by_relative_and_absolute_names(folders, name):
    allowed = AllowedFolders([folders / "tales"])
    wolf = (folders / "tales" / "old" / "wolf.txt").resolve()
    assert allowed.find(name) == allowed.find(str(folders / "tales" / name)) == wolf


@pytest.mark.parametrize(
    "name",
    [
        "../tales2/secret.txt",
        "old/../../tales2/secret.txt",
        "file_link.txt",
        "folder_link/secret.txt",
        "/etc/passwd",
        "~/.bashrc",
        "../tales2/missing.txt",
        "..",
        "loop/x.txt",
        "null\0.txt",
        "x" * 5_000,
        "\\\\server\\share\\..\\..\\secret.txt" if os.name == "nt" else "/proc/self/environ",
    ],
)
def test_everything_else_is_refused_alike(folders, name):
    with pytest.raises(ReadingError, match="only files below the allowed folders"):
        AllowedFolders([folders / "tales"]).find(name)


def test_a_folder_with_the_same_beginning_is_another_folder(folders):
    with pytest.raises(ReadingError, match="only files below"):
        AllowedFolders([folders / "tales"]).find(str(folders / "tales2" / "secret.txt"))


def test_links_in_the_name_of_an_allowed_folder_are_resolved(folders):
    allowed = AllowedFolders([folders / "tales" / "folder_link"])
    assert allowed.find("secret.txt") == (folders / "tales2" / "secret.txt").resolve()


def test_missing_files_and_folders_are_named(folders):
    allowed = AllowedFolders([folders / "tales"])
    with pytest.raises(ReadingError, match="there is no such file"):
        allowed.find("new.txt")
    with pytest.raises(ReadingError, match="not a regular file"):
        allowed.find("old")
    with pytest.raises(ReadingError, match="cannot be used"):
        AllowedFolders([folders / "nowhere"])
    with pytest.raises(ReadingError, match="not a folder"):
        AllowedFolders([folders / "tales" / "old" / "wolf.txt"])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_named_pipe_is_not_opened(folders):
    os.mkfifo(folders / "tales" / "pipe.txt")
    with pytest.raises(ReadingError, match="not a regular file"):
        AllowedFolders([folders / "tales"]).find("pipe.txt")


def test_without_folders_nothing_is_read(folders):
    with pytest.raises(ReadingError, match="--allow FOLDER"):
        AllowedFolders().find(str(folders / "tales" / "old" / "wolf.txt"))
