from __future__ import annotations

import multiprocessing
import sqlite3

import pytest

from barthes.errors import BarthesError, OutputError
from barthes.runs.cache import ScoreCache, cache_file, cache_limit, parse_size


@pytest.fixture
def cache(tmp_path):
    made = ScoreCache(tmp_path / "c" / "scores.sqlite3", limit=100_000)
    yield made
    made.close()


def test_all_of_the_identity_counts(cache):
    cache.keep({"text": "a", "window": None}, {"scores": [0.1]})
    assert cache.fetch({"window": None, "text": "a"}) == {"scores": [0.1]}
    assert cache.fetch({"text": "a", "window": 512}) is None


def test_numbers_come_back_to_the_last_bit(cache):
    values = [0.1 + 0.2, 1e-300, -3.3333333333333335]
    cache.keep({"text": "a"}, values)
    assert cache.fetch({"text": "a"}) == values


def test_the_least_recently_used_goes_first(tmp_path):
    with_room_for_ten = ScoreCache(tmp_path / "s.sqlite3", limit=10 * 420)
    cache = with_room_for_ten
    for i in range(10):
        cache.keep({"text": i}, "x" * 98)
    cache.fetch({"text": 0})
    cache.keep({"text": 10}, "x" * 98)
    assert cache.fetch({"text": 0}) is not None
    assert cache.fetch({"text": 1}) is None
    status = cache.status()
    assert status.size <= status.limit
    assert status.entries == 9
    cache.close()


def test_what_is_too_large_is_not_kept(tmp_path):
    cache = ScoreCache(tmp_path / "s.sqlite3", limit=100)
    cache.keep({"text": 1}, "x" * 1000)
    assert cache.status().entries == 0
    cache.close()


def test_clear_forgets(cache):
    assert cache.clear() == 0
    cache.keep({"text": 1}, 1)
    cache.keep({"text": 1}, 2)
    assert cache.fetch({"text": 1}) == 2
    assert cache.clear() == 1
    assert (cache.fetch({"text": 1}), cache.status().size) == (None, 0)


def test_a_damaged_entry_is_not_believed(cache):
    cache.keep({"text": 1}, [1.0])
    database = sqlite3.connect(cache.path)
    database.execute("UPDATE scores SET value = ?", (b"[2.0]",))
    database.commit()
    database.close()
    assert cache.fetch({"text": 1}) is None
    assert cache.status().entries == 0


def test_a_damaged_database_is_started_anew(tmp_path):
    path = tmp_path / "s.sqlite3"
    path.write_bytes(b"no database at all, but rather long" * 100)
    cache = ScoreCache(path, limit=1000)
    assert cache.fetch({"text": 1}) is None
    cache.keep({"text": 1}, 7)
    assert cache.fetch({"text": 1}) == 7
    cache.close()


def test_no_place_to_put_it_is_no_reason_to_stop(tmp_path):
    (tmp_path / "file").write_text("")
    cache = ScoreCache(tmp_path / "file" / "s.sqlite3", limit=1000)
    cache.keep({"text": 1}, 7)
    assert cache.fetch({"text": 1}) is None


def _fill(path, start):
    cache = ScoreCache(path, limit=10**6)
    for i in range(start, start + 100):
        cache.keep({"text": i}, i)
        cache.fetch({"text": 0})
    cache.close()


def test_several_processes_at_once(tmp_path):
    path = tmp_path / "s.sqlite3"
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_fill, args=(path, start)) for start in (0, 100)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    cache = ScoreCache(path, limit=10**6)
    assert [cache.fetch({"text": i}) for i in range(200)] == list(range(200))
    assert cache.status().entries == 200
    cache.close()


def test_place_and_size_come_from_the_environment(tmp_path, monkeypatch):
    assert cache_file() == tmp_path / "barthes-cache" / "scores.sqlite3"
    monkeypatch.delenv("BARTHES_CACHE_SIZE", raising=False)
    assert cache_limit() == 10**9
    monkeypatch.setenv("BARTHES_CACHE_SIZE", "2 GB")
    assert cache_limit() == 2_000_000_000
    monkeypatch.setenv("BARTHES_CACHE_SIZE", "lots")
    with pytest.raises(BarthesError, match=r"BARTHES_CACHE_SIZE.*'lots' is no size"):
        cache_limit()


def test_sizes():
    assert parse_size("1.5kB") == 1500


@pytest.mark.parametrize("length", [10, 900, 1_000, 40_000])
def test_its_files_keep_to_the_limit(tmp_path, length):
    limit = 1_000_000
    cache = ScoreCache(tmp_path / "s.sqlite3", limit=limit)
    for i in range(2_500_000 // (length + 500)):
        cache.keep({"text": i}, "x" * length)
    size = sum(path.stat().st_size for path in tmp_path.glob("s.sqlite3*") if path.suffix != ".sqlite3-shm")
    assert 0.3 * limit < size < 1.25 * limit, size
    cache.close()


def test_clear_says_that_it_could_not(cache, monkeypatch):
    monkeypatch.setattr("barthes.runs.cache._BUSY", 0.05)
    cache.keep({"text": 1}, 1)
    cache.close()
    other = sqlite3.connect(cache.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(OutputError, match=r"scores\.sqlite3: cannot be cleared: another process"):
        cache.clear()
    other.execute("ROLLBACK")
    other.close()
    assert cache.clear() == 1


def test_a_damaged_database_can_be_cleared(tmp_path):
    path = tmp_path / "s.sqlite3"
    path.write_bytes(b"no database at all, but rather long" * 100)
    assert ScoreCache(path, limit=1000).clear() == 0
