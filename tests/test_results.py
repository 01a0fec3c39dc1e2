"""The results that the documentation quotes: they are whole, and their figures follow from their scores."""

from __future__ import annotations

import importlib
import json
import os
import re
from pathlib import Path

import pytest
from sklearn.metrics import average_precision_score

from barthes.corpora import ProppLearner
from barthes.methods import PRESETS
from barthes.reproduction.published import PROPOSED
from barthes.salience.combination import scale_to_unit

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "docs" / "research" / "results"
CORPUS = Path(os.environ.get("BARTHES_SHARED", ROOT.parent / "shared")) / "data" / "propplearner"


RUNS = [("smollm2-135m", "sd"), ("smollm2-135m", "va"), ("smollm2-135m", "paa"), ("folktale", "sd")]


def load(model, method):
    return json.loads((RESULTS / f"propplearner-{model}-{method}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("model", "method"), RUNS)
def test_results_are_whole_and_hold_no_text(model, method):
    result = load(model, method)
    assert (result["model"], result["method"]) == (model, method)
    assert set(result["tales"]) == {f"story{number}" for number in range(1, 16)}
    assert sum(map(len, result["tales"].values())) == 1302
    assert all(isinstance(score, float) for scores in result["tales"].values() for score in scores)
    page = (RESULTS.parent / "README.md").read_text(encoding="utf-8")
    assert f"{result['map']['paper']:.3f}" in page
    assert f"{result['map']['paper+tfidf']:.3f}" in page


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the ProppLearner corpus is not here")
@pytest.mark.parametrize("rule", ["paper", "corrected"])
@pytest.mark.parametrize(("model", "method"), RUNS)
def test_mean_average_precision_follows_from_the_scores(model, method, rule):
    result = load(model, method)
    corpus = ProppLearner(CORPUS, rule=rule)
    each = [average_precision_score(tale.labels, result["tales"][tale.name]) for tale in corpus]
    assert sum(each) / len(each) == pytest.approx(result["map"][rule], abs=1e-12)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the ProppLearner corpus is not here")
def test_table_2_of_the_reproduction_follows_from_its_scores():
    found = json.loads((RESULTS / "reproduction-paper.json").read_text(encoding="utf-8"))
    corpus = ProppLearner(CORPUS, rule=found["settings"]["labels"])
    rows = [row for row in found["table2"]["rows"] if row["status"] == "run" and row["method"] in PROPOSED]
    assert rows
    first = rows[0]["fine_tuning"]  # its scores stand without the name of their setting
    for row in rows:
        each = {}
        for tale in corpus:
            scores = found["scores"][tale.name]
            run = scores if row["fine_tuning"] == first else scores[row["fine_tuning"]]
            parts = [run[row["method"]], *([scores["tfidf"]] if row["tfidf"] else [])]
            total = parts[0] if len(parts) == 1 else sum(map(scale_to_unit, parts))
            each[tale.name] = average_precision_score(tale.labels, total)
        assert each == pytest.approx(row["per_story"], abs=1e-12), row["method"]
        assert sum(each.values()) / len(each) == pytest.approx(row["ours"], abs=1e-12)


def test_the_page_on_the_paper_quotes_its_figures():
    found = json.loads((RESULTS / "reproduction-paper.json").read_text(encoding="utf-8"))
    page = (ROOT / "docs" / "research" / "reproduction.md").read_text(encoding="utf-8")
    assert not any("labels" in scores for scores in found["scores"].values())
    run = [row for row in found["table2"]["rows"] if row["status"] == "run"]
    assert len(run) == 22
    for row in run:
        dagger = "†" if row["dagger"] else ""
        low, high = row["interval"]
        chance = "" if row["p_vs_random"] is None else f"{row['p_vs_random']:.3f} "
        line = (
            f"| {row['ours']:.3f}{dagger} | {low:.3f} to {high:.3f} "
            f"| {chance}| {row['p_vs_expectation']:.3f} |"
        )
        assert line in page, row["method"]
    ordering = found["ordering"]
    assert f"{ordering['correct']:,} of {ordering['pairs']:,}" in page
    deletion = found["deletion"]
    assert f"{deletion['accuracy']:.1%}".replace("%", " %") in page
    places = [f"{place['accuracy']:.1%}".replace("%", " %") for place in deletion["by_position"]]
    assert f"| detected | {' | '.join(places)} |" in page
    for sentence in found["cinderella"]["sentences"]:
        figures = f"{sentence['paper']:.3f} | {sentence['ours']:.3f}".replace("-", "−")
        assert f"| {sentence['text']} | {figures} |" in page
    plain, domain, own = (f"{row['perplexity']:.1f}" for row in found["perplexity"]["rows"])
    assert f"{plain} on the tales" in page
    assert f"{domain} with `folktale`" in page
    assert f"{own} with the model that has read them" in page
    signs = [each["ours"] for each in found["perplexity"]["spearman"].values()]
    assert f"| ours | {' | '.join(f'{each:.1f}' for each in signs)} |".replace("-", "−") in page


@pytest.fixture
def compare(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "scripts")
    return importlib.import_module("compare_fine_tuning").compare


def test_the_page_on_the_paper_says_what_fine_tuning_changes(compare):
    found = json.loads((RESULTS / "reproduction-paper.json").read_text(encoding="utf-8"))
    page = (ROOT / "docs" / "research" / "reproduction.md").read_text(encoding="utf-8")
    lines = compare(found)
    assert len(lines) == sum(
        row["status"] == "run" and row["fine_tuning"] is not None for row in found["table2"]["rows"]
    )
    assert all(line in page for line in lines)


def test_what_fine_tuning_changes_by_hand(compare):
    def make_row(fine_tuning, each, status="run"):
        told = {"method": "sd", "tfidf": True, "fine_tuning": fine_tuning, "status": status}
        return {**told, "ours": sum(each) / 5, "per_story": dict(zip("abcde", each, strict=True))}

    plain, domain = [0.5, 0.6, 0.7, 0.8, 0.9], [0.4, 0.4, 0.4, 0.4, 0.4]
    rows = [make_row(None, plain), make_row("domain", domain), make_row("transductive", domain, "not run")]
    scores = {"sd": [1.0, 2.0, 3.0], "domain": {"sd": [3.0, 2.0, 1.0]}}
    kept = {"table2": {"rows": rows}, "scores": dict.fromkeys("abcde", scores)}
    [line] = compare(kept)
    name, before, after, difference, _, tales, p, alike = line.strip("| ").split(" | ")
    assert (name, before, after, difference) == ("SD + TF-IDF, domain", "0.700", "0.400", "−0.3000")
    assert (tales, p, alike) == ("0, 5", "0.062", "−1.00")  # 2 of the 32 patterns of signs are as extreme
    assert compare({**kept, "table2": {"rows": rows[1:]}}) == []


def load_bench():
    """Return the tables of sentences in the kept benchmark by corpus, with the first labelling of each."""
    kept = json.loads((RESULTS / "bench.json").read_text(encoding="utf-8"))
    tables = [table for table in kept["corpora"] if table.get("unit", "sentence") == "sentence"]
    return {table["corpus"]: table for table in reversed(tables)}


def load_hippocorpus():
    """Return the rows of Hippocorpus by method: from the benchmark, or from the file it had before."""
    bench = load_bench()
    if "Hippocorpus" in bench:
        return {row["method"]: row for row in bench["Hippocorpus"]["rows"]}
    kept = json.loads((RESULTS / "hippocorpus.json").read_text(encoding="utf-8"))
    return {row["method"]: row for row in kept["rows"]}


def test_the_benchmark_page_quotes_its_figures():
    page = (RESULTS.parent / "benchmark.md").read_text(encoding="utf-8").partition("## ")[0]
    bench = load_bench()
    [header] = [line for line in page.splitlines() if line.startswith("| | ")]
    tables = [bench[cell.split(",")[0].strip()] for cell in header.strip("| ").split("|")]
    names = {"chance": "random", "`fast` (no model)": PRESETS["fast"], "`best`": PRESETS["best"]}
    names |= {"`tfidf`": "tfidf", "`ranks:words+position` (no model)": "ranks:words+position"}
    for shown, method in names.items():
        [line] = [line for line in page.splitlines() if line.startswith(f"| {shown} |")]
        rows = [next(row for row in table["rows"] if row["method"] == method) for table in tables]
        first = [f"{row[table['measures'][0]]:.3f}" for row, table in zip(rows, tables, strict=True)]
        assert re.findall(r"-?\d\.\d{3}", line.replace("−", "-")) == first


def test_the_benchmark_page_quotes_hippocorpus():
    page = (
        (RESULTS.parent / "benchmark.md").read_text(encoding="utf-8").partition("## How it was measured")[0]
    )
    section = page.partition("| method on Hippocorpus")[2]
    rows = load_hippocorpus()
    figures = {method: f"{row['spearman']:.3f} | {row['map']:.3f} |" for method, row in rows.items()}
    quoted = re.findall(r"^\| `([^`]+)`[^|]*\| (.*)$", section, re.MULTILINE)
    assert len(quoted) == 8
    assert all(figures[method] == shown for method, shown in quoted)


def test_presets_are_hardly_better_than_chance_on_hippocorpus():
    rows = load_hippocorpus()
    for row in (rows[PRESETS[name]] for name in ("fast", "best")):
        assert row["map"] - rows["random"]["map"] < 0.03
        assert row["spearman"] < 0.1


def find_table(page, header):
    """Return the cells of the table whose header starts so, row by row."""
    text = (RESULTS.parent / page).read_text(encoding="utf-8").replace("−", "-")
    [table] = re.findall(rf"^\| ?{re.escape(header)}.*\n\|-.*\n((?:\|.*\n)+)", text, re.MULTILINE)
    return [line.strip("|").split("|") for line in table.splitlines()]


def find_figures(text):
    return re.findall(r"-?\d+\.\d+", text)


@pytest.mark.parametrize(
    ("page", "header", "column", "outputs"),
    [
        ("experiments.md", "what is summed", 1, ["influence-rocstories"]),
        ("experiments.md", "stories scored together", 2, ["group-size-rocstories"]),
        ("experiments.md", "stories scored together", 3, ["group-size-tripod"]),
        (
            "experiments.md",
            "corpus | six",
            1,
            ["learned-rocstories", "learned-tripod", "learned-propplearner"],
        ),
        ("experiments.md", "corpus | six", 2, ["learned-rocstories-model", "learned-tripod-model"]),
        ("experiments.md", "corpus | six", 3, ["learned-propplearner-removals"]),
        *(("measurements.md", "| precision", column, ["annotation"]) for column in range(1, 5)),
    ],
)
def test_a_column_quotes_kept_outputs(page, header, column, outputs):
    kept = [(RESULTS / f"{name}.txt").read_text(encoding="utf-8") for name in outputs]
    quoted = [figure for row in find_table(page, header) for figure in find_figures(row[column])]
    assert quoted
    assert set(quoted) <= set(find_figures("".join(kept)))


@pytest.mark.parametrize(
    ("header", "output"), [("functions, in the order", "functions"), ("tale |", "preview")]
)
def test_rows_quote_a_kept_output(header, output):
    kept = re.sub(r" \(.*?\)", "", (RESULTS / f"{output}.txt").read_text(encoding="utf-8"))
    expected = [find_figures(line) for line in kept.splitlines()]
    quoted = [find_figures("|".join(row)) for row in find_table("experiments.md", header)]
    assert quoted == [figures for figures in expected if figures]


def test_the_page_quotes_the_variants_of_the_papers_methods(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    format_row = importlib.import_module("removal_variants").format_row
    page = (RESULTS.parent / "experiments.md").read_text(encoding="utf-8")
    kept = sorted(RESULTS.glob("variants-*.json"))
    assert kept
    for path in kept:
        result = json.loads(path.read_text(encoding="utf-8"))
        assert f"results/{path.name}" in page
        assert len(result["rows"][0]["figure"]["per_story"]) == result["counts"]["stories"]
        for row in result["rows"]:
            assert format_row(row) in page, path.name


def test_the_pages_quote_how_well_people_agree():
    people = [table["people"] for table in load_bench().values() if table.get("people")]
    kept = [f"{each['value']:.3f}" for each in people] or find_figures(
        (RESULTS / "human-agreement.txt").read_text(encoding="utf-8")
    )
    page = (RESULTS.parent / "benchmark.md").read_text(encoding="utf-8")
    rows = [
        line for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines() if "Spearman" in line
    ]
    for figure, row in zip(kept, rows, strict=True):
        assert figure in page
        assert f"| 0 | {float(figure):.2f} |" in row
