"""`barthes cache`: show and clear."""

from __future__ import annotations

import pytest

from barthes.cache import ScoreCache
from tests.cli.commands import run


@pytest.mark.parametrize("words", [["cache"], ["cache", "show"]])
def test_the_cache_is_shown_and_cleared(words, monkeypatch):
    monkeypatch.setenv("BARTHES_CACHE_SIZE", "2 MB")
    assert run("cache", "clear") == (0, "0 entries forgotten.\n", "")
    with ScoreCache() as cache:
        assert not cache.path.exists()
        shown = f"{cache.path}\n0 entries, 0 bytes of at most 2.0 MB (BARTHES_CACHE_SIZE)\n"
        assert run(*words) == (0, shown, "")
        cache.store({"text": 1}, [0.5])
    assert run(*words)[1].splitlines()[1].startswith("1 entry, 20.5 kB of")
    assert run("cache", "clear") == (0, "1 entry forgotten.\n", "")
    assert ScoreCache().status().entries == 0
