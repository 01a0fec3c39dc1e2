"""Tables of evaluations. To accept changes of golden files, run with GOLDEN=write."""

from __future__ import annotations

import io
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from barthes.evaluation.result import Evaluation, MethodResult
from barthes.report.evaluation_tables import lay_out, print_tables, to_json, to_latex, to_markdown
from tests.golden_files import check_golden

GOLDEN = Path(__file__).parent / "golden"
TESTS = {"difference": 0.03, "low": -0.01, "high": 0.07, "wilcoxon": 0.2, "permutation": 0.00001}
BELOW = {"difference": -0.05, "low": -0.08, "high": -0.01, "wilcoxon": 0.00001, "permutation": 0.002}
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
POSITION = MethodResult(
    "position", 0.2, {"a": 0.2}, p_vs_random=0.00001, vs_random=BELOW, precision_at={1: 0.0, 3: 0.0}
)
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


FOUND = {"evaluation": EVALUATION, "compared": COMPARED}


def show(found, width=150):
    stream = io.StringIO()
    print_tables([lay_out(found)], file=stream, width=width)
    return stream.getvalue()


def write_markdown(found):
    return to_markdown([lay_out(found)])


RENDERERS = {"txt": show, "md": write_markdown, "tex": lambda found: to_latex([lay_out(found)])}


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
    assert "0.200†" not in write_markdown(EVALUATION)
    assert "0.294†" in write_markdown(EVALUATION)
    assert "0.294†" not in write_markdown(replace(EVALUATION, random=math.nan))


@pytest.mark.parametrize(("p", "shown"), [(0.0496, "0.0496"), (0.04999, "\\< 0.05"), (0.0504, "0.050")])
def test_no_p_is_rounded_across_the_line(p, shown):
    row = write_markdown(replace(EVALUATION, rows=(replace(SD, p_vs_random=p),))).splitlines()[4]
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
