from __future__ import annotations

import csv
import json
import os

import pytest

from barthes.errors import ReadingError
from barthes.hashing import hash_bytes
from barthes.reading.source import read_bytes
from barthes.runs.inputs import UNREADABLE, Input, find_inputs, open_texts, read_rows
from tests.reading.scrivener_projects import Item, make_project, write_project
from tests.runs.counting_runs import write_table

ROWS = [("a", "A wolf,\ncame."), ("2", 'She said: "No". Then went.'), ("ü", "x" * 200_000)]


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
        (["fox.md", "./fox.md"], ["fox.md"]),
        (["a", "."], ["a/wolf.txt", "b/wolf.txt", "fox.md"]),
        (["*/wolf.txt"], ["a/wolf.txt", "b/wolf.txt"]),
    ],
)
def test_files_are_named_by_their_paths(tales, monkeypatch, paths, ids):
    monkeypatch.chdir(tales)
    assert [each.id for each in find_inputs(paths)] == ids
    assert [each.id for each in find_inputs([tales / "fox.md"])] == [(tales / "fox.md").as_posix()]


def test_texts_are_opened_with_their_content(tales, tmp_path):
    table = write_table(tmp_path / "t.jsonl", {"a": "One.", "b": "Two.", "c": "Three."})
    inputs = list(find_inputs([tales / "fox.md", table]))
    assert inputs[1] == Input("a", str(table), hash_bytes(b"One."), 4)
    found = [(text.input.id, text.content, text.problem) for text in open_texts([*inputs[:1], *inputs[2:]])]
    assert found == [(f"{tales}/fox.md", b"A tale: fox.md.", ""), ("b", "Two.", ""), ("c", "Three.", "")]


def test_texts_that_are_gone_or_changed_have_a_problem(tales, tmp_path):
    table = write_table(tmp_path / "t.jsonl", {"a": "One.", "b": "Two."})
    inputs = list(find_inputs([tales, table]))
    (tales / "a" / "wolf.txt").unlink()
    (tales / "fox.md").write_text("Else.", encoding="utf-8")
    write_table(table, {"a": "One."})
    problems = {text.input.id: text.problem for text in open_texts(inputs)}
    assert [bool(problem) for problem in problems.values()] == [True, False, True, False, True]
    assert "no such file" in problems[f"{tales}/a/wolf.txt"]
    assert "has changed" in problems[f"{tales}/fox.md"]


@pytest.mark.parametrize(
    ("paths", "problem"),
    [
        (["*/bear.txt"], "no file matches"),
        (["nowhere.txt"], "cannot be read"),
        (["nowhere.csv"], "cannot be read"),
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
        assert [each.id for each in find_inputs([given])] == [novel.as_posix()]
    known = {each.id: each for each in find_inputs([tales])}
    assert known[novel.as_posix()].sha256 == hash_bytes(read_bytes(novel))
    text = novel / "Files" / "Data" / "01-AB" / "content.rtf"
    text.write_text(text.read_text().replace("snowed", "hailed"))
    assert next(iter(find_inputs([novel], known=known))).sha256 != known[novel.as_posix()].sha256


def test_files_that_have_not_changed_are_not_hashed_again(tales):
    known = {each.id: each for each in find_inputs([tales])}
    path = tales / "fox.md"
    state = path.stat()
    path.write_text("A tale: xxx.md.", encoding="utf-8")
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert {each.id: each for each in find_inputs([tales], known=known)} == known
    os.utime(path)
    assert {each.id: each for each in find_inputs([tales], known=known)} != known


def test_a_file_that_cannot_be_read_fails_when_it_is_scored(tales):
    (tales / "fox.md").unlink()
    (tales / "fox.md").symlink_to(tales / "gone.md")
    [found] = find_inputs([tales / "fox.md"])
    assert found.sha256 == UNREADABLE
    assert "no such file" in next(open_texts([found])).problem


def write(path, columns=("id", "text")):
    if path.suffix == ".jsonl":
        lines = [json.dumps(dict(zip(columns, row, strict=True))) for row in ROWS]
        path.write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    elif path.suffix == ".parquet":
        import pandas as pd

        pd.DataFrame(ROWS, columns=list(columns)).to_parquet(path)
    else:
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",")
            writer.writerows([columns, *ROWS])
    return path


@pytest.mark.parametrize("suffix", ["tsv", "csv", "jsonl", "parquet"])
def test_every_kind_of_table_gives_the_same_rows(tmp_path, suffix):
    assert list(read_rows(write(tmp_path / f"t.{suffix}"))) == ROWS
    named = write(tmp_path / f"u.{suffix}", ("Name", "story"))
    assert list(read_rows(named, ("Name", "story"))) == ROWS
    with pytest.raises(ReadingError, match="name the columns"):
        list(read_rows(named))


def test_ids_may_be_numbers_and_texts_null(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"id": 7, "text": "A."}\n{"id": "b", "text": null}\n', encoding="utf-8")
    assert list(read_rows(path)) == [("7", "A."), ("b", "")]


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("t.jsonl", '{"id": "a"}', r"line 2: it has no 'text'; there are: id"),
        ("t.jsonl", '{"id": null, "text": "b"}', r"line 2: it has no 'id'"),
        ("t.jsonl", '{"id": "a", "text": ["b"]}', "line 2: .* 'text'"),
        ("t.csv", "id,text\na,The wolf, who came\n", "line 3: it has 3 cells under a header of 2"),
        ("t.csv", "\xff\x00 nothing", "not a header"),
        ("t.parquet", "nothing", "cannot be read"),
    ],
)
def test_one_bad_row_rejects_a_table(tmp_path, name, content, problem):
    path = tmp_path / name
    path.write_text("\n" + content + "\n", encoding="utf-8")
    with pytest.raises(ReadingError, match=problem):
        list(read_rows(path))


def test_a_table_that_is_not_utf_8_is_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("id,text\na,Märchen".encode("cp1252"))
    with pytest.raises(ReadingError, match="not UTF-8"):
        list(read_rows(path))
