from __future__ import annotations

import csv
import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pandas as pd
import pytest

import barthes
from barthes.errors import OutputError, ReadingError
from barthes.report.tables import to_plain
from barthes.runs.export import export_run
from barthes.runs.records import format_record
from barthes.runs.results import RunResults, load_run
from barthes.runs.run import run_corpus
from tests.runs.counting import SETTINGS, TALE, load, write_table


@pytest.fixture
def run(tmp_path):
    table = write_table(tmp_path / "t.jsonl", {"b": TALE, "a": TALE * 2, "bad": " "})
    run_corpus([table], tmp_path / "run", SETTINGS, workers=1, load=load)
    return tmp_path / "run"


def test_one_table_in_the_order_of_the_texts(run):
    frame = load_run(run)
    assert list(frame.columns) == RunResults(run).columns
    assert list(dict.fromkeys(frame["story"])) == ["b", "a"]
    assert len(frame) == 2 * (5 + 10)
    story = barthes.read_text(TALE, sentences=True)
    expected = barthes.SentenceDeletion(load("cpu")).score(story)
    mine = frame[(frame["story"] == "b") & (frame["method"] == "sd")]
    assert tuple(mine["salience"]) == expected.scores
    assert tuple(mine["rank"]) == expected.ranks
    assert barthes.load_run(str(run)).equals(frame)


def test_every_format_says_the_same(run, tmp_path):
    results = RunResults(run)
    for name in ("csv", "jsonl", "parquet"):
        export_run(results, tmp_path / f"x.{name}", format=name)
    frame = load_run(run)
    from_parquet = pd.read_parquet(tmp_path / "x.parquet")
    assert list(from_parquet.columns) == list(frame.columns)
    assert from_parquet["salience"].tolist() == frame["salience"].tolist()
    with (tmp_path / "x.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["salience"]) for row in rows] == frame["salience"].tolist()
    assert [row["text"] for row in rows] == frame["text"].tolist()
    lines = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["salience"] for line in lines for row in line["sentences"]] == frame["salience"].tolist()
    story = barthes.read_text(TALE, sentences=True, title="b")
    expected = replace(barthes.SentenceDeletion(load("cpu")).score(story), stability=None)
    unknown = {"low": None, "high": None, "stability": None}  # a run keeps scores only
    found = lines[0] | {"sentences": [row | unknown for row in lines[0]["sentences"]]}
    assert found == to_plain(expected)
    assert not unknown.keys() & lines[0]["sentences"][0].keys()


def test_events_are_rows_too(tmp_path):
    table = write_table(tmp_path / "t.jsonl", {"a": TALE})
    settings = replace(SETTINGS, methods=("paa",), unit="event")
    run_corpus([table], tmp_path / "run", settings, workers=1, load=load)
    story = barthes.read_text(TALE, sentences=True)
    profile = barthes.EventSalience(load("cpu"), method="paa").score(story)
    frame = load_run(tmp_path / "run")
    for name in ("trigger", "arg0", "arg1", "salience", "rank", "start"):
        assert frame[name].tolist() == [scored.to_row()[name] for scored in profile.scored]


def test_what_is_no_run_is_told(tmp_path):
    with pytest.raises(ReadingError, match="no run in this folder"):
        load_run(tmp_path)


def test_an_export_that_cannot_be_written_leaves_nothing(run, tmp_path):
    with pytest.raises(OutputError, match="cannot be written"):
        export_run(RunResults(run), tmp_path / "nowhere" / "x.csv", format="csv")
    results = RunResults(run)
    _ = results.index
    for path in (run / "results").iterdir():
        path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(ReadingError, match="has changed while it was read"):
        export_run(results, tmp_path / "x.csv", format="csv")
    assert not list(tmp_path.glob("*x.csv*"))


def test_a_named_pipe_gets_the_export_and_stays(run, tmp_path):
    export_run(RunResults(run), tmp_path / "x.csv", format="csv")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(pipe.read_bytes)
        export_run(RunResults(run), pipe, format="csv")
        assert found.result(timeout=10) == (tmp_path / "x.csv").read_bytes()
    assert pipe.is_fifo()


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"profiles": 1},
        {"profiles": [1]},
        {"profiles": [{"method": "sd"}]},
        {
            "profiles": [
                {"method": "sd", "model": "m", "precision": "p", "window": None, "notes": [], "scores": [1.0]}
            ],
            "spans": [[0, 1]],
            "texts": [["x"]],
        },
    ],
)
def test_a_result_by_somebody_else_is_told(run, tmp_path, content):
    [first, *_] = RunResults(run).manifest.inputs
    line = format_record("done", first.id, first.sha256, content)
    (run / "results" / "1-of-1.000999.records").write_bytes(line)
    with pytest.raises(ReadingError, match="'b' is not one that Barthes has written"):
        export_run(RunResults(run), tmp_path / "x.csv", format="csv")
