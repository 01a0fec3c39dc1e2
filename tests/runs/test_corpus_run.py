"""Runs in this process; test_pool.py has other processes, test_kills.py those that are killed."""

from __future__ import annotations

import errno
import os
from dataclasses import replace

import pytest

from barthes.errors import ModelError, OutputError, ReadingError
from barthes.runs.corpus_run import parse_shard
from barthes.runs.process_pool import ProcessPool
from barthes.runs.results import RunResults
from tests.runs.counting_runs import (
    SETTINGS,
    TALE,
    TEXTS,
    InlinePool,
    export,
    load,
    load_nothing,
    write_table,
)


@pytest.fixture
def tales(tmp_path):
    folder = tmp_path / "tales"
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.txt").write_text(TALE, encoding="utf-8")
    return folder


def counts(progress):
    return progress.total, progress.done, progress.failed, progress.scored


def test_each_text_is_scored_once(run, tmp_path):
    reported = []
    assert counts(run(progress=reported.append)) == (12, 12, 0, 12)
    assert [each.done for each in reported] == list(range(1, 13))
    assert reported[-1].tokens > 100
    assert counts(run(loading=load_nothing)) == (12, 12, 0, 0)  # needs no model
    assert len([path for path in (tmp_path / "run" / "results").rglob("*") if path.is_file()]) == 12


def test_processes_shards_and_interruptions_change_nothing(run, tmp_path):
    run("one")
    expected = export(tmp_path / "one")
    run("two", pool=ProcessPool(SETTINGS, workers=2, load=load))
    assert export(tmp_path / "two") == expected
    for i in (3, 1, 2):
        assert counts(run("shards", shard=f"{i}/3")) == (4, 4, 0, 4)
    assert export(tmp_path / "shards") == expected

    def interrupt(progress):
        raise KeyboardInterrupt

    for done in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            run("stopped", progress=interrupt)
        assert len(RunResults(tmp_path / "stopped").outcomes) == done
    assert counts(run("stopped")) == (12, 12, 0, 10)
    assert export(tmp_path / "stopped") == expected


def test_other_settings_are_refused_and_nothing_is_changed(run, tmp_path):
    run(shard="1/2")
    before = {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()}
    for changes, problem in (
        ({"window": 40}, "window: none then, 40 now"),
        ({"methods": ("sd",)}, r"methods: sd, sd\+tfidf then, sd now"),
    ):
        with pytest.raises(OutputError, match=problem):
            run(settings=replace(SETTINGS, **changes))
    assert {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()} == before


def test_an_error_names_what_changed(run, monkeypatch):
    run(shard="1/2")
    model = "barthes.models.counting.CountingModel"
    with monkeypatch.context() as patch:
        patch.setattr(f"{model}.precision", "float32")
        with pytest.raises(OutputError, match=r": precision: float64 then, float32 now\."):
            run()
    monkeypatch.setattr(f"{model}.fingerprint", "5c1d")
    with pytest.raises(OutputError, match=r": the model's weights: \w+… then, 5c1d now\."):
        run()


def test_texts_may_be_added_and_changed_but_not_missing(run, table, tmp_path):
    run()
    write_table(table, TEXTS[:-1])
    with pytest.raises(OutputError, match=r"1 missing text \(t11\)"):
        run()
    changed = {"new": TALE, "t0": "The girl came."} | {f"t{i}": text for i, text in enumerate(TEXTS) if i}
    write_table(table, changed)
    assert counts(run()) == (13, 13, 0, 2)
    run("fresh")
    assert export(tmp_path / "run") == export(tmp_path / "fresh")


def test_failures_are_recorded_and_do_not_stop_the_run(run, tales, tmp_path):
    (tales / "b.txt").write_bytes(b"%PDF-1.4 no")
    (tales / "lost.txt").symlink_to(tales / "gone")
    assert counts(run(paths=[tales])) == (4, 2, 2, 4)
    names = [f"{tales}/b.txt", f"{tales}/lost.txt"]
    assert list(RunResults(tmp_path / "run").failures) == names
    assert counts(run(paths=[tales])) == (4, 2, 2, 0)
    assert counts(run(paths=[tales], retry_failed=True)) == (4, 2, 2, 2)
    (tales / "gone").write_text(TALE, encoding="utf-8")
    (tales / "b.txt").write_text(TALE, encoding="utf-8")
    assert counts(run(paths=[tales])) == (4, 4, 0, 2)  # corrected texts are other texts
    run("fresh", paths=[tales])
    assert export(tmp_path / "run") == export(tmp_path / "fresh")


def test_a_text_that_changes_while_it_waits_fails(run, tales, tmp_path):
    def change(progress):
        (tales / "c.txt").write_text("The girl came.", encoding="utf-8")

    assert counts(run(paths=[tales], progress=change)) == (3, 2, 1, 3)
    assert "has changed" in RunResults(tmp_path / "run").failures[f"{tales}/c.txt"]
    assert counts(run(paths=[tales])) == (3, 3, 0, 1)


def test_texts_with_notes_are_listed(run, tmp_path):
    folder = tmp_path / "noted"
    folder.mkdir()
    (folder / "a.txt").write_text(TALE, encoding="utf-8")
    (folder / "b.txt").write_bytes((TALE + "Ein Märchen.\n").encode("cp1252"))
    run(paths=[folder])
    assert RunResults(tmp_path / "run").list_ids("noted") == [f"{folder}/b.txt"]


def test_the_model_is_loaded_only_if_needed(run):
    run("positions", settings=replace(SETTINGS, methods=("position",)), loading=load_nothing)
    with pytest.raises(ModelError, match="no model here"):
        run("other", loading=load_nothing)


def test_after_a_full_disk_the_run_continues(run, tmp_path, monkeypatch):
    flush, calls = os.fsync, []

    def full(handle):
        calls.append(handle)
        if len(calls) > 6:
            raise OSError(errno.ENOSPC, "No space left on device")
        flush(handle)

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(OutputError, match="No space left"):
            run()
    assert not list((tmp_path / "run").rglob(".*"))
    assert 0 < run().scored < 12
    run("whole")
    assert export(tmp_path / "run") == export(tmp_path / "whole")


def test_a_start_with_other_settings_meanwhile_is_reported(run, tmp_path):
    def meanwhile(progress):
        if progress.scored == 1:
            (tmp_path / "run" / "manifest.jsonl").unlink()
            run(settings=replace(SETTINGS, window=40))

    with pytest.raises(OutputError, match="window: 40 then, none now"):
        run(progress=meanwhile)


def test_workers_are_stopped_even_after_an_error(run, tmp_path):
    class Closing(InlinePool):
        def close(self):
            closed.append(self)

    closed = []
    with pytest.raises(ReadingError):
        run(paths=[tmp_path / "nowhere"], pool=Closing())
    with pytest.raises(ModelError):
        run(pool=Closing(load=load_nothing))
    assert len(closed) == 1  # workers that were never started need no stop


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "a/b", "-1/2", "1/2/3"])
def test_an_invalid_shard_is_refused(text):
    with pytest.raises(ReadingError, match="invalid shard"):
        parse_shard(text)
