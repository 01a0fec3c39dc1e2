from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace

import pandas as pd
import pytest

import barthes
from barthes.errors import ReadingError
from barthes.runs.results import EXPORT_FORMATS, RunResults, export_run, load_run
from tests.runs.counting_runs import SETTINGS, TALE, TEXTS, export, load, write_table


@pytest.fixture
def finished(run, tmp_path):
    """Return the folder of a run of two texts, with a third that failed."""
    run(paths=[write_table(tmp_path / "t.jsonl", {"b": TALE, "bad": " ", "a": TALE + "Wet.\n"})])
    return tmp_path / "run"


def test_exports_are_those_of_score(finished):
    stories = {"b": TALE, "a": TALE + "Wet.\n"}
    expected = [
        barthes.score(
            barthes.read_text(text, sentences=True, title=name), method=method, model=load(None, "cpu")
        )
        for name, text in stories.items()
        for method in SETTINGS.methods
    ]
    lines = export(finished, "jsonl").decode().splitlines()
    assert list(map(json.loads, lines)) == [profile.to_dict() for profile in expected]
    rows = list(csv.DictReader(io.StringIO(export(finished).decode())))
    units = [unit for profile in expected for unit in profile.to_dict()["sentences"]]
    assert [row["text"] for row in rows] == [unit["text"] for unit in units]
    table = pd.read_parquet(io.BytesIO(export(finished, "parquet")))
    frame = load_run(finished)
    for name, values in frame.items():  # of other types for missing values
        assert table[name].dropna().tolist() == values.dropna().tolist()
    assert [float(row["salience"]) for row in rows] == frame["salience"].round(5).tolist()
    assert [int(row["number"]) for row in rows] == (frame["index"] + 1).tolist()


def test_events_are_exported_with_their_roles(run, tmp_path):
    run(settings=replace(SETTINGS, methods=("va",), unit="event"))
    _, row, *_ = csv.DictReader(io.StringIO(export(tmp_path / "run").decode()))
    assert (row["trigger"], row["arg0"], row["arg1"]) == ("ate", "The wolf", "a sheep")
    assert int(row["sentence"]) == load_run(tmp_path / "run")["sentence"][1] + 1


def test_line_breaks_become_spaces_in_csv_only(run, tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("A wolf\ncame. It rained.", encoding="utf-8")
    run(paths=[path], settings=replace(SETTINGS, methods=("length",), sentences=False))
    assert b"A wolf came." in export(tmp_path / "run")
    assert load_run(tmp_path / "run")["text"][0] == "A wolf\ncame."


def test_what_became_of_texts(finished):
    results = RunResults(finished)
    assert results.outcomes == {"b": "done", "bad": "failed", "a": "done"}
    assert results.list_ids("done", "noted") == ["b", "a"]
    assert "nothing in it" in results.failures["bad"]
    assert math.isfinite(sum(load_run(finished)["salience"]))


def test_exports_are_written_atomically(finished, tmp_path, monkeypatch):
    out = tmp_path / "scores.csv"
    export_run(RunResults(finished), out, format="csv")
    before = out.read_bytes()
    assert before == export(finished)

    def fail(results, stream):
        stream.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setitem(EXPORT_FORMATS, "csv", fail)
    with pytest.raises(KeyboardInterrupt):
        export_run(RunResults(finished), out, format="csv")
    assert out.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"id": "a", "profiles": [{}], "reason": ""}'])
def test_a_damaged_result_is_reported_and_can_be_computed_again(run, tmp_path, content):
    run()
    expected = export(tmp_path / "run")
    path = min(path for path in (tmp_path / "run" / "results").rglob("*") if path.is_file())
    path.write_bytes(content)
    with pytest.raises(ReadingError, match="Delete"):
        export(tmp_path / "run")
    path.unlink()
    assert run().scored == 1
    assert export(tmp_path / "run") == expected


def test_a_result_does_not_count_for_another_text_or_other_settings(run, tmp_path, table):
    run()
    (tmp_path / "run" / "manifest.jsonl").unlink()
    write_table(table, ["The girl came.\nThe king ran.", *TEXTS[1:]])
    assert run().scored == 1
    (tmp_path / "run" / "manifest.jsonl").unlink()
    assert run(settings=replace(SETTINGS, window=40)).scored == 12


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(ReadingError, match="no run in this folder"):
        load_run(tmp_path)
