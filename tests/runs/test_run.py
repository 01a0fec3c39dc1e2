"""Whole runs in this process; those that are killed are in test_kills.py."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path

import pytest

from barthes.errors import ModelError, OutputError, ReadingError
from barthes.runs.course import Course
from barthes.runs.export import export_run
from barthes.runs.local import InlineEngine
from barthes.runs.results import RunResults
from barthes.runs.run import run_corpus
from barthes.runs.shard import Shard
from barthes.runs.status import look_at
from barthes.runs.store import ResultStore
from barthes.runs.work import Summary
from tests.runs.counting import SETTINGS, TALE, load, load_nothing, write_table

TEXTS = [TALE * (1 + i % 4) for i in range(20)]


@pytest.fixture
def table(tmp_path):
    return write_table(tmp_path / "t.jsonl", TEXTS)


@pytest.fixture
def run(tmp_path, table):
    def start(name="run", paths=(table,), settings=SETTINGS, loading=load, workers=1, **options):
        return run_corpus(paths, tmp_path / name, settings, load=loading, workers=workers, **options)

    return start


def export(path):
    out = path.with_suffix(".csv")
    export_run(RunResults(path), out, format="csv")
    return out.read_bytes()


def test_all_texts_are_scored_once(run):
    assert run().scored == 20
    again = run()
    assert (again.scored, again.course) == (0, Course(20, 20, 0))


def test_workers_shards_cache_and_parts_change_nothing(run, tmp_path):
    run("one", cache=False)
    expected = export(tmp_path / "one")
    run("two", workers=2, cache=False)
    assert export(tmp_path / "two") == expected
    for i in (3, 1, 2):
        run("shards", shard=Shard(i, 3))
    assert export(tmp_path / "shards") == expected
    run("cached", workers=2)
    assert export(tmp_path / "cached") == expected
    small = replace(SETTINGS, window=40)
    run("whole", settings=small, cache=False)
    run("parts", settings=replace(small, part_tokens=50), workers=2, cache=False)
    assert export(tmp_path / "parts") == export(tmp_path / "whole") != expected


def test_a_shard_does_its_share(run):
    assert run(shard=Shard(1, 3)).course == Course(7, 7, 0)
    assert run(shard=Shard(3, 3)).course == Course(6, 6, 0)
    assert run().scored == 7


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "a/b", "-1/2", "1/2/3"])
def test_what_is_no_shard_is_refused(text):
    with pytest.raises(ReadingError, match="no shard"):
        Shard.parse(text)


def test_it_goes_on_where_it_was_interrupted(run, tmp_path, monkeypatch):
    class Stop(KeyboardInterrupt):
        pass

    def stop(course):
        if course.done >= 5:
            raise Stop

    monkeypatch.setattr("barthes.runs.work._TOLD", 0.0)
    with pytest.raises(Stop):
        run(watch=stop, cache=False)
    done = look_at(tmp_path / "run").course.done
    assert 5 <= done < 20
    assert run(cache=False).scored == 20 - done
    run("whole", cache=False)
    assert export(tmp_path / "run") == export(tmp_path / "whole")


def test_parts_of_an_interrupted_text_are_not_done_again(run, tmp_path):
    read = []

    class Counted(type(load("cpu"))):
        def read(self, tokens):
            read.append(len(tokens))
            if len(read) == stop_at:
                raise KeyboardInterrupt
            return super().read(tokens)

    def loading(device):
        return Counted([TALE])

    long = write_table(tmp_path / "long.jsonl", {"long": TALE * 10})
    settings = replace(SETTINGS, methods=("sd",), window=40, part_tokens=60)
    stop_at = 10**9
    run("whole", [long], settings, loading, cache=False)
    in_all = len(read)
    read.clear()
    stop_at = in_all // 2
    with pytest.raises(KeyboardInterrupt):
        run("run", [long], settings, loading, cache=False)
    assert look_at(tmp_path / "run").begun == 1
    first = len(read)
    read.clear()
    stop_at = 10**9
    assert run("run", [long], settings, loading, cache=False).scored == 1
    assert first + len(read) <= in_all + 5
    assert export(tmp_path / "run") == export(tmp_path / "whole")


def test_other_settings_are_refused_and_nothing_is_touched(run, tmp_path):
    run()
    before = {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()}
    with pytest.raises(OutputError, match="the window: none then, 40 now"):
        run(settings=replace(SETTINGS, window=40))
    with pytest.raises(OutputError, match="the methods: sd, sd\\+tfidf then, sd now"):
        run(settings=replace(SETTINGS, methods=("sd",)))
    assert {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()} == before


def test_texts_may_be_added_and_not_changed(run, table, tmp_path):
    run()
    write_table(table, ["The girl came.", *TEXTS[1:]])
    with pytest.raises(OutputError, match=r"not what it was \(t0\)"):
        run()
    write_table(table, TEXTS[:-1])
    with pytest.raises(OutputError, match=r"not among those given now \(t19\)"):
        run()
    texts = {"new": TALE} | {f"t{i}": text for i, text in enumerate(TEXTS)}
    write_table(table, texts)
    assert run().scored == 1
    run("fresh")
    assert export(tmp_path / "run") == export(tmp_path / "fresh")


def test_failures_are_recorded_and_stop_nothing(run, tmp_path):
    folder = tmp_path / "tales"
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.txt").write_text(TALE, encoding="utf-8")
    (folder / "b.txt").write_bytes(b"%PDF-1.4 no")
    (folder / "lost.txt").symlink_to(folder / "gone.txt")
    found = run(paths=[folder])
    assert found.course == Course(4, 2, 2)
    assert list(found.failures) == ["b.txt", "lost.txt"]
    assert run(paths=[folder]).course == Course(4, 2, 2)
    (folder / "gone.txt").write_text(TALE, encoding="utf-8")
    (folder / "a.txt").write_text("Else.", encoding="utf-8")
    with pytest.raises(OutputError, match="not what it was"):
        run(paths=[folder], retry_failed=True)
    (folder / "a.txt").write_text(TALE, encoding="utf-8")
    found = run(paths=[folder], retry_failed=True)
    assert (found.course.failed, found.scored) == (1, 2)  # gone.txt is there now, and lost.txt leads to it
    assert look_at(tmp_path / "run").failures.keys() == {"b.txt"}


def test_a_text_that_failed_may_be_mended(run, tmp_path):
    folder = tmp_path / "tales"
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.txt").write_text(TALE, encoding="utf-8")
    (folder / "b.txt").write_text("", encoding="utf-8")
    assert run(paths=[folder]).course == Course(3, 2, 1)
    (folder / "b.txt").write_text(TALE, encoding="utf-8")
    with pytest.raises(OutputError, match=r"not what it was \(b\.txt\)\. .*--retry-failed"):
        run(paths=[folder])
    with pytest.raises(KeyboardInterrupt):
        run(paths=[folder], retry_failed=True, hire=_interrupt)
    assert look_at(tmp_path / "run").course == Course(3, 2, 0)  # not done yet, and no failure any more
    (folder / "b.txt").write_text(TALE * 2, encoding="utf-8")  # mended again
    found = run(paths=[folder], retry_failed=True)
    assert (found.course, found.scored) == (Course(3, 3, 0), 1)
    again = run(paths=[folder])
    assert (again.course, again.scored) == (Course(3, 3, 0), 0)
    run("fresh", paths=[folder])
    assert export(tmp_path / "run") == export(tmp_path / "fresh")
    (folder / "b.txt").write_text("Else.", encoding="utf-8")
    with pytest.raises(OutputError, match=r"not what it was \(b\.txt\)"):
        run(paths=[folder], retry_failed=True)


def test_what_has_not_had_its_turn_must_not_change(run, tmp_path):
    table = write_table(tmp_path / "two.jsonl", {"bad": "", "late": TALE})
    assert run(paths=[table], shard=Shard(1, 2)).course == Course(1, 0, 1)
    write_table(table, {"bad": TALE, "late": TALE * 2})
    with pytest.raises(OutputError, match=r"1 of its texts is not what it was \(late\)"):
        run(paths=[table], retry_failed=True)
    write_table(table, {"bad": TALE, "late": TALE})
    assert run(paths=[table], retry_failed=True).course == Course(2, 2, 0)


def test_texts_with_notes_are_counted(run, tmp_path):
    folder = tmp_path / "tales"
    folder.mkdir()
    (folder / "a.txt").write_text(TALE + 'He wrote "notes":["none"].\n', encoding="utf-8")
    (folder / "b.txt").write_bytes((TALE + "Ein Märchen.\n").encode("cp1252"))
    assert run(paths=[folder]).noted == ["b.txt"]
    assert run(paths=[folder]).noted == look_at(tmp_path / "run").noted == ["b.txt"]


def test_the_status_tells_which_shards_have_texts_left(run, tmp_path):
    run(shard=Shard(2, 3))
    assert look_at(tmp_path / "run").left == {Shard(1, 3): 7, Shard(3, 3): 6}
    run(shard=Shard(1, 3))
    run(shard=Shard(3, 3))
    assert look_at(tmp_path / "run").left == {}
    run("whole", shard=Shard(1, 1))
    assert look_at(tmp_path / "whole").left == {}


def test_damaged_results_are_done_again(run, tmp_path):
    run(cache=False)
    expected = export(tmp_path / "run")
    path = next((tmp_path / "run" / "results").iterdir())
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    assert look_at(tmp_path / "run").damaged >= 1
    found = run(cache=False)
    assert found.damaged >= 1
    assert found.scored >= 1
    assert export(tmp_path / "run") == expected


def test_a_result_of_another_text_does_not_count(run, tmp_path, table):
    run()
    for path in (tmp_path / "run").glob("manifest.json"):
        path.unlink()
    write_table(table, ["The girl came.\nThe king ran.", *TEXTS[1:]])
    assert run().scored == 1


def test_only_one_process_at_a_time(run, tmp_path):
    from filelock import FileLock

    (tmp_path / "run").mkdir()
    with FileLock(tmp_path / "run" / ".1-of-1.lock"), pytest.raises(OutputError, match="another process"):
        run()


def test_the_model_is_loaded_once_in_line_and_never_for_nothing(run):
    loaded = []

    def loading(device):
        loaded.append(device)
        return load(device)

    run(loading=loading)
    assert loaded == ["cpu"]
    run("positions", settings=replace(SETTINGS, methods=("position",)), loading=load_nothing)
    with pytest.raises(ModelError):
        run("other", loading=load_nothing)


def test_a_full_disk_is_told_and_the_run_goes_on_later(run, tmp_path, monkeypatch):
    flush, calls = os.fsync, []

    def full(handle):
        calls.append(handle)
        if len(calls) > 6:
            raise OSError(errno.ENOSPC, "No space left on device")
        flush(handle)

    monkeypatch.setattr("barthes.runs.store._PAUSE", 0.0)
    monkeypatch.setattr("barthes.runs.store._SHARE", 0)
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OutputError, match="No space left"):
        run(cache=False)
    monkeypatch.undo()
    monkeypatch.setenv("BARTHES_CACHE", str(tmp_path / "barthes-cache"))
    assert 0 < run(cache=False).scored < 20
    run("whole", cache=False)
    assert export(tmp_path / "run") == export(tmp_path / "whole")


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can mount a small disk"
)
def test_a_disk_that_is_really_full(run, tmp_path):
    import subprocess

    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24k", "none", small], capture_output=True)
    if mounted.returncode:
        pytest.skip("this root cannot mount a small disk")
    try:
        with pytest.raises(OutputError, match="No space left"):
            run("small/run", cache=False)
        room = tmp_path / "room"
        subprocess.run(["mount", "-o", "remount,size=10m", small], check=True, capture_output=True)
        assert run("small/run", cache=False).course == Course(20, 20, 0)
        run("room", cache=False)
        assert export(small / "run") == export(room)
    finally:
        subprocess.run(["umount", small], check=True, capture_output=True)


def test_the_watch_hears_of_the_course(run):
    heard = []
    run(watch=heard.append)
    assert heard[-1] == Course(20, 20, 0)


def test_a_folder_that_cannot_be_made_is_told(run, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError):
        run(Path("file") / "run")


def test_a_text_that_is_gone_for_a_moment_keeps_its_result(run, tmp_path):
    tales = tmp_path / "tales"
    tales.mkdir()
    for name in ("a.txt", "b.txt"):
        (tales / name).write_text(TALE, encoding="utf-8")
    run(paths=[tales])
    (tales / "b.txt").rename(tmp_path / "aside.txt")
    (tales / "b.txt").symlink_to(tmp_path / "gone.txt")
    assert run(paths=[tales]).course == Course(2, 2, 0)
    (tales / "b.txt").unlink()
    (tmp_path / "aside.txt").rename(tales / "b.txt")
    assert run(paths=[tales]).course == look_at(tmp_path / "run").course == Course(2, 2, 0)


def test_status_and_run_agree_about_failures_of_another_text(run, tmp_path):
    tales = tmp_path / "tales"
    tales.mkdir()
    (tales / "a.txt").symlink_to(tmp_path / "gone.txt")
    assert run(paths=[tales]).course == Course(1, 0, 1)
    (tmp_path / "gone.txt").write_text(TALE, encoding="utf-8")

    with pytest.raises(KeyboardInterrupt):
        run(paths=[tales], loading=load, hire=_interrupt)
    assert look_at(tmp_path / "run").course == Course(1, 0, 0)


def _interrupt(workplace, devices):
    raise KeyboardInterrupt


def test_damaged_records_that_are_dropped_at_the_start_are_counted(run, tmp_path, monkeypatch):
    monkeypatch.setattr("barthes.runs.store._MANY", 10**6)
    monkeypatch.setattr("barthes.runs.store._PAUSE", 0.0)
    monkeypatch.setattr("barthes.runs.store._SHARE", 0)
    run(cache=False)
    path = min((tmp_path / "run" / "results").iterdir())
    path.write_bytes(path.read_bytes()[:-7])
    monkeypatch.setattr("barthes.runs.store._MANY", 2)
    found = run(cache=False)
    assert (found.damaged, found.scored) == (1, 1)
    assert run(cache=False).damaged == 0


def test_errors_of_loading_stop_the_run(run, tmp_path):
    def loading(device):
        raise OSError("no such file: model.safetensors")

    with pytest.raises(ModelError, match=r"counting: cannot be loaded \(OSError: no such file"):
        run(loading=loading, identify=load, hire=lambda workplace, devices: InlineEngine(workplace))
    assert look_at(tmp_path / "run").course == Course(20, 0, 0)


def test_parts_that_another_shard_has_moved_are_done_again(run, tmp_path, monkeypatch):
    long = write_table(tmp_path / "long.jsonl", {"long": TALE * 10})
    settings = replace(SETTINGS, methods=("sd",), window=40, part_tokens=60)
    read = []

    class Counted(type(load("cpu"))):
        def read(self, tokens):
            read.append(len(tokens))
            if len(read) == 20:
                raise KeyboardInterrupt
            return super().read(tokens)

    run("whole", [long], settings, cache=False)
    with pytest.raises(KeyboardInterrupt):
        run("run", [long], settings, lambda device: Counted([TALE]), cache=False)
    assert look_at(tmp_path / "run").begun == 1
    scan = ResultStore.scan

    def scan_and_move(self):
        index = scan(self)
        for number, path in enumerate(sorted(self._folder.path.iterdir())):
            path.rename(path.with_name(f"2-of-2.{number + 1:06}.records"))
        return index

    monkeypatch.setattr(ResultStore, "scan", scan_and_move)
    run("run", [long], settings, cache=False)
    monkeypatch.undo()
    assert export(tmp_path / "run") == export(tmp_path / "whole")


@pytest.mark.parametrize(
    ("damaged", "told"),
    [
        (1, "1 damaged record in run was not used: its text was done again."),
        (1200, "1,200 damaged records in run were not used: their texts were done again."),
    ],
)
def test_damaged_records_are_told(damaged, told, capsys):
    from barthes.cli.run import _conclude

    _conclude(Summary(Course(3, 3, 0), 1, damaged, {}), "run")
    assert told in " ".join(capsys.readouterr().err.split())
