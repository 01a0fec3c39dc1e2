from __future__ import annotations

import io
import json
import math
import re
from dataclasses import replace

import pytest

from barthes.evaluation.result import Evaluation, MethodResult
from barthes.report.evaluation_tables import print_tables, to_json, to_latex, to_markdown

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


def show(evaluation, **options):
    stream = io.StringIO()
    print_tables(evaluation, file=stream, **options)
    return stream.getvalue()


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def test_text():
    text = show(EVALUATION)
    lines = text.splitlines()
    assert lines[0].startswith(
        "My & your tales_#1 �[31m, labels: paper: 5 of 20 sentences salient in 2 stories"
    )
    assert lines[1].split()[:3] == ["method", "model", "MAP"]
    row = lines[2].split()
    assert row == [
        "sd+tfidf",
        "my_models/x|y",
        "0.294†",
        "0.250–0.330",
        "0.005",
        "0.200",
        "0.500",
        "0.700",
        "-0.100",
    ]
    assert lines[3].split()[4:6] == ["<", "0.001"]
    assert set(lines[4].split()[1:]) == {"–"}
    assert "the mean of 10 draws); † better than random, p < 0.05" in text
    assert "Computed with my_models/x|y in bfloat16." in text
    assert "50 % of {it}" in text
    assert "\x1b" not in text


def test_worse_than_random_is_not_marked():
    """At p < 0.001, with a MAP below that of random."""
    assert POSITION.map < EVALUATION.random
    for render in (show, to_markdown, to_latex):
        text = render(EVALUATION)
        assert "0.294†" in text or r"0.294\textsuperscript" in text
        assert "0.200†" not in text
        assert r"0.200\textsuperscript" not in text
        assert "0.294†" not in render(replace(EVALUATION, random=math.nan)), "better than what?"


@pytest.mark.parametrize(("p", "shown"), [(0.0496, "0.0496"), (0.04999, "< 0.05"), (0.0504, "0.050")])
def test_no_p_is_rounded_across_the_line(p, shown):
    text = to_markdown(replace(EVALUATION, rows=(replace(SD, p_vs_random=p),)))
    row = cells(text.splitlines()[4])
    assert row[2] == ("0.294†" if p < 0.05 else "0.294")
    assert row[4].replace("\\", "") == shown


def test_a_column_for_each_method_compared_with():
    tests = {"wilcoxon": 0.2, "permutation": 0.00001}
    rows = (replace(SD, p_vs={"tfidf": tests, "sd+tfidf": None}), replace(POSITION, p_vs={"tfidf": tests}))
    compared = replace(EVALUATION, rows=rows)
    table = [cells(line) for line in to_markdown(compared).splitlines() if line.startswith("|")]
    assert table[0][4:8] == ["p", "p vs tfidf", "p vs sd+tfidf", "R-prec."]
    assert table[2][5:7] == [r"0.200 (\< 0.001)", "–"]
    assert table[3][5:7] == [r"0.200 (\< 0.001)", "–"]
    assert "0.200 (< 0.001)" in show(compared)
    assert r"p vs tfidf & p vs sd+tfidf &" in to_latex(compared)
    for render in (show, to_markdown, to_latex):
        assert "permutation test" in render(compared)
        assert "permutation test" not in render(EVALUATION)


def test_text_fits_the_width_without_losing_figures():
    text = show(EVALUATION, width=60)
    assert max(map(len, text.splitlines())) <= 60
    assert "…" not in text


def test_no_column_for_models_where_there_are_none():
    plain = Evaluation("tales", "ours", (POSITION,))
    assert show(plain).splitlines()[1].split()[:2] == ["method", "MAP"]
    assert cells(to_markdown(plain).splitlines()[2])[:2] == ["method", "MAP"]


def test_markdown_is_a_table_that_nothing_breaks():
    text = to_markdown(EVALUATION)
    table = [cells(line) for line in text.splitlines() if line.startswith("|")]
    assert {len(row) for row in table} == {9}
    assert table[0][:3] == ["method", "model", "MAP"]
    assert table[2][:5] == ["sd+tfidf", r"my\_models/x\|y", "0.294†", "0.250–0.330", "0.005"]
    assert table[3][4] == r"\< 0.001"
    assert r"- 50 % of \{it\} \| is \~lost\~ \<b\>." in text
    assert "\x1b" not in text


def test_latex_is_escaped():
    text = to_latex(EVALUATION)
    assert r"\toprule" in text
    assert text.count(r"\\") == 4, "the header and three rows"
    assert r"sd+tfidf & my\_models/x\textbar{}y & 0.294\textsuperscript{\textdagger} & 0.250--0.330" in text
    assert r"My \& your tales\_\#1" in text
    assert r"50 \% of \{it\} \textbar{} is \textasciitilde{}lost\textasciitilde{} \textless{}b" in text
    assert r"$\rho$" in text
    body = text.split("\n", 1)[1]  # after the comment
    assert not re.search(r"(?<!\\)[#%]", body)
    assert body.count("{") - body.count(r"\{") == body.count("}") - body.count(r"\}")


@pytest.mark.parametrize("sign", list("&%$#_{}~^\\<>|–†ρ…"))
def test_no_sign_reaches_latex_as_it_is(sign):
    text = to_latex(Evaluation(f"a{sign}b", "paper", ()))
    assert f"a{sign}b" not in text


def test_json_has_the_figures_in_full():
    plain = json.loads(to_json(EVALUATION))
    assert plain["rows"][0]["map"] == 0.29412
    assert plain == EVALUATION.to_dict()


def test_no_rows_at_all():
    empty = Evaluation("tales", "ours", ())
    for render in (show, to_markdown, to_latex, to_json):
        assert "tales" in render(empty)
