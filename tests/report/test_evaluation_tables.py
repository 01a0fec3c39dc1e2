"""Tables of evaluations and benchmarks. To accept changes of golden files, run with GOLDEN=write."""

from __future__ import annotations

import io
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from barthes.evaluation.bench import Bench, BenchRow, CorpusBench
from barthes.evaluation.result import Evaluation, Figure, MethodResult
from barthes.report.evaluation_tables import print_tables, to_json, to_latex, to_markdown
from tests.golden_files import check_golden

GOLDEN = Path(__file__).parent / "golden"
TESTS = {"wilcoxon": 0.2, "permutation": 0.00001}
SD = MethodResult(
    "sd+tfidf",
    0.29412,
    {"a": 0.3, "b": None},
    model="my_models/x|y",
    interval=(0.25, 0.33),
    p_vs_random=0.0049,
    r_precision=0.2,
    precision_at={1: 0.5, 3: 0.1},
    auc=0.7,
    spearman=-0.1,
    precision="bfloat16",
)
POSITION = MethodResult("position", 0.2, {"a": 0.2}, p_vs_random=0.00001, precision_at={1: 0.0, 3: 0.0})
RANDOM = MethodResult("random", math.nan, {"a": None}, precision_at={1: math.nan, 3: math.nan})
EVALUATION = Evaluation(
    "My & your tales_#1 \x1b[31m",
    "paper",
    (SD, POSITION, RANDOM),
    counts={"stories": 2, "sentences": 20, "salient": 5},
    settings={"seeds": 10},
    random=0.25,
    notes=("50 % of {it} | is ~lost~ <b>.",),
)
COMPARED = replace(
    EVALUATION,
    rows=(replace(SD, p_vs={"tfidf": TESTS, "sd+tfidf": None}), replace(POSITION, p_vs={"tfidf": TESTS})),
)


def make_result(method, value, model=None):
    figures = {
        "map": Figure(value, (value - 0.1, value + 0.1), {"a": value}),
        "agreement": Figure(0.5, None, {"a": 0.5}),
        "spearman": Figure(0.1, (-0.1, 0.3), {"a": 0.1}),
    }
    precision = "bfloat16" if model else None
    return MethodResult(method, value, {"a": value}, model=model, precision=precision, figures=figures)


BETTER = {"wilcoxon": 0.004, "permutation": 0.25}
ROWS = (
    BenchRow(make_result("random", 0.2), True, {"random": None, "tfidf": TESTS, "words": TESTS}),
    BenchRow(make_result("words", 0.3), True, {"random": BETTER, "tfidf": TESTS, "words": None}),
    BenchRow(
        make_result("ranks:sd+words", 0.31, "my_models/x|y"),
        False,
        {"random": BETTER, "tfidf": TESTS, "words": None},
        Figure(0.01, (-0.02, 0.04), {"a": 0.01}),
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
    Figure(0.4574, (0.41, 0.5), {"a": 0.4574}),
)
BENCH = Bench((TABLE, CHEAP), {"seeds": 10})
FOUND = {"evaluation": EVALUATION, "compared": COMPARED, "bench": BENCH}


def show(found, width=150):
    stream = io.StringIO()
    print_tables(found, file=stream, width=width)
    return stream.getvalue()


RENDERERS = {"txt": show, "md": to_markdown, "tex": to_latex}


@pytest.mark.parametrize("ending", RENDERERS)
@pytest.mark.parametrize("name", FOUND)
def test_tables_are_the_golden_ones(name, ending):
    check_golden(GOLDEN / f"{name}.{ending}", RENDERERS[ending](FOUND[name]))


@pytest.mark.parametrize("found", FOUND.values(), ids=FOUND)
def test_json_has_the_figures_in_full(found):
    assert json.loads(to_json(found)) == found.to_dict()


def test_worse_than_random_is_not_marked():
    """At p < 0.001, with a MAP below that of random; and nothing is where random is not known."""
    assert POSITION.map < EVALUATION.random
    assert "0.200†" not in to_markdown(EVALUATION)
    assert "0.294†" in to_markdown(EVALUATION)
    assert "0.294†" not in to_markdown(replace(EVALUATION, random=math.nan))


@pytest.mark.parametrize(("p", "shown"), [(0.0496, "0.0496"), (0.04999, "\\< 0.05"), (0.0504, "0.050")])
def test_no_p_is_rounded_across_the_line(p, shown):
    row = to_markdown(replace(EVALUATION, rows=(replace(SD, p_vs_random=p),))).splitlines()[4]
    assert f"| {'0.294†' if p < 0.05 else '0.294'} |" in row
    assert f"| {shown} |" in row


def test_text_fits_the_width_without_losing_figures():
    text = show(EVALUATION, width=60)
    assert max(map(len, text.splitlines())) <= 60
    assert "…" not in text


def test_text_is_not_wrapped_outside_a_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    rows = (replace(SD, method="ranks:" + "+".join(["words", "position"] * 20)),)
    evaluation = replace(EVALUATION, rows=rows, notes=("long " * 50,))
    lines = show(evaluation, width=None).splitlines()
    assert sum(rows[0].method in line and "0.294" in line for line in lines) == 1
    assert any(line.startswith("long " * 49) for line in lines)


def test_no_rows_at_all():
    empty = Evaluation("tales", "ours", ())
    for render in (*RENDERERS.values(), to_json):
        assert "tales" in render(empty)
