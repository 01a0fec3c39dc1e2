"""`barthes cache`: show and clear."""

from __future__ import annotations

from barthes.cache import ScoreCache
from tests.cli.commands import run


def test_the_cache_is_shown_and_cleared(monkeypatch):
    monkeypatch.setenv("BARTHES_CACHE_SIZE", "2 MB")
    assert run("cache", "clear") == (0, "deleted 0 entries\n", "")
    with ScoreCache() as cache:
        assert not cache.path.exists()
        shown = f"{cache.path}\n0 entries, 0 bytes of at most 2.0 MB (BARTHES_CACHE_SIZE)\n"
        assert run("cache") == (0, shown, "")
        cache.store({"text": 1}, [0.5])
    assert run("cache")[1].splitlines()[1].startswith("1 entry, 16.4 kB of")
    assert run("cache", "clear") == (0, "deleted 1 entry\n", "")
    assert ScoreCache().status().entries == 0


def test_damaged_databases_are_deleted():
    path = ScoreCache().path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"not a database" * 100)
    ScoreCache().fetch({"text": 1})
    assert run("cache", "clear") == (0, "deleted 0 entries\n", "")
    assert not list(path.parent.glob("*.damaged"))
