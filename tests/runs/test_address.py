"""Results behind addresses: fsspec's own file systems stand for those of the world."""

from __future__ import annotations

import errno
import importlib.util
import io
import uuid
from dataclasses import replace

import fsspec
import pytest

from barthes.errors import OutputError, ReadingError
from barthes.runs.address import AddressFolder, open_folder
from barthes.runs.course import Course
from barthes.runs.export import export_run
from barthes.runs.folder import LocalFolder
from barthes.runs.records import format_record
from barthes.runs.results import RunResults, load_run
from barthes.runs.run import run_corpus
from barthes.runs.shard import Shard
from barthes.runs.status import look_at
from barthes.runs.store import ResultStore
from tests.runs.counting import SETTINGS, TALE, load, write_table

OPTIONS = {"workers": 1, "load": load, "cache": False}


@pytest.fixture(params=["memory", "moved"])
def folder(request, tmp_path):
    """An object store, and a file system on which files are written aside and moved."""
    if request.param == "memory":
        return open_folder(f"memory://{uuid.uuid4().hex}/run")
    system = fsspec.filesystem("dir", path=str(tmp_path / "far"), fs=fsspec.filesystem("file"))
    return AddressFolder(system, "run", "dir://run")


@pytest.fixture
def table(tmp_path):
    return write_table(tmp_path / "t.jsonl", [TALE * (1 + i % 4) for i in range(12)] + [" "])


@pytest.fixture
def address():
    return f"memory://{uuid.uuid4().hex}/run"


def export(run, out):
    export_run(RunResults(run), out, format="csv")
    return out.read_bytes()


def test_what_is_written_is_there(folder):
    folder.prepare()
    assert folder.names() == []
    folder.write("b", b"two\nlines")
    folder.write("a", b"one")
    folder.write("a", b"another")
    folder.inside("results").write("c", b"three")
    assert folder.names() == ["a", "b"]
    assert folder.inside("results").names() == ["c"]
    with folder.open("b") as file:
        file.seek(4)
        assert file.read() == b"lines"
    folder.remove("a")
    folder.remove("a")
    assert folder.names() == ["b"]
    with pytest.raises(ReadingError, match="cannot be read"):
        folder.open("a")


def test_a_store_in_it(folder):
    store = ResultStore(folder)
    for i in range(40):
        store.add(format_record("done", f"t{i}", "f00", {"value": i}))
        store.flush()
    store.compact()
    index = store.scan()
    assert len(index.done) == 40
    assert len(folder.names()) == 1
    assert [record.content["value"] for record in store.read(iter([index.done["t7"]]))] == [7]


def test_two_processes_for_one_shard_lose_nothing(folder):
    stores = [ResultStore(folder), ResultStore(folder)]
    for i in range(20):
        for each, store in enumerate(stores):
            store.add(format_record("done", f"t{i}-{each}", "f00", {"value": i}))
            store.flush()
    assert len(stores[0].scan().done) == 40
    stores[1].compact()
    assert len(stores[0].scan().done) == 40


def test_paths_and_file_addresses_are_local(tmp_path):
    for where in (tmp_path, str(tmp_path), f"file://{tmp_path}", f"file://{tmp_path}/"):
        found = open_folder(where)
        assert isinstance(found, LocalFolder)
        assert found.path == tmp_path


def test_an_address_that_leads_nowhere_is_told():
    with pytest.raises(OutputError, match=r"nonsense://x: cannot be reached .*nonsense"):
        open_folder("nonsense://x/")


@pytest.mark.skipif(importlib.util.find_spec("s3fs") is not None, reason="s3fs is installed")
def test_a_missing_package_is_named():
    with pytest.raises(OutputError, match="s3fs"):
        open_folder("s3://bucket/run")


def test_a_run_at_an_address_is_one_in_a_folder(address, table, tmp_path):
    run_corpus([table], tmp_path / "run", SETTINGS, **OPTIONS)
    for i in (2, 1):
        run_corpus([table], address, SETTINGS, shard=Shard(i, 2), **OPTIONS)
    assert export(address, tmp_path / "far.csv") == export(tmp_path / "run", tmp_path / "near.csv")
    assert look_at(address).course == Course(13, 12, 1)
    assert load_run(address).equals(load_run(tmp_path / "run"))
    assert run_corpus([table], address, SETTINGS, **OPTIONS).scored == 0
    with pytest.raises(OutputError, match=r"memory://.*the window: none then, 40 now"):
        run_corpus([table], address, replace(SETTINGS, window=40), **OPTIONS)


def test_it_goes_on_after_a_refused_write(address, table, tmp_path, monkeypatch):
    system = fsspec.filesystem("memory")
    put, written = type(system).pipe_file, []

    def refuse(self, path, value, *args, **options):
        written.append(path)
        if len(written) > 5:
            raise OSError(errno.EDQUOT, "Disk quota exceeded")
        return put(self, path, value, *args, **options)

    monkeypatch.setattr("barthes.runs.store._PAUSE", 0.0)
    monkeypatch.setattr("barthes.runs.store._SHARE", 0)
    monkeypatch.setattr(type(system), "pipe_file", refuse)
    with pytest.raises(OutputError, match="Disk quota exceeded"):
        run_corpus([table], address, SETTINGS, **OPTIONS)
    monkeypatch.undo()
    monkeypatch.setenv("BARTHES_CACHE", str(tmp_path / "barthes-cache"))
    done = look_at(address).course.done
    assert 0 < done < 12
    assert run_corpus([table], address, SETTINGS, **OPTIONS).scored == 12 - done


def test_another_start_in_the_same_moment_is_noticed_at_the_end(address, table):
    """Without locks two starts can both find nothing there, and only one manifest stays."""
    other = replace(SETTINGS, window=40)

    def meanwhile(course):
        if not calls:
            calls.append(course)
            open_folder(address).remove("manifest.json")
            run_corpus([table], address, other, **OPTIONS)

    calls = []
    with pytest.raises(OutputError, match="was started otherwise"):
        run_corpus([table], address, SETTINGS, watch=meanwhile, **OPTIONS)


def test_files_that_can_be_opened_and_not_be_read_are_told(address, table, monkeypatch):
    run_corpus([table], address, SETTINGS, **OPTIONS)

    class Broken(io.BytesIO):
        def read(self, *args):
            raise ConnectionError("the line is dead")

        readline = __next__ = read

    monkeypatch.setattr(type(fsspec.filesystem("memory")), "open", lambda *args, **options: Broken())
    with pytest.raises(ReadingError, match=r"memory://.*manifest\.json: cannot be read \(the line is dead\)"):
        RunResults(address)
    with pytest.raises(ReadingError, match=r"memory://.*\.records: cannot be read \(the line is dead\)"):
        ResultStore(open_folder(address).inside("results")).scan()


def test_no_two_writers_share_a_name_for_what_is_unfinished(tmp_path, monkeypatch):
    system = fsspec.filesystem("dir", path=str(tmp_path / "far"), fs=fsspec.filesystem("file"))
    monkeypatch.setattr(system, "mv", lambda aside, path: asides.append(aside))
    asides = []
    for _ in range(2):
        AddressFolder(system, "run", "dir://run").write("a", b"one")
    assert len(set(asides)) == 2
    assert AddressFolder(system, "run", "dir://run").names() == []
