from __future__ import annotations

import pytest

from barthes.runs.corpus_run import run_corpus
from tests.runs.counting_runs import SETTINGS, TEXTS, InlinePool, load, write_table


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    """Give each test an empty score cache."""
    monkeypatch.setenv("BARTHES_CACHE", str(tmp_path / "barthes-cache"))


@pytest.fixture
def table(tmp_path):
    """Return a table of twelve texts."""
    return write_table(tmp_path / "t.jsonl", TEXTS)


@pytest.fixture
def run(tmp_path, table):
    """Return a function that starts or continues a run in this process."""

    def start(where="run", paths=(table,), settings=SETTINGS, loading=load, **options):
        out = where if "://" in where else tmp_path / where
        options.setdefault("pool", InlinePool(settings, loading))
        return run_corpus(paths, out, settings, **options)

    return start
