from __future__ import annotations

import errno

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from barthes.errors import OutputError, ReadingError
from barthes.runs.inputs import Input
from barthes.runs.result_files import Record, ResultFiles
from barthes.runs.storage import open_storage

texts = st.text(st.characters(exclude_categories=["Cs"]))
PART = Record("part", "a", "f00", {"label": "sd 0:1/2", "scores": [1.0]})


def done(name, value=0, notes=()):
    return Record("done", name, "f00", {"value": value, "profiles": [{"notes": list(notes)}]})


def failed(name, reason="no"):
    return Record("failed", name, "f00", {"reason": reason})


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "results"


def write(folder, *records, writer="1-of-1"):
    """Write each record to a file of its own."""
    files = ResultFiles(open_storage(folder), writer=writer)
    for record in records:
        files.add(record)
        files.flush()
    return files


@given(texts, texts)
def test_a_record_is_formatted_as_one_line_and_parsed(name, reason):
    record = failed(name, reason)
    assert record.format().count(b"\n") == 1
    assert Record.parse(record.format()) == record


FOREIGN = [
    *(Record("failed", "a", "f00", content) for content in ([], {}, {"reason": None}, "x", 1)),
    Record("done", "a", "f00", [1]),
    Record("done", ["a"], "f00", {}),
    Record("done", "a", 5, {}),
    Record("part", "a", "f00", {"label": 1}),
    Record("other", "a", "f00", {}),
]
INVALID = [b"", b"{}", b"[1]", b"\xff", b"[" * 100_000, b'{"kind":"done"}']


@pytest.mark.parametrize("line", [*(record.format() for record in FOREIGN), *INVALID])
def test_an_invalid_line_is_refused(line):
    with pytest.raises(ValueError, match="not a record"):
        Record.parse(line)


def test_written_records_are_found(folder):
    assert ResultFiles(open_storage(folder)).scan().done == {}
    files = write(folder, done("a", 1), done("b", 2), failed("c"), PART)
    index = files.scan()
    assert list(index.done) == [("a", "f00"), ("b", "f00")]
    assert index.failed == {("c", "f00"): "no"}
    assert list(index.parts["a", "f00"]) == ["sd 0:1/2"]
    places = [index.done["b", "f00"], index.parts["a", "f00"]["sd 0:1/2"], index.done["a", "f00"]]
    assert list(files.read(places)) == [done("b", 2), PART, done("a", 1)]


def test_texts_are_identified_by_id_and_hash(folder):
    index = write(folder, done("a", notes=["n"]), failed("b"), failed("a")).scan()
    a, other, b = Input("a", "", "f00", 1), Input("a", "", "ba5", 1), Input("b", "", "f00", 1)
    assert (a.key in index.done, other.key in index.done) == (True, False)
    assert index.failures([a, other, b]) == {"b": "no"}
    assert index.failed_ids == {"b"}
    assert index.noted == {a.key}


def test_results_are_written_in_batches(folder, monkeypatch):
    now = [100.0]
    monkeypatch.setattr("barthes.runs.result_files.time.monotonic", lambda: now[0])
    files = ResultFiles(open_storage(folder))

    def add(seconds, times=1):
        for _ in range(times):
            now[0] += seconds
            files.add(done(f"t{now[0]}"))
        return len(list(folder.glob("*.jsonl")))

    assert add(0.1, times=100) == 33  # after a quarter of a second
    assert add(1.0, times=1000) - 33 < 300  # after 1 % of the time so far
    before = add(3000.0)
    assert add(29.0) == before
    assert add(1.5) == before + 1  # after 30 seconds at most
    files.add(Record("done", "large", "f00", {"text": "x" * (9 << 20)}))
    assert add(0.0) == before + 2  # because it is large
    files.flush()
    assert len(files.scan().done) == 1104


def test_a_slow_disk_is_written_to_less_often(folder):
    files = write(folder, done("a"))
    files._took = 1.0
    files._written -= 19
    files.add(done("b"))
    assert len(files.scan().done) == 1
    files._written -= 1
    files.flush_if_due()
    assert len(files.scan().done) == 2


@given(st.data())
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_changed_byte_costs_only_its_file(folder, data):
    for path in folder.glob("*"):
        path.unlink()
    files = write(folder, done("a"), done("b"))
    path = min(folder.glob("*.jsonl"))
    content = bytearray(path.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    path.write_bytes(bytes(content))
    index = files.scan()
    assert (list(index.done), index.damaged) == ([("b", "f00")], [path.name])
    files.remove(index.damaged)
    assert files.scan().damaged == []


def test_a_file_with_an_invalid_line_is_damaged(folder):
    files = write(folder, done("a"))
    files._batch = [done("b").format(), b"{}\n"]
    files.flush()
    index = files.scan()
    assert (list(index.done), len(index.damaged)) == ([("a", "f00")], 1)


def test_writers_do_not_overwrite_each_other(folder):
    """Without locks, two processes may write the files of one shard."""
    for _ in range(2):
        write(folder, done("a"), writer="2-of-4")
    one, other = (ResultFiles(open_storage(folder)) for _ in range(2))
    for files, name in ((one, "b"), (other, "c")):
        files._number = 7
        files.add(done(name))
        files.flush()
    assert {name for name, _ in one.scan().done} == {"a", "b", "c"}


def test_a_full_disk_is_reported_and_nothing_is_lost(folder, monkeypatch):
    files = write(folder, done("a"))

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    files._batch.append(done("b").format())
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(OutputError, match="No space left"):
            files.flush()
    assert len(files.scan().done) == 1
    assert not list(folder.glob(".*"))
    files.flush()
    assert len(files.scan().done) == 2


def test_an_unreadable_file_is_reported(folder):
    files = write(folder, done("a"))
    [(name, line)] = files.scan().done.values()
    (folder / name).unlink()
    with pytest.raises(ReadingError, match=r"1-of-1\.000001\..*\.jsonl: cannot be read"):
        list(files.read([(name, line)]))
