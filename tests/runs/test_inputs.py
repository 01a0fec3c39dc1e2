from __future__ import annotations

import hashlib
import os
from dataclasses import replace

import pytest

from barthes.errors import ReadingError
from barthes.reading.source import read_bytes
from barthes.runs.inputs import UNREADABLE, find_inputs, hash_text, open_texts
from tests.reading.scrivener_projects import Item, make_project, write_project
from tests.runs.counting_runs import write_table


@pytest.fixture
def tales(tmp_path):
    for name in ("b/wolf.txt", "a/wolf.txt", "fox.md"):
        path = tmp_path / "tales" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"A tale: {name}.", encoding="utf-8")
    return tmp_path / "tales"


@pytest.mark.parametrize(
    ("paths", "ids"),
    [
        (["."], ["a/wolf.txt", "b/wolf.txt", "fox.md"]),
        (["fox.md"], ["fox.md"]),
        (["fox.md", "fox.md"], ["fox.md"]),
        (["a", "."], ["wolf.txt", "b/wolf.txt", "fox.md"]),
        (["*/wolf.txt"], ["a/wolf.txt", "b/wolf.txt"]),
    ],
)
def test_ids_of_files_folders_and_patterns(tales, paths, ids):
    assert [each.id for each in find_inputs([f"{tales}/{path}" for path in paths])] == ids


def test_rows_of_a_table_are_texts(tmp_path):
    table = write_table(tmp_path / "t.jsonl", {"a": "One.", "b": "Two."})
    inputs = list(find_inputs([table]))
    assert [(each.id, each.sha256) for each in inputs] == [("a", hash_text("One.")), ("b", hash_text("Two."))]
    assert [text for _, text in open_texts(inputs[1:])] == ["Two."]


@pytest.mark.parametrize(
    ("paths", "problem"),
    [
        (["*/bear.txt"], "no file matches"),
        (["nowhere.txt"], "cannot be read"),
        (["a/wolf.txt", "b/wolf.txt"], r"two texts have the id 'wolf.txt'.*Give the folder above"),
        (["twice.jsonl"], "two texts have the id 'a'"),
    ],
)
def test_invalid_paths_are_refused(tales, paths, problem):
    (tales / "twice.jsonl").write_text('{"id": "a", "text": "x"}\n' * 2, encoding="utf-8")
    with pytest.raises(ReadingError, match=problem):
        list(find_inputs([f"{tales}/{path}" for path in paths]))


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "\x1b[31m", "x" * 501])
def test_invalid_ids_are_refused(tmp_path, name):
    with pytest.raises(ReadingError, match="not printable"):
        list(find_inputs([write_table(tmp_path / "t.jsonl", {name: "x"})]))


def test_a_scrivener_project_is_one_text_and_is_hashed_again(tales):
    novel = write_project(tales, make_project(Item("One", text="It rained."), Item("Two", text="It snowed.")))
    for given in (novel, f"{tales}/*.scriv"):
        assert [each.id for each in find_inputs([given])] == ["Novel.scriv"]
    known = {each.id: each for each in find_inputs([tales])}
    assert list(known) == ["Novel.scriv", "a/wolf.txt", "b/wolf.txt", "fox.md"]
    assert known["Novel.scriv"].sha256 == hashlib.sha256(read_bytes(novel)).hexdigest()
    text = novel / "Files" / "Data" / "01-AB" / "content.rtf"
    text.write_text(text.read_text().replace("snowed", "hailed"))
    assert {each.id for each in find_inputs([tales], known=known)} == set(known)
    assert next(iter(find_inputs([novel], known=known))).sha256 != known["Novel.scriv"].sha256


def test_an_unreadable_file_is_an_input_without_a_hash(tales):
    (tales / "lost.txt").symlink_to(tales / "gone.txt")
    assert [each.sha256 == UNREADABLE for each in find_inputs([tales])] == [False, False, False, True]


def test_files_that_have_not_changed_are_not_hashed_again(tales):
    known = {each.id: each for each in find_inputs([tales])}
    path = tales / "fox.md"
    state = path.stat()
    path.write_text("A tale: xxx.md.", encoding="utf-8")
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert {each.id: each for each in find_inputs([tales], known=known)} == known
    os.utime(path)
    assert {each.id: each for each in find_inputs([tales], known=known)} != known


def test_a_file_that_is_unreadable_for_now_keeps_its_hash(tales):
    known = {each.id: each for each in find_inputs([tales])}
    (tales / "fox.md").unlink()
    (tales / "fox.md").symlink_to(tales / "gone.md")
    assert {each.id: each for each in find_inputs([tales], known=known)} == known
    elsewhere = {name: replace(each, source="/elsewhere") for name, each in known.items()}
    assert [each.sha256 for each in find_inputs([tales / "fox.md"], known=elsewhere)] == [UNREADABLE]
