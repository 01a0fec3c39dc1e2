from __future__ import annotations

import errno
import io

import pytest

from barthes.errors import OutputError, ReadingError
from barthes.runs.folder import LocalFolder, _flush_names
from barthes.runs.records import format_record
from barthes.runs.store import ResultStore


def done(name, value=0):
    return format_record("done", name, "f00", {"value": value})


@pytest.fixture
def folder(tmp_path):
    return LocalFolder(tmp_path / "results")


def keep(folder, *lines, writer="1-of-1"):
    store = ResultStore(folder, writer=writer)
    for line in lines:
        store.add(line)
        store.flush()
    return store


def test_what_is_kept_is_found(folder):
    store = keep(folder, done("a", 1), done("b", 2))
    index = store.scan()
    assert list(index.done) == ["a", "b"]
    assert [r.content["value"] for r in store.read(iter([index.done["b"], index.done["a"]]))] == [2, 1]


def test_an_empty_place_has_nothing(folder):
    assert ResultStore(folder).scan().done == {}


def test_many_quick_results_share_a_file(folder):
    store = ResultStore(folder)
    for i in range(500):
        store.add(done(f"t{i}"))
    store.flush()
    assert len(folder.names()) < 20
    assert len(store.scan().done) == 500


def test_a_damaged_record_costs_itself_only(folder):
    store = ResultStore(folder)
    for name in "abc":
        store._waiting.append(done(name))
    store.flush()
    [name] = folder.names()
    path = folder.path / name
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b'"value":0', b'"value":1')
    path.write_bytes(b"".join(lines))
    index = store.scan()
    assert (set(index.done), index.damaged) == ({"a", "c"}, 1)


def test_a_torn_file_costs_its_last_record(folder):
    store = keep(folder, done("a"), done("b"))
    path = folder.path / folder.names()[1]
    path.write_bytes(path.read_bytes()[:-7])
    index = store.scan()
    assert (set(index.done), index.damaged) == ({"a"}, 1)


def test_a_result_counts_more_than_a_failure(folder):
    failed = format_record("failed", "a", "f00", {"reason": "no"})
    assert keep(folder, failed).scan().failed == {"a": "no"}
    index = keep(folder, done("a"), failed).scan()
    assert (list(index.done), index.failed) == (["a"], {})


def test_parts_go_when_the_text_is_done(folder):
    part = format_record("part", "a", "f00", {"scores": [1.0]}, detail="sd 0:1/2")
    assert list(keep(folder, part).scan().find_parts("a")) == ["sd 0:1/2"]
    assert keep(folder, done("a")).scan().find_parts("a") == {}


def test_small_files_are_joined_and_nothing_is_lost(folder):
    part = format_record("part", "t3", "f00", {"scores": [1.0]}, detail="sd 0:1/2")
    other = keep(folder, done("x"), writer="2-of-2")
    store = keep(folder, part, *(done(f"t{i}", i) for i in range(30)), done("t7", 70))
    before = {r.id: r.content for r in store.read(iter(store.scan().done.values()))}
    store.compact()
    names = folder.names()
    assert len(names) == 2
    assert any(name.startswith("2-of-2") for name in names)
    index = other.scan()
    assert {r.id: r.content for r in store.read(iter(index.done.values()))} == before
    assert before["t7"] == {"value": 70}
    assert index.parts == {}
    keep(folder, done("later"))
    assert "later" in store.scan().done


def test_joining_that_is_interrupted_loses_nothing(folder, monkeypatch):
    store = keep(folder, *(done(f"t{i}", i) for i in range(30)))

    def stop(name):
        raise KeyboardInterrupt

    monkeypatch.setattr(folder, "remove", stop)
    with pytest.raises(KeyboardInterrupt):
        store.compact()
    monkeypatch.undo()
    assert len(ResultStore(folder).scan().done) == 30
    ResultStore(folder).compact()
    assert len(ResultStore(folder).scan().done) == 30


def test_a_full_disk_is_told_and_costs_nothing_that_was_kept(folder, monkeypatch):
    store = keep(folder, done("a"))

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    store._written = 0.0
    with pytest.raises(OutputError, match="No space left"):
        store.flush_if_due() or store.add(done("b")) or store.flush()
    monkeypatch.undo()
    assert list(ResultStore(folder).scan().done) == ["a"]
    assert not list(folder.path.glob(".*"))
    store.flush()
    assert list(store.scan().done) == ["a", "b"]


def test_unfinished_files_are_swept(folder):
    keep(folder, done("a"))
    (folder.path / ".1-of-1.000002.records.x1y2").write_bytes(b"half")
    (folder.path / ".2-of-2.000002.records.x1y2").write_bytes(b"another's")
    folder.sweep("1-of-1.")
    assert [path.name for path in folder.path.glob(".*")] == [".2-of-2.000002.records.x1y2"]


def _refuse(*arguments, **options):
    raise OSError(errno.EACCES, "Permission denied")


@pytest.mark.parametrize(
    ("call", "act", "problem"),
    [
        ("pathlib.Path.unlink", lambda folder: folder.remove("a"), r"results/a: cannot be removed"),
        ("pathlib.Path.unlink", lambda folder: folder.sweep("a"), r"results: cannot be tidied up"),
        ("os.open", lambda folder: _flush_names(folder.path), r"results: cannot be written"),
        ("filelock.FileLock.acquire", lambda folder: folder.hold("a", wait=False).__enter__(), "be locked"),
    ],
)
def test_what_a_disk_refuses_is_told(folder, monkeypatch, call, act, problem):
    keep(folder, done("a"))
    (folder.path / ".a.records.x1y2").write_bytes(b"half")
    monkeypatch.setattr(call, _refuse)
    with pytest.raises(OutputError, match=rf"{problem} \(Permission denied\)\. Check the disk"):
        act(folder)


class _Broken(io.BytesIO):
    """Can be opened, and not be read."""

    def read(self, *args):
        raise OSError(errno.EIO, "Input/output error")

    readline = __next__ = read


def test_what_can_be_opened_and_not_be_read_is_told(folder, monkeypatch):
    store = keep(folder, done("a"))
    index = store.scan()
    monkeypatch.setattr(folder, "open", lambda name: _Broken())
    told = r"results/1-of-1\.000001\.records: cannot be read \(Input/output error\)"
    with pytest.raises(ReadingError, match=told):
        store.scan()
    with pytest.raises(ReadingError, match=told):
        list(store.read(index.done.values()))


def test_a_file_that_is_joined_while_it_is_read_is_looked_for_anew(folder, monkeypatch):
    """A file system may find out at the first read only that a file is not there any more."""
    store = keep(folder, done("a"), done("b"))
    opened, broken = folder.open, []

    def meanwhile(name):
        if not broken:
            broken.append(name)
            (folder.path / name).rename(folder.path / "2-of-2.000001.records")
            return _Broken()
        return opened(name)

    monkeypatch.setattr(folder, "open", meanwhile)
    assert set(store.scan().done) == {"a", "b"}


def test_the_pause_between_two_files_has_an_end(folder, monkeypatch):
    store = keep(folder, done("a"))
    store._took = 60.0
    store.add(done("b"))
    assert len(folder.names()) == 1
    store._written -= 5.0
    store.flush_if_due()
    assert len(folder.names()) == 2


def test_joining_counts_the_damaged_records_that_it_drops(folder):
    store = keep(folder, *(done(f"t{i}") for i in range(20)))
    path = folder.path / folder.names()[3]
    path.write_bytes(path.read_bytes()[:-7])
    assert (store.scan().damaged, store.compact(), store.scan().damaged) == (1, 1, 0)
