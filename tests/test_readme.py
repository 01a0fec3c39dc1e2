"""The README shows what the command prints and quotes figures that are kept in research/results."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.commands import run

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
RESULTS = ROOT / "research" / "results"


def find_row(start: str) -> list[str]:
    """Return the cells of the table row that starts with this text."""
    line = next(line for line in README.splitlines() if line.startswith(f"| {start}"))
    return [cell.strip() for cell in line.strip("|").split("|")]


@pytest.mark.slow
def test_the_first_example_prints_what_the_readme_shows(monkeypatch):
    monkeypatch.chdir(ROOT)
    (example,) = re.findall(r"^\$ barthes (.*)\n((?:.+\n)+)```", README, re.MULTILINE)
    code, out, _ = run(*example[0].split(), "--dtype", "float32", "--no-cache")
    assert code == 0
    printed = [line for line in out.splitlines() if not line.startswith(" " * 20)]  # no continuation lines
    for line, shown in zip(printed, example[1].splitlines(), strict=True):
        assert line.startswith(shown[:-1]) if shown.endswith("…") else line.rstrip() == shown


def test_the_table_of_the_reproduction_quotes_kept_results():
    report = json.loads((RESULTS / "reproduction-paper.json").read_text(encoding="utf-8"))
    wanted = [("position", False), ("tfidf", False), ("sd", False), ("sd", True)]
    rows = {
        (row["method"], row["tfidf"]): row
        for row in report["table2"]["rows"]
        if row["fine_tuning"] in (None, "none")
    }
    for start, field in (("paper", "paper"), ("Barthes", "ours")):
        assert find_row(start)[1:] == [f"{rows[key][field]:.3f}" for key in wanted]


def test_the_table_of_agreement_quotes_the_benchmark():
    report = json.loads((RESULTS / "bench.json").read_text(encoding="utf-8"))
    tables = [table for table in report["corpora"] if table["unit"] == "sentence"]
    first = {table["corpus"]: table for table in reversed(tables)}  # of ProppLearner's labellings
    assert len(first) == 5
    for corpus in first.values():
        found = {row["method"]: f"{row[corpus['measures'][0]]:.2f}" for row in corpus["rows"]}
        left_out = found.get("readers-left-out") or found["readers"]  # never trained on ProppLearner
        expected = [found[corpus["best_cheap"]], found.get("readers-cv", "–"), left_out]
        assert find_row(corpus["corpus"].split()[0])[4:7] == expected


def test_the_readme_is_short():
    assert len(README.split()) < 900
