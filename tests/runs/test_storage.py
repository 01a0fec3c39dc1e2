"""Local folders and addresses, tested with file systems that fsspec includes."""

from __future__ import annotations

import errno
import importlib.util
import uuid
from dataclasses import replace

import fsspec
import pytest

from barthes.errors import OutputError, ReadingError
from barthes.runs.corpus_run import run_corpus
from barthes.runs.run_results import RunResults, load_run
from barthes.runs.run_settings import Shard
from barthes.runs.scheduler import RunProgress
from barthes.runs.storage import Storage, open_storage
from tests.runs.counting_runs import SETTINGS, TALE, export, load, write_table

OPTIONS = {"workers": 1, "load": load, "cache": False}


@pytest.fixture
def address():
    return f"memory://{uuid.uuid4().hex}/run"


@pytest.fixture
def far(tmp_path):
    """Return a file system on which files are written under another name and moved."""
    return fsspec.filesystem("dir", path=str(tmp_path / "far"), fs=fsspec.filesystem("file"))


@pytest.fixture(params=["local", "memory", "moved"])
def storage(request, tmp_path, address, far):
    if request.param == "moved":
        return Storage(far, "run", where="dir://run")
    return open_storage(tmp_path / "run" if request.param == "local" else address)


@pytest.fixture
def table(tmp_path):
    return write_table(tmp_path / "t.jsonl", [TALE * (1 + i % 4) for i in range(12)] + [" "])


def test_written_files_are_read(storage):
    storage.make()
    assert storage.names() == []
    storage.write("b", b"two\nlines")
    storage.write("a", b"one")
    storage.write("a", b"another")
    storage.subfolder("results").write("c", b"three")
    assert storage.names() == ["a", "b"]
    assert storage.subfolder("results").names() == ["c"]
    assert list(storage.read_each(["a", "b"] * 20))[-2:] == [("a", b"another"), ("b", b"two\nlines")]
    with storage.lock("x", wait=False):
        assert storage.names() == ["a", "b"]
    storage.remove("a")
    storage.remove("a")
    assert storage.names() == ["b"]
    with pytest.raises(ReadingError, match="cannot be read"):
        list(storage.read_each(["b", "a"]))


def test_unfinished_files_of_one_writer_are_removed(tmp_path):
    for name in (".1-of-1.000002.x1y2", ".2-of-2.000002.x1y2", "1-of-1.000001.jsonl"):
        (tmp_path / name).write_bytes(b"half")
    open_storage(tmp_path).remove_temporary("1-of-1.")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".2-of-2.000002.x1y2", "1-of-1.000001.jsonl"]


@pytest.mark.parametrize(
    ("call", "act", "problem"),
    [
        ("pathlib.Path.unlink", lambda storage: storage.remove_temporary("a"), "cannot be written"),
        ("os.open", lambda storage: storage.write("a", b""), "cannot be written"),
        ("filelock.FileLock.acquire", lambda storage: storage.lock("a", wait=False).__enter__(), "be locked"),
    ],
)
def test_errors_of_a_disk_are_reported(tmp_path, monkeypatch, call, act, problem):
    def refuse(*arguments, **options):
        raise OSError(errno.EACCES, "Permission denied")

    (tmp_path / ".a.x1y2").write_bytes(b"half")
    monkeypatch.setattr(call, refuse)
    with pytest.raises(OutputError, match=rf"{problem} \(Permission denied\)\. C"):
        act(open_storage(tmp_path))


def test_paths_and_file_addresses_are_local(tmp_path):
    (tmp_path / "a").write_bytes(b"")
    for where in (tmp_path, str(tmp_path), f"file://{tmp_path}", f"file://{tmp_path}/"):
        found = open_storage(where)
        assert (found.is_local, found.names(), found.where) == (True, ["a"], str(tmp_path))


def test_an_unknown_kind_of_address_is_reported():
    with pytest.raises(OutputError, match=r"nonsense://x: cannot be reached .*nonsense"):
        open_storage("nonsense://x/")


@pytest.mark.skipif(importlib.util.find_spec("s3fs") is not None, reason="s3fs is installed")
def test_a_missing_package_is_named():
    with pytest.raises(OutputError, match="s3fs"):
        open_storage("s3://bucket/run")


def test_a_run_at_an_address_gives_the_results_of_a_folder(address, table, tmp_path):
    run_corpus([table], tmp_path / "run", SETTINGS, **OPTIONS)
    for i in (2, 1):
        run_corpus([table], address, SETTINGS, shard=Shard(i, 2), **OPTIONS)
    assert export(address) == export(tmp_path / "run")
    assert RunResults(address).progress == RunProgress(13, 12, 1)
    assert load_run(address).equals(load_run(tmp_path / "run"))
    assert run_corpus([table], address, SETTINGS, **OPTIONS).scored == 0
    with pytest.raises(OutputError, match=r"memory://.*the window: none then, 40 now"):
        run_corpus([table], address, replace(SETTINGS, window=40), **OPTIONS)


def test_a_run_continues_after_a_refused_write(address, table, monkeypatch):
    system = fsspec.filesystem("memory")
    put, written = type(system).pipe_file, []

    def refuse(self, path, value, *args, **options):
        written.append(path)
        if len(written) > 5:
            raise OSError(errno.EDQUOT, "Disk quota exceeded")
        return put(self, path, value, *args, **options)

    monkeypatch.setattr("barthes.runs.result_files._MAX_PAUSE", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(type(system), "pipe_file", refuse)
        with pytest.raises(OutputError, match="Disk quota exceeded"):
            run_corpus([table], address, SETTINGS, **OPTIONS)
    done = RunResults(address).progress.done
    assert 0 < done < 12
    assert run_corpus([table], address, SETTINGS, **OPTIONS).scored == 12 - done


def test_a_simultaneous_start_with_other_settings_is_reported_at_the_end(address, table):
    """Without locks, two starts can both find no run, and only one manifest remains."""
    other, calls = replace(SETTINGS, window=40), []

    def meanwhile(progress):
        if not calls:
            calls.append(progress)
            open_storage(address).remove("manifest.jsonl")
            run_corpus([table], address, other, **OPTIONS)

    with pytest.raises(OutputError, match="was started with other settings"):
        run_corpus([table], address, SETTINGS, progress=meanwhile, **OPTIONS)


def test_unreadable_files_are_reported(address, table, monkeypatch):
    def fail(*args, **options):
        raise ConnectionError("the line is dead")

    run_corpus([table], address, SETTINGS, **OPTIONS)
    results = RunResults(address)
    monkeypatch.setattr(type(fsspec.filesystem("memory")), "cat_file", fail)
    with pytest.raises(
        ReadingError, match=r"memory://.*manifest\.jsonl: cannot be read \(the line is dead\)"
    ):
        RunResults(address)
    with pytest.raises(ReadingError, match=r"memory://.*\.jsonl: cannot be read \(the line is dead\)"):
        _ = results.progress


def test_temporary_names_are_unique(far, monkeypatch):
    names = []
    monkeypatch.setattr(far, "mv", lambda temporary, path: names.append(temporary))
    for _ in range(2):
        Storage(far, "run", where="dir://run").write("a", b"one")
    assert len(set(names)) == 2
    assert Storage(far, "run", where="dir://run").names() == []
