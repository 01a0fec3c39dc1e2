from __future__ import annotations

import csv
import json
import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pandas as pd
import pytest

import barthes
from barthes.errors import OutputError, ReadingError
from barthes.report.tables import to_plain
from barthes.runs.corpus_run import run_corpus
from barthes.runs.result_files import Record, ResultFiles
from barthes.runs.run_results import RunResults, export_run, load_run
from barthes.runs.storage import open_storage
from tests.runs.counting_runs import SETTINGS, TALE, load, write_table

UNCERTAINTY = ["low", "high", "stability"]


@pytest.fixture
def score(tmp_path):
    def run(texts, **changes):
        table = write_table(tmp_path / "t.jsonl", texts)
        run_corpus([table], tmp_path / "run", replace(SETTINGS, **changes), workers=1, load=load)
        return tmp_path / "run"

    return run


@pytest.fixture
def run(score):
    return score({"b": TALE, "a": TALE * 2, "bad": " "})


def test_load_run_has_the_order_of_the_texts(run):
    frame = load_run(run)
    assert list(frame.columns) == RunResults(run).columns
    assert list(dict.fromkeys(frame["story"])) == ["b", "a"]
    assert len(frame) == 2 * (5 + 10)
    story = barthes.read_text(TALE, sentences=True)
    expected = barthes.SentenceDeletion(load("cpu")).score(story).to_frame()
    mine = frame[(frame["story"] == "b") & (frame["method"] == "sd")]
    for name in ("salience", "rank", "start", "text", *UNCERTAINTY):
        pd.testing.assert_series_equal(mine[name].reset_index(drop=True), expected[name], check_dtype=False)
    assert barthes.load_run(str(run)).equals(frame)


def test_all_formats_have_the_same_content(run, tmp_path):
    results = RunResults(run)
    for name in ("csv", "jsonl", "parquet"):
        export_run(results, tmp_path / f"x.{name}", format=name)
    frame = load_run(run)
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "x.parquet"), frame, check_dtype=False)
    with (tmp_path / "x.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    lines = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text(encoding="utf-8").splitlines()]
    sentences = [row for line in lines for row in line["sentences"]]
    for name in ("salience", *UNCERTAINTY):
        known = [None if math.isnan(figure) else figure for figure in frame[name]]
        assert [float(row[name]) if row[name] else None for row in rows] == known
        assert [row[name] for row in sentences] == known
    assert [row["text"] for row in rows] == frame["text"].tolist()
    story = barthes.read_text(TALE, sentences=True, title="b")
    assert lines[0] == to_plain(barthes.SentenceDeletion(load("cpu")).score(story))


def test_scores_without_uncertainty_have_empty_columns(score, tmp_path):
    run = score({"a": TALE}, methods=("position",))
    export_run(RunResults(run), tmp_path / "x.parquet", format="parquet")
    for frame in (load_run(run), pd.read_parquet(tmp_path / "x.parquet")):
        assert frame[UNCERTAINTY].isna().all(axis=None)


def test_events_are_rows(score):
    frame = load_run(score({"a": TALE}, methods=("paa",), unit="event"))
    story = barthes.read_text(TALE, sentences=True)
    profile = barthes.EventSalience(load("cpu"), method="paa").score(story)
    for name in ("trigger", "arg0", "arg1", "salience", "rank", "start"):
        assert frame[name].tolist() == profile.to_frame()[name].tolist()


@pytest.mark.parametrize("unit", ["sentence", "event", "paragraph", "scene", "chapter"])
def test_every_unit_is_scored_and_exported(tmp_path, unit):
    book = tmp_path / "book.md"
    parts = [
        f"## {k}\n\nA wolf came. The wolf ate a sheep.\n\nIt rained {k} times.\n\n***\n\nThe girl ran."
        for k in "abc"
    ]
    book.write_text("# Wolves\n\n" + "\n\n".join(parts), encoding="utf-8")
    settings = replace(SETTINGS, methods=("sd",), unit=unit, sentences=False)
    run_corpus([book], tmp_path / "run", settings, workers=1, load=load)
    frame = load_run(tmp_path / "run")
    expected = barthes.score(barthes.read(book), method="sd", unit=unit, model=load("cpu")).to_frame()
    assert len(frame) == {"sentence": 12, "event": 12, "paragraph": 9, "scene": 6, "chapter": 3}[unit]
    for name in ("start", "end", "salience", "rank", "text"):
        pd.testing.assert_series_equal(frame[name], expected[name], check_dtype=False)
    for ending in ("csv", "jsonl", "parquet"):
        export_run(RunResults(tmp_path / "run"), tmp_path / f"x.{ending}", format=ending)
    assert pd.read_csv(tmp_path / "x.csv")["salience"].tolist() == frame["salience"].tolist()


def test_a_folder_without_a_run_is_reported(tmp_path):
    with pytest.raises(ReadingError, match="no run in this folder"):
        load_run(tmp_path)


def test_a_failed_export_leaves_no_file(run, tmp_path):
    with pytest.raises(OutputError, match="cannot be written"):
        export_run(RunResults(run), tmp_path / "nowhere" / "x.csv", format="csv")
    results = RunResults(run)
    _ = results.index
    for path in (run / "results").iterdir():
        path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(ReadingError, match="has changed while it was read"):
        export_run(results, tmp_path / "x.csv", format="csv")
    assert not list(tmp_path.glob("*x.csv*"))


def test_an_export_to_a_named_pipe(run, tmp_path):
    export_run(RunResults(run), tmp_path / "x.csv", format="csv")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(pipe.read_bytes)
        export_run(RunResults(run), pipe, format="csv")
        assert found.result(timeout=10) == (tmp_path / "x.csv").read_bytes()
    assert pipe.is_fifo()


ABOUT = {"story": "b", "unit": "sentence", "method": "sd", "model": "m", "precision": "p", "window": None}


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"profiles": 1},
        {"profiles": [1]},
        {"profiles": [{"method": "sd"}]},
        {"profiles": [ABOUT | {"notes": []}]},
        {"profiles": [ABOUT | {"notes": [], "sentences": [{"index": 0}]}]},
        {"profiles": [ABOUT | {"notes": [], "sentences": [{"text": ["x"]}]}]},
    ],
)
def test_a_foreign_result_is_reported(run, tmp_path, content):
    [first, *_] = RunResults(run).manifest.inputs
    files = ResultFiles(open_storage(run / "results"))
    files.add(Record("done", *first.key, content))
    files.flush()
    with pytest.raises(ReadingError, match="'b' was not written by Barthes"):
        export_run(RunResults(run), tmp_path / "x.csv", format="csv")
