from __future__ import annotations

import os
from dataclasses import replace

import pytest

from barthes.errors import ReadingError
from barthes.runs.inputs import UNREADABLE, find_inputs, hash_text, open_texts
from tests.runs.counting_runs import write_table


@pytest.fixture
def tales(tmp_path):
    for name in ("b/wolf.txt", "a/wolf.txt", "fox.md"):
        path = tmp_path / "tales" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"A tale: {name}.", encoding="utf-8")
    return tmp_path / "tales"


def ids(*paths, **options):
    return [each.id for each in find_inputs(paths, **options)]


def test_a_folder_gives_its_stories_by_path(tales):
    assert ids(tales) == ["a/wolf.txt", "b/wolf.txt", "fox.md"]


def test_a_file_is_called_by_its_name(tales):
    assert ids(tales / "fox.md") == ["fox.md"]
    assert ids(tales / "fox.md", tales / "fox.md") == ["fox.md"]
    assert ids(tales / "a", tales) == ["wolf.txt", "b/wolf.txt", "fox.md"]


def test_a_pattern_gives_paths_below_its_fixed_part(tales):
    assert ids(f"{tales}/*/wolf.txt") == ["a/wolf.txt", "b/wolf.txt"]
    with pytest.raises(ReadingError, match="no file matches"):
        ids(f"{tales}/*/bear.txt")


def test_rows_of_a_table_are_texts(tmp_path):
    table = write_table(tmp_path / "t.jsonl", {"a": "One.", "b": "Two."})
    inputs = list(find_inputs([table]))
    assert [(each.id, each.sha256) for each in inputs] == [("a", hash_text("One.")), ("b", hash_text("Two."))]
    assert [text for _, text in open_texts(inputs[1:])] == ["Two."]


def test_two_texts_with_one_id_are_refused(tales, tmp_path):
    with pytest.raises(ReadingError, match=r"two texts have the id 'wolf.txt'.*Give the folder above"):
        ids(tales / "a/wolf.txt", tales / "b/wolf.txt")
    table = tmp_path / "t.jsonl"
    table.write_text('{"id": "a", "text": "x"}\n' * 2, encoding="utf-8")
    with pytest.raises(ReadingError, match="two texts have the id 'a'"):
        ids(table)


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "\x1b[31m", "x" * 501])
def test_unfit_ids_are_refused(tmp_path, name):
    with pytest.raises(ReadingError, match="not printable"):
        ids(write_table(tmp_path / "t.jsonl", {name: "x"}))


def test_what_is_not_there_is_told_at_once(tmp_path):
    with pytest.raises(ReadingError, match="cannot be read"):
        ids(tmp_path / "nowhere.txt")


def test_what_cannot_be_read_is_an_input_without_a_hash(tales):
    (tales / "lost.txt").symlink_to(tales / "gone.txt")
    assert [each.sha256 == UNREADABLE for each in find_inputs([tales])] == [False, False, False, True]


def test_files_that_have_not_changed_are_not_read_again(tales):
    known = {each.id: each for each in find_inputs([tales])}
    path = tales / "fox.md"
    state = path.stat()
    path.write_text("A tale: xxx.md.", encoding="utf-8")
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert {each.id: each for each in find_inputs([tales], known=known)} == known
    os.utime(path)
    assert {each.id: each for each in find_inputs([tales], known=known)} != known


def test_what_cannot_be_read_for_a_moment_is_what_it_was(tales):
    known = {each.id: each for each in find_inputs([tales])}
    (tales / "fox.md").unlink()
    (tales / "fox.md").symlink_to(tales / "gone.md")
    assert {each.id: each for each in find_inputs([tales], known=known)} == known
    elsewhere = {name: replace(each, source="/elsewhere") for name, each in known.items()}
    assert [each.sha256 for each in find_inputs([tales / "fox.md"], known=elsewhere)] == [UNREADABLE]
