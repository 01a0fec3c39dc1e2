"""The score cache: correctness, size limit and error handling."""

from __future__ import annotations

import logging
import pickle
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from barthes.cache import ScoreCache, cache_file, cache_limit, parse_size
from barthes.errors import BarthesError, OutputError

KEY = {"text": "a hash", "method": "sd", "window": None}


@pytest.fixture
def cache(tmp_path):
    with ScoreCache(tmp_path / "folder" / "scores.sqlite3", limit=10**7) as cache:
        yield cache


def test_what_was_stored_is_found_under_everything_that_decides_it(cache):
    assert cache.fetch(KEY) is None
    cache.store(KEY, {"scores": [0.1, -1e-17, 3.0]})
    assert cache.fetch(dict(reversed(KEY.items()))) == {"scores": [0.1, -1e-17, 3.0]}
    for other in ({"text": "another"}, {"window": 512}, {"method": "va"}, {"more": 1}):
        assert cache.fetch(KEY | other) is None
    cache.store(KEY, [])
    assert cache.fetch(KEY) == []
    assert (cache.found, cache.stored, cache.status().entries) == (2, 2, 1)


def test_another_process_finds_it(cache):
    cache.store(KEY, "value")
    script = (
        "import sys; from pathlib import Path; from barthes.cache import ScoreCache\n"
        f"print(ScoreCache(Path(sys.argv[1])).fetch({KEY!r}))"
    )
    command = [sys.executable, "-c", script, str(cache.path)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "value\n"
    with pickle.loads(pickle.dumps(cache)) as other:
        assert other.fetch(KEY) == "value"


def test_a_cache_that_is_no_longer_used_closes_its_database(tmp_path):
    cache = ScoreCache(tmp_path / "scores.sqlite3")
    cache.store(KEY, 1)
    database = cache._database
    del cache
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        database.execute("SELECT 1")


def test_many_writers_at_once(cache, caplog):
    def write(number):
        with ScoreCache(cache.path, limit=cache.limit) as mine:
            for step in range(10):
                mine.store({"writer": number, "step": step}, [number, step])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    assert cache.status().entries == 80
    assert cache.fetch({"writer": 3, "step": 7}) == [3, 7]
    assert not caplog.records


def test_the_least_recently_used_entries_are_evicted(tmp_path):
    with ScoreCache(tmp_path / "scores.sqlite3", limit=300_000) as cache:
        for number in range(40):
            cache.store({"number": number}, "x" * 20_000)
            cache.fetch({"number": 0})
        status = cache.status()
        assert status.size <= 300_000
        assert 5 < status.entries < 15
        assert cache.fetch({"number": 0}) is not None, "it was used all the time"
        assert cache.fetch({"number": 39}) is not None
        assert cache.fetch({"number": 1}) is None
        assert cache.path.stat().st_size <= 400_000
        cache.store({"number": "huge"}, "x" * 300_000)
        assert cache.fetch({"number": "huge"}) is None
        assert cache.fetch({"number": 0}) is not None, "nothing is evicted for what has no room at all"


def test_clearing(cache):
    assert cache.clear() == 0
    for number in range(3):
        cache.store({"number": number}, "x" * 100_000)
    before = cache.status().size
    assert cache.clear() == 3
    assert cache.status().entries == 0
    assert cache.status().size < before / 10


@pytest.mark.parametrize("content", [b"this is not a database" * 100, b"\x00" * 5000])
def test_a_damaged_file_is_renamed_with_a_warning(tmp_path, caplog, content):
    path = tmp_path / "scores.sqlite3"
    path.write_bytes(content)
    with ScoreCache(path) as cache:
        cache.store(KEY, 1)
        cache.store(KEY, 2)
        assert cache.fetch(KEY) == 2
    assert (tmp_path / "scores.sqlite3.damaged").read_bytes() == content
    [record] = caplog.records
    assert record.levelno == logging.WARNING
    assert "scores.sqlite3.damaged" in record.getMessage()


def test_a_database_of_another_program_is_left_alone(tmp_path, caplog):
    path = tmp_path / "scores.sqlite3"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE scores (name TEXT)")
        other.execute("INSERT INTO scores VALUES ('precious')")
    other.close()
    with ScoreCache(path) as cache:
        cache.store(KEY, 1)
        assert cache.fetch(KEY) is None
    with sqlite3.connect(path) as kept:
        assert kept.execute("SELECT name FROM scores").fetchall() == [("precious",)]
    kept.close()
    assert len(caplog.records) == 1


def test_a_damaged_page_costs_the_cache_and_not_the_work(tmp_path, caplog):
    path = tmp_path / "scores.sqlite3"
    with ScoreCache(path) as cache:
        for number in range(200):
            cache.store({"number": number}, "x" * 2_000)
    data = bytearray(path.read_bytes())
    data[8192:] = b"\xff" * (len(data) - 8192)
    path.write_bytes(data)
    with ScoreCache(path) as cache:
        found = [cache.fetch({"number": number}) for number in range(200)]
        assert all(value in (None, "x" * 2_000) for value in found)
        cache.store(KEY, 1)
        assert cache.fetch(KEY) == 1
    assert (tmp_path / "scores.sqlite3.damaged").exists()
    assert caplog.records


def test_an_entry_that_cannot_be_read_is_not_found(cache):
    cache.store({"text": "a"}, {"scores": [0.5]})
    cache._database.execute("UPDATE scores SET value = ?", (b"\xff",))
    assert cache.fetch({"text": "a"}) is None
    cache.store({"text": "a"}, 1)
    assert cache.fetch({"text": "a"}) == 1


def test_a_locked_database_is_logged_once_and_tried_again(cache, caplog, monkeypatch):
    monkeypatch.setattr("barthes.cache._BUSY", 0.05)
    cache.store(KEY, 1)
    cache.close()
    other = sqlite3.connect(cache.path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    cache.store(KEY, 2)
    cache.store(KEY, 3)
    with pytest.raises(OutputError, match="another process is using it"):
        cache.clear()
    [record] = caplog.records
    assert "locked" in record.getMessage()
    other.execute("ROLLBACK")
    other.close()
    cache.store(KEY, 4)
    assert cache.fetch(KEY) == 4


def test_a_folder_that_cannot_be_made(tmp_path, caplog):
    (tmp_path / "file").write_text("not a folder")
    with ScoreCache(tmp_path / "file" / "scores.sqlite3") as cache:
        cache.store(KEY, 1)
        assert cache.fetch(KEY) is None
        assert (cache.found, cache.stored) == (0, 0)
    assert len(caplog.records) == 1


def test_programming_errors_are_not_treated_as_damage(cache):
    cache.store(KEY, 1)
    with pytest.raises(ValueError, match="not JSON compliant"):
        cache.store(KEY, float("nan"))
    with pytest.raises(sqlite3.ProgrammingError):
        cache._use(lambda database: database.execute("SELECT ?", ()), None)
    assert cache.fetch(KEY) == 1
    assert not list(cache.path.parent.glob("*.damaged"))


def test_location_and_size_limit(monkeypatch, tmp_path):
    monkeypatch.setenv("BARTHES_CACHE", str(tmp_path))
    assert cache_file() == tmp_path / "scores.sqlite3"
    monkeypatch.setenv("BARTHES_CACHE", "~nobody-of-that-name")
    with pytest.raises(BarthesError, match="no such home folder"):
        cache_file()
    monkeypatch.delenv("BARTHES_CACHE_SIZE", raising=False)
    assert cache_limit() == 10**9
    monkeypatch.setenv("BARTHES_CACHE_SIZE", "20 MB")
    assert cache_limit() == 20 * 10**6
    assert ScoreCache(Path("unused")).limit == 20 * 10**6


@pytest.mark.parametrize("text", ["", "many", "-5", "5 PB", "1e6"])
def test_invalid_sizes_are_refused(text):
    with pytest.raises(BarthesError, match="BARTHES_CACHE_SIZE"):
        parse_size(text)


def test_a_value_is_found_though_its_use_cannot_be_noted(cache, monkeypatch, caplog):
    monkeypatch.setattr("barthes.cache._BUSY", 0.05)
    cache.store(KEY, 1)
    cache.close()
    other = sqlite3.connect(cache.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert cache.fetch(KEY) == 1
    assert not caplog.records
    other.execute("ROLLBACK")
    other.close()


def test_a_value_too_large_for_the_cache_is_not_stored(tmp_path, caplog):
    with ScoreCache(tmp_path / "scores.sqlite3", limit=100_000) as small:
        small.store(KEY, "x" * 100_000)
        assert small.stored == 0
    assert "too large for the cache" in caplog.text
