"""Runs in this process; test_kills.py has those that are killed."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path

import pytest

from barthes.errors import ModelError, OutputError
from barthes.runs.run_settings import Shard
from barthes.runs.scheduler import RunProgress
from tests.runs.counting_runs import SETTINGS, TALE, export, load, load_nothing, write_table

TEXTS = [TALE * (1 + i % 4) for i in range(20)]


@pytest.fixture
def tales(tmp_path):
    folder = tmp_path / "tales"
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.txt").write_text(TALE, encoding="utf-8")
    return folder


def _interrupt(setup, devices):
    raise KeyboardInterrupt


def test_each_text_is_scored_once(run):
    reported = []
    assert run(progress=reported.append).scored == 20
    assert reported[-1] == RunProgress(20, 20, 0)
    again = run()
    assert (again.scored, again.progress) == (0, RunProgress(20, 20, 0))


def test_workers_shards_cache_and_parts_change_nothing(run, tmp_path):
    run("one", cache=False)
    expected = export(tmp_path / "one")
    run("two", workers=2)
    assert export(tmp_path / "two") == expected
    for i in (3, 1, 2):
        run("cached shards", shard=Shard(i, 3))
    assert export(tmp_path / "cached shards") == expected
    small = replace(SETTINGS, window=40)
    run("whole", settings=small, cache=False)
    run("parts", settings=replace(small, part_tokens=50), workers=2, cache=False)
    assert export(tmp_path / "parts") == export(tmp_path / "whole") != expected


def test_a_shard_scores_its_share(run, status):
    assert run(shard=Shard(2, 3)).progress == RunProgress(7, 7, 0)
    assert status().count_left() == {Shard(1, 3): 7, Shard(3, 3): 6}
    assert run(shard=Shard(3, 3)).progress == RunProgress(6, 6, 0)
    assert run().scored == 7
    assert status().count_left() == {}


def test_other_settings_are_refused_and_nothing_is_changed(run, tmp_path):
    run()
    before = {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()}
    with pytest.raises(OutputError, match="the window: none then, 40 now"):
        run(settings=replace(SETTINGS, window=40))
    with pytest.raises(OutputError, match="the methods: sd, sd\\+tfidf then, sd now"):
        run(settings=replace(SETTINGS, methods=("sd",)))
    assert {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()} == before


def test_texts_may_be_added_but_not_changed(run, table, tmp_path):
    run()
    write_table(table, ["The girl came.", *TEXTS[1:]])
    with pytest.raises(OutputError, match=r"1 changed text \(t0\)"):
        run()
    write_table(table, TEXTS[:-1])
    with pytest.raises(OutputError, match=r"1 missing text \(t19\)"):
        run()
    write_table(table, {"new": TALE} | {f"t{i}": text for i, text in enumerate(TEXTS)})
    assert run().scored == 1
    run("fresh")
    assert export(tmp_path / "run") == export(tmp_path / "fresh")


def test_failures_are_recorded_and_do_not_stop_the_run(run, tales, status):
    (tales / "b.txt").write_bytes(b"%PDF-1.4 no")
    (tales / "lost.txt").symlink_to(tales / "gone.txt")
    found = run(paths=[tales])
    assert found.progress == RunProgress(4, 2, 2)
    assert list(found.failures) == ["b.txt", "lost.txt"]
    assert run(paths=[tales]).progress == RunProgress(4, 2, 2)
    (tales / "gone.txt").write_text(TALE, encoding="utf-8")
    (tales / "a.txt").write_text("Else.", encoding="utf-8")
    with pytest.raises(OutputError, match="1 changed text"):
        run(paths=[tales], retry_failed=True)
    (tales / "a.txt").write_text(TALE, encoding="utf-8")
    found = run(paths=[tales], retry_failed=True)
    assert (found.progress.failed, found.scored) == (1, 2)  # gone.txt exists now, and lost.txt leads to it
    assert status().failures.keys() == {"b.txt"}


def test_a_failed_text_may_be_corrected(run, tales, tmp_path, status):
    (tales / "b.txt").write_text("", encoding="utf-8")
    assert run(paths=[tales]).progress == RunProgress(3, 2, 1)
    (tales / "b.txt").write_text(TALE, encoding="utf-8")
    with pytest.raises(OutputError, match=r"changed text \(b\.txt\)\. .*retry the failed texts"):
        run(paths=[tales])
    with pytest.raises(KeyboardInterrupt):
        run(paths=[tales], retry_failed=True, make_engine=_interrupt)
    assert status().progress == RunProgress(3, 2, 0)  # not done yet, but no longer a failure
    (tales / "b.txt").write_text(TALE * 2, encoding="utf-8")  # corrected again
    found = run(paths=[tales], retry_failed=True)
    assert (found.progress, found.scored) == (RunProgress(3, 3, 0), 1)
    again = run(paths=[tales])
    assert (again.progress, again.scored) == (RunProgress(3, 3, 0), 0)
    run("fresh", paths=[tales])
    assert export(tmp_path / "run") == export(tmp_path / "fresh")
    (tales / "b.txt").write_text("Else.", encoding="utf-8")
    with pytest.raises(OutputError, match=r"changed text \(b\.txt\)"):
        run(paths=[tales], retry_failed=True)


def test_a_text_that_is_not_scored_yet_must_not_change(run, tmp_path):
    table = write_table(tmp_path / "two.jsonl", {"bad": "", "late": TALE})
    assert run(paths=[table], shard=Shard(1, 2)).progress == RunProgress(1, 0, 1)
    write_table(table, {"bad": TALE, "late": TALE * 2})
    with pytest.raises(OutputError, match=r"1 changed text \(late\)"):
        run(paths=[table], retry_failed=True)
    write_table(table, {"bad": TALE, "late": TALE})
    assert run(paths=[table], retry_failed=True).progress == RunProgress(2, 2, 0)


def test_texts_with_notes_are_listed(run, tmp_path, status):
    folder = tmp_path / "noted"
    folder.mkdir()
    (folder / "a.txt").write_text(TALE + 'He wrote "notes":["none"].\n', encoding="utf-8")
    (folder / "b.txt").write_bytes((TALE + "Ein Märchen.\n").encode("cp1252"))
    assert run(paths=[folder]).noted == ["b.txt"]
    assert run(paths=[folder]).noted == status().noted == ["b.txt"]


def test_damaged_results_are_computed_again(run, tmp_path, status, write_at_once):
    run(cache=False)
    expected = export(tmp_path / "run")
    path = min((tmp_path / "run" / "results").iterdir())
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    assert (len(status().index.damaged), status().progress.done) == (1, 19)
    found = run(cache=False)
    assert (found.damaged, found.scored) == (1, 1)
    assert run(cache=False).damaged == 0
    assert export(tmp_path / "run") == expected


def test_a_result_of_another_version_of_a_text_does_not_count(run, tmp_path, table):
    run()
    (tmp_path / "run" / "manifest.jsonl").unlink()
    write_table(table, ["The girl came.\nThe king ran.", *TEXTS[1:]])
    assert run().scored == 1


def test_only_one_process_works_on_a_run(run, tmp_path):
    from filelock import FileLock

    (tmp_path / "run").mkdir()
    with FileLock(tmp_path / "run" / ".1-of-1.lock"), pytest.raises(OutputError, match="another process"):
        run()


def test_the_model_is_loaded_once_and_only_if_needed(run):
    loaded = []

    def loading(device):
        loaded.append(device)
        return load(device)

    run(loading=loading)
    assert loaded == ["cpu"]
    run("positions", settings=replace(SETTINGS, methods=("position",)), loading=load_nothing)
    with pytest.raises(ModelError):
        run("other", loading=load_nothing)


def test_after_a_full_disk_the_run_continues(run, tmp_path, monkeypatch, write_at_once):
    flush, calls = os.fsync, []

    def full(handle):
        calls.append(handle)
        if len(calls) > 6:
            raise OSError(errno.ENOSPC, "No space left on device")
        flush(handle)

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(OutputError, match="No space left"):
            run(cache=False)
    assert 0 < run(cache=False).scored < 20
    run("whole", cache=False)
    assert export(tmp_path / "run") == export(tmp_path / "whole")


def test_a_folder_that_cannot_be_created_is_reported(run, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError):
        run(Path("file") / "run")


def test_the_failure_of_an_unreadable_text_ends_when_it_is_readable(run, tales, tmp_path, status):
    (tales / "a.txt").unlink()
    (tales / "a.txt").symlink_to(tmp_path / "gone.txt")
    assert run(paths=[tales]).progress == RunProgress(3, 2, 1)
    (tmp_path / "gone.txt").write_text(TALE, encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        run(paths=[tales], make_engine=_interrupt)
    assert status().progress == RunProgress(3, 2, 0)
