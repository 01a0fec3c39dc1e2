"""The page of the benchmark is written from its kept results."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

SCRIPTS = Path(__file__).parents[1] / "scripts"


def test_page_is_current(monkeypatch):
    monkeypatch.syspath_prepend(SCRIPTS)
    script = importlib.import_module("write_benchmark_page")
    assert script.PAGE.read_text(encoding="utf-8") == script.render(), "run: scripts/write_benchmark_page.py"


def make_bench(corpus, unit, value):
    """Return the JSON of a benchmark of two methods on one corpus."""
    rows = [
        {
            "method": method,
            "auc": score,
            "interval": {"auc": [score - 0.1, score + 0.1]},
            "p_vs": {"random": None, "tfidf": {"wilcoxon": 0.01, "permutation": 0.01}},
            "gain": None,
            "per_story": {"auc": {"a": score}},
        }
        for method, score in {"random": 0.5, "tfidf": value}.items()
    ]
    table = {
        **{"corpus": corpus, "labels": "ours", "unit": unit, "measures": ["auc"], "best_cheap": "tfidf"},
        "people": {"value": 0.45, "interval": [0.4, 0.5]} if unit == "sentence" else None,
        "counts": {"stories": 1, f"{unit}s": 4, "salient": 2},
        "rows": rows,
    }
    return {"corpora": [table], "summary": {}, "settings": {}, "barthes": "0"}


def test_the_benchmark_page_joins_files_and_summarizes_units_apart(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(SCRIPTS)
    script = importlib.import_module("write_benchmark_page")
    given = [("A", "sentence", 0.6), ("B", "sentence", 0.8), ("B", "event", 0.7)]
    kept = script.keep([make_bench(*each) for each in given])
    assert [len(kept["summaries"][unit]["columns"]) for unit in ("sentence", "event")] == [2, 1]
    assert not any("per_story" in row for corpus in kept["corpora"] for row in corpus["rows"])
    (tmp_path / "bench.json").write_text(json.dumps(kept), encoding="utf-8")
    monkeypatch.setattr(script, "KEPT", tmp_path / "bench.json")
    page = script.render().partition(script.MARK)[2]
    assert "| `tfidf` | 0.200 | 0.600 | 0.400 |" in page
    assert "| B, ours | AUC | 0.500 | 1.000 |" in page
    assert "## Summary, events" not in page
    assert "2 of 4 events in 1 stories are salient." in page
    assert page.count("People, one half of the annotators against the other: Spearman 0.450") == 2
