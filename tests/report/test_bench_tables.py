from __future__ import annotations

import io
import json

from barthes.evaluation.bench import Bench, BenchRow, CorpusBench
from barthes.evaluation.result import Evaluation, Figure, MethodResult
from barthes.report.evaluation_tables import print_tables, to_json, to_latex, to_markdown


def result(method, value, model=None):
    figures = {
        "map": Figure(value, (value - 0.1, value + 0.1), {"a": value}),
        "agreement": Figure(0.5, None, {"a": 0.5}),
    }
    precision = "bfloat16" if model else None
    return MethodResult(method, value, {"a": value}, model=model, precision=precision, figures=figures)


TESTS = {"wilcoxon": 0.004, "permutation": 0.25}
ROWS = (
    BenchRow(result("random", 0.2), True, {"random": None, "tfidf": TESTS, "words": TESTS}),
    BenchRow(result("words", 0.3), True, {"random": TESTS, "tfidf": TESTS, "words": None}),
    BenchRow(
        result("ranks:sd+words", 0.31, "my_models/x|y"),
        False,
        {"random": TESTS, "tfidf": TESTS, "words": None},
        Figure(0.01, (-0.02, 0.04), {"a": 0.01}),
    ),
)
COUNTS = {"stories": 1, "sentences": 20, "salient": 5}
EVALUATION = Evaluation(
    "films & more", "any", tuple(row.result for row in ROWS), counts=COUNTS, notes=("A note.",), random=0.2
)
BENCH = Bench((CorpusBench(EVALUATION, ("map", "agreement"), ROWS, "words"),), {"seeds": 10})


def show(bench, **options):
    stream = io.StringIO()
    print_tables(bench, file=stream, **options)
    return stream.getvalue()


def test_text():
    lines = show(BENCH, width=200).splitlines()
    assert lines[0].startswith("films & more, labels: any: 5 of 20 sentences salient in 1 story")
    assert lines[1].split()[:4] == ["method", "model", "MAP", "95"]
    assert "p vs cheap" in lines[1]
    assert lines[2].split()[2] == "0.200"
    assert lines[3].split()[2] == "0.300†*", "better than random, and the best of the cheap"
    assert lines[4].split()[:4] == ["ranks:sd+words", "my_models/x|y", "0.310†", "0.210–0.410"]
    assert "+0.010 (-0.020 to +0.040)" in lines[4]
    assert "0.004 (0.250)" in lines[4]
    text = " ".join(lines)
    for said in (
        "chosen on these very stories",
        "mean of 10 draws",
        "x|y in bfloat16",
        "A note.",
        "±1: share",
    ):
        assert said in text


def test_several_corpora_are_told_apart():
    two = Bench(BENCH.corpora * 2, BENCH.settings)
    assert show(two) == show(BENCH) + "\n" + show(BENCH)
    assert to_markdown(two) == to_markdown(BENCH) + "\n" + to_markdown(BENCH)
    assert to_latex(two).count(r"\begin{table}") == 2


def test_markdown_and_latex_are_escaped():
    assert r"my\_models/x\|y" in to_markdown(BENCH)
    latex = to_latex(BENCH)
    assert r"films \& more" in latex
    assert r"$\pm$1" in latex
    assert "†" not in latex


def test_json():
    assert json.loads(to_json(BENCH)) == BENCH.to_dict()


def test_no_column_of_models_where_there_are_none():
    cheap = Bench((CorpusBench(EVALUATION, ("map",), ROWS[:2], "words"),), BENCH.settings)
    assert "model" not in show(cheap).splitlines()[1]
