from __future__ import annotations

import pytest
from typer.testing import CliRunner

from barthes.cache import ScoreCache
from barthes.cli.main import app


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr("barthes.cache.cache_file", lambda: tmp_path / "scores.sqlite3")
    monkeypatch.setenv("BARTHES_CACHE_SIZE", "2 MB")
    return tmp_path / "scores.sqlite3"


def barthes(*arguments):
    found = CliRunner().invoke(app, list(arguments))
    assert found.exit_code == 0
    return found.stdout


@pytest.mark.parametrize("words", [["cache"], ["cache", "show"]])
def test_it_shows_place_and_size(cache, words):
    assert barthes(*words).split("\n")[:2] == [
        str(cache),
        "0 entries, 0 B of at most 2.0 MB (BARTHES_CACHE_SIZE)",
    ]
    kept = ScoreCache()
    kept.store({"text": 1}, [0.5])
    kept.close()
    assert barthes(*words).split("\n")[1].startswith("1 entry, 20.5 kB of")


def test_it_forgets(cache):
    assert barthes("cache", "clear") == "0 entries forgotten.\n"
    assert not cache.exists()
    kept = ScoreCache()
    kept.store({"text": 1}, [0.5])
    kept.close()
    assert barthes("cache", "clear") == "1 entry forgotten.\n"
    assert ScoreCache().status().entries == 0
