"""Tables of evaluations. To accept changes of golden files, run with GOLDEN=write."""

from __future__ import annotations

import io
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from barthes.evaluation.measures import MEASURES
from barthes.evaluation.result import Evaluation, Figure, MethodResult
from barthes.report.evaluation_tables import lay_out, print_tables, to_json, to_latex, to_markdown
from tests.golden_files import check_golden

GOLDEN = Path(__file__).parent / "golden"
TESTS = {"difference": 0.03, "low": -0.01, "high": 0.07, "wilcoxon": 0.2, "permutation": 0.00001}
BELOW = {"difference": -0.05, "low": -0.08, "high": -0.01, "wilcoxon": 0.00001, "permutation": 0.002}
NOTHING = {name: Figure({"a": math.nan}) for name in MEASURES}
SD = MethodResult(
    "sd+tfidf",
    {
        "map": Figure({"a": 0.25, "b": 0.33824, "c": math.nan}),
        "r_precision": Figure({"a": 0.2}),
        "precision_at_1": Figure({"a": 0.5}),
        "auc": Figure({"a": 0.7}),
        "spearman": Figure({"a": -0.1}),
        "agreement": Figure({"a": 0.5}),
    },
    vs_random={"wilcoxon": 0.0049},
    model="my_models/x|y",
    precision="bfloat16",
)
POSITION_FIGURES = {"map": Figure({"a": 0.2}), "precision_at_1": Figure({"a": 0.0})}
POSITION = MethodResult("position", NOTHING | POSITION_FIGURES, vs_random=BELOW)
RANDOM = MethodResult("random", NOTHING)
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
