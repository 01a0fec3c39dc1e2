"""Local folders and addresses, tested with file systems that fsspec includes."""

from __future__ import annotations

import errno
import importlib.util
import uuid
from dataclasses import replace

import fsspec
import pytest

from barthes.errors import OutputError, ReadingError
from barthes.runs.results import RunResults, load_run
from barthes.runs.storage import Storage, open_storage
from tests.runs.counting_runs import SETTINGS, export


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


def test_written_files_are_read(storage):
    assert not storage.exists("b")
    assert storage.list_files("results") == []
    storage.write("b", b"two\nlines")
    storage.write("results/a/x", b"one")
    storage.write("results/a/x", b"another")
    storage.write("results/b/y", b"three")
    assert storage.exists("b")
    assert storage.list_files("results") == ["x", "y"]
    assert list(storage.read_each(["results/a/x", "b"] * 20))[-2:] == [b"another", b"two\nlines"]
    with pytest.raises(ReadingError, match="cannot be read"):
        list(storage.read_each(["b", "a"]))


def test_paths_and_file_addresses_are_local(tmp_path):
    for where in (tmp_path, str(tmp_path), f"file://{tmp_path}", f"file://{tmp_path}/"):
        found = open_storage(where)
        assert (found.is_local, found.where) == (True, str(tmp_path))


def test_an_unknown_kind_of_address_is_reported():
    with pytest.raises(OutputError, match=r"nonsense://x: cannot be reached .*nonsense"):
        open_storage("nonsense://x/")


@pytest.mark.skipif(importlib.util.find_spec("s3fs") is not None, reason="s3fs is installed")
def test_a_missing_package_is_named():
    with pytest.raises(OutputError, match="s3fs"):
        open_storage("s3://bucket/run")


def test_a_folder_that_cannot_be_created_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        open_storage(tmp_path / "file" / "run").write("a", b"")


def test_a_run_at_an_address_gives_the_results_of_a_folder(run, address, tmp_path):
    run("run")
    for i in (2, 1):
        run(address, shard=f"{i}/2")
    assert export(address) == export(tmp_path / "run")
    assert load_run(address).equals(load_run(tmp_path / "run"))
    assert run(address).scored == 0
    with pytest.raises(OutputError, match=r"memory://.*window: none then, 40 now"):
        run(address, settings=replace(SETTINGS, window=40))


def test_a_run_continues_after_a_refused_write(run, address, monkeypatch):
    system = type(fsspec.filesystem("memory"))
    put, written = system.pipe_file, []

    def refuse(self, path, value, *args, **options):
        written.append(path)
        if len(written) > 5:
            raise OSError(errno.EDQUOT, "Disk quota exceeded")
        return put(self, path, value, *args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(system, "pipe_file", refuse)
        with pytest.raises(OutputError, match="Disk quota exceeded"):
            run(address)
    done = len(RunResults(address).outcomes)
    assert 0 < done < 12
    assert run(address).scored == 12 - done


def test_unreadable_files_are_reported(run, address, monkeypatch):
    def fail(*args, **options):
        raise ConnectionError("the line is dead")

    run(address)
    results = RunResults(address)
    monkeypatch.setattr(type(fsspec.filesystem("memory")), "cat_file", fail)
    with pytest.raises(
        ReadingError, match=r"memory://.*manifest\.jsonl: cannot be read \(the line is dead\)"
    ):
        RunResults(address)
    with pytest.raises(ReadingError, match=r"memory://.*\.json: cannot be read \(the line is dead\)"):
        list(results.rows())
