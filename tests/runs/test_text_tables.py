from __future__ import annotations

import json

import pytest

from barthes.errors import ReadingError
from barthes.runs.text_tables import Columns, read_rows

ROWS = [("a", "A wolf,\ncame."), ("2", 'She said: "No".\tThen went.'), ("ü", "x" * 200_000)]


def write(path, columns=("id", "text")):
    import csv

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
def test_every_format_gives_the_same_rows(tmp_path, suffix):
    assert list(read_rows(write(tmp_path / f"t.{suffix}"))) == ROWS
    named = write(tmp_path / f"u.{suffix}", ("name", "story"))
    assert list(read_rows(named, Columns("name", "story"))) == ROWS


@pytest.mark.parametrize("suffix", ["tsv", "csv", "parquet"])
def test_a_missing_column_is_reported_with_the_existing_ones(tmp_path, suffix):
    with pytest.raises(ReadingError, match=r"no column 'name'; there are: id, text.*name the columns"):
        list(read_rows(write(tmp_path / f"t.{suffix}"), Columns("name")))


def test_numbers_can_be_ids(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"id": 7, "text": "A."}\n', encoding="utf-8")
    assert list(read_rows(path)) == [("7", "A.")]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('{"id": "a"}', r"line 2 has no 'text'; there are: id\. .*name the columns"),
        ('{"name": "a", "text": "b"}', r"line 2 has no 'id'; there are: name, text\. .*name the columns"),
        ('{"id": "a", "text": ["b"]}', "line 2 has a 'text' that is not text"),
        ("[1]", "line 2 is not a JSON object"),
        ("{", r"line 2 is not JSON \(Expecting property name enclosed in double quotes, column 2\)"),
        ("[" * 100_000, r"line 2 is not JSON \(too large or nested too deep\)"),
    ],
)
def test_invalid_rows_are_reported(tmp_path, content, problem):
    path = tmp_path / "t.jsonl"
    path.write_text("\n" + content + "\n", encoding="utf-8")
    with pytest.raises(ReadingError, match=problem):
        list(read_rows(path))


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_a_file_that_is_not_a_table_is_refused(tmp_path, suffix):
    path = tmp_path / f"t.{suffix}"
    path.write_bytes(b"\xff\xfe\x00 nothing")
    with pytest.raises(ReadingError):
        list(read_rows(path))


def test_a_missing_table_is_refused(tmp_path):
    with pytest.raises(ReadingError, match="cannot be read"):
        list(read_rows(tmp_path / "t.csv"))


def test_a_text_may_be_null_but_an_id_may_not(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"id": "a", "text": null}\n{"id": "b", "text": "B."}\n', encoding="utf-8")
    assert list(read_rows(path)) == [("a", ""), ("b", "B.")]
    path.write_text('{"id": null, "text": "A."}\n', encoding="utf-8")
    with pytest.raises(ReadingError, match="line 1 has no 'id'"):
        list(read_rows(path))
    short = tmp_path / "t.csv"
    short.write_text("id,text\na\nb,B.\n", encoding="utf-8")
    assert list(read_rows(short)) == [("a", ""), ("b", "B.")]
