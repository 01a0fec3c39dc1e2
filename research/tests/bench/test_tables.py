"""Tables of benchmarks. To accept changes of golden files, run with GOLDEN=write."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from barthes.evaluation.result import Evaluation, Figure, MethodResult
from barthes.report.evaluation_tables import print_tables, to_json, to_latex, to_markdown
from barthes_research.bench.bench import Bench, BenchRow, CorpusBench
from barthes_research.bench.tables import lay_out
from tests.golden_files import check_golden

GOLDEN = Path(__file__).parent / "golden"
TESTS = {"wilcoxon": 0.2, "permutation": 0.00001}


def make_result(method, value, model=None):
    figures = {
        "map": Figure({"a": value - 0.1, "b": value + 0.1}),
        "agreement": Figure({"a": 0.5}),
        "spearman": Figure({"a": -0.1, "b": 0.3}),
    }
    precision = "bfloat16" if model else None
    return MethodResult(method, figures, model=model, precision=precision)


BETTER = {"wilcoxon": 0.004, "permutation": 0.25}


ROWS = (
    BenchRow(make_result("random", 0.2), True, {"random": None, "tfidf": TESTS, "words": TESTS}),
    BenchRow(make_result("words", 0.3), True, {"random": BETTER, "tfidf": TESTS, "words": None}),
    BenchRow(
        make_result("ranks:sd+words", 0.31, "my_models/x|y"),
        False,
        {"random": BETTER, "tfidf": TESTS, "words": None},
        Figure({"a": -0.02, "b": 0.04}),
    ),
)


TABLE = CorpusBench(
    Evaluation(
        "films & more",
        "any",
        tuple(row.result for row in ROWS),
        counts={"stories": 1, "sentences": 20, "salient": 5},
        notes=("A note.",),
        random=0.2,
    ),
    ("map", "agreement", "spearman"),
    ROWS,
    "words",
)


CHEAP = CorpusBench(
    replace(TABLE.evaluation, corpus="tales"),
    ("spearman",),
    ROWS[:2],
    "words",
    Figure({"a": 0.41, "b": 0.5048}),
)


BENCH = Bench((TABLE, CHEAP), {"seeds": 10})


def show(tables):
    stream = io.StringIO()
    print_tables(tables, file=stream, width=150)
    return stream.getvalue()


RENDERERS = {"txt": show, "md": to_markdown, "tex": to_latex}


@pytest.mark.parametrize("ending", RENDERERS)
def test_tables_are_the_golden_ones(ending):
    check_golden(GOLDEN / f"bench.{ending}", RENDERERS[ending](lay_out(BENCH)))


def test_json_has_the_figures_in_full():
    assert json.loads(to_json(BENCH)) == BENCH.to_dict()
