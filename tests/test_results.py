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
from barthes.corpora.opening import open_corpus
from barthes.methods import PRESETS
from barthes.removal.anonymization import Anonymizer
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


def test_the_benchmark_page_quotes_its_figures():
    page = (RESULTS.parent / "benchmark.md").read_text(encoding="utf-8").partition("## ")[0]
    bench = load_bench()
    [header] = [line for line in page.splitlines() if line.startswith("| | ")]
    tables = [bench[cell.split(",")[0].strip()] for cell in header.strip("| ").split("|")]
    assert len(tables) == 5
    names = {"chance": "random", "`tfidf`": "tfidf", "`fast`": PRESETS["fast"]}
    names |= {"`ranks:words+position`": "ranks:words+position", "`readers`": "readers-cv"}
    names |= {"position and length, learned": "position-length-cv"}
    for shown, method in names.items():
        [line] = [line for line in page.splitlines() if line.startswith(f"| {shown} |")]
        found = [[row for row in table["rows"] if row["method"] == method] for table in tables]
        pairs = zip(found, tables, strict=True)
        first = [f"{rows[0][table['measures'][0]]:.3f}" for rows, table in pairs if rows]
        assert re.findall(r"-?\d\.\d{3}", line.replace("−", "-")) == first


def test_the_page_on_readers_quotes_the_benchmark():
    page = " ".join((RESULTS.parent / "readers.md").read_text(encoding="utf-8").split())
    kept = json.loads((RESULTS / "bench.json").read_text(encoding="utf-8"))
    tables = [table for table in kept["corpora"] if table["labels"] != "corrected"]
    assert len(tables) == 6
    for table in tables:
        first = table["measures"][0]
        rows = {row["method"]: row for row in table["rows"]}
        for name in {"readers", "readers-cv", "readers-left-out"} & rows.keys():
            low, high = rows[name]["interval"][first]
            assert f"{rows[name][first]:.3f} ({low:.3f} to {high:.3f})" in page
            if name != "readers":
                low, high = rows[name]["gain"]["interval"]
                assert f"{rows[name]['gain']['value']:+.3f} ({low:+.3f} to {high:+.3f})" in page
        if "position-length-cv" in rows:
            assert f" {rows['position-length-cv'][first]:.3f} " in page


def test_the_page_on_readers_quotes_the_summary_and_the_choice_of_cheap_methods():
    page = (RESULTS.parent / "readers.md").read_text(encoding="utf-8")
    summary = json.loads((RESULTS / "bench.json").read_text(encoding="utf-8"))["summaries"]["sentence"]
    corpora = [k for k, column in enumerate(summary["columns"]) if column["corpus"] != "ProppLearner"]
    values = {row["method"]: [row["values"][k] for k in corpora] for row in summary["rows"]}
    for name in ("readers-cv", "readers-left-out", "position-length-cv", PRESETS["fast"]):
        assert f"{sum(values[name]) / 4:.3f}" in page
    cheap = [row["method"] for row in load_bench()["TRIPOD"]["rows"] if row["cheap"]]
    for left in range(4):
        others = {name: sum(values[name]) - values[name][left] for name in cheap}
        assert f"{values[max(others, key=others.__getitem__)][left]:.3f}" in page


def test_the_page_on_readers_quotes_the_ablations():
    page = " ".join((RESULTS.parent / "readers.md").read_text(encoding="utf-8").split())
    found = json.loads((RESULTS / "readers-ablations.json").read_text(encoding="utf-8"))

    def quote(row, between):
        return between.join(f"{each['value']:.3f}" for each in row.values())

    for title, row in found["left out"].items():
        assert f"| {title} | {quote(row, ' | ')} |" in page
    validated = found["cross-validated"]
    for title in ("with the kind of story given", "as shipped"):
        assert " and ".join(quote(validated[title], ", ").rsplit(", ", 1)) in page
    for corpus, alone in validated["stories with sd"].items():
        both = validated["rank sum with sd"][corpus]
        assert both["stories"] == alone["stories"]
        assert f"{both['value']:.3f} against {alone['value']:.3f} on {both['stories']} stories" in page


def test_the_page_on_readers_quotes_the_adapters():
    lines = (RESULTS.parent / "readers.md").read_text(encoding="utf-8").replace("−", "-").splitlines()
    found = json.loads((RESULTS / "readers-lora.json").read_text(encoding="utf-8"))
    assert f"{found['parameters']:,} parameters" in " ".join(lines)
    for epoch in found["epochs"]:
        figures = []
        for row in epoch["rows"]:
            figures += [row["spearman"]]
            figures += [row["difference"], *row["difference_interval"], row["p"]] if epoch["epoch"] else []
        [line] = [line for line in lines if line.startswith(f"| {epoch['epoch']} |")]
        quoted = re.findall(r"[-+]?\d\.\d{3}", line)
        assert [float(each) for each in quoted] == pytest.approx(figures, abs=5.01e-4)


def test_the_page_on_readers_quotes_the_states_of_a_larger_model():
    lines = (RESULTS.parent / "readers.md").read_text(encoding="utf-8").replace("−", "-").splitlines()
    rows = json.loads((RESULTS / "readers-states.json").read_text(encoding="utf-8"))["rows"]
    for case in ("cross-validated", "left out"):
        [line] = [line for line in lines if line.startswith(f"| {case} |")]
        found = [row for row in rows if row["model"] == "gemma-3-270m" and row["case"] == case]
        figures = [[row["value"], row["difference"], *row["difference_interval"]] for row in found]
        quoted = [float(each) for each in re.findall(r"[-+]?\d\.\d{3}", line)]
        assert quoted[:4] == pytest.approx(figures[0], abs=5.01e-4)
        assert quoted[5:9] == pytest.approx(figures[1], abs=5.01e-4)


def test_readers_lead_on_the_corpora_they_were_trained_on():
    for name, table in load_bench().items():
        rows = {row["method"]: row for row in table["rows"]}
        if name != "ProppLearner":
            assert rows["readers-cv"]["gain"]["interval"][0] > 0
            assert rows["readers-cv"]["p_vs"][table["best_cheap"]]["wilcoxon"] < 0.01


@pytest.fixture
def larger_models(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("larger_models")


def test_the_page_on_larger_models_quotes_its_figures(larger_models):
    kept = json.loads((RESULTS / "larger-models.json").read_text(encoding="utf-8"))
    lines = (RESULTS.parent / "larger-models.md").read_text(encoding="utf-8").splitlines()
    shown = [line for line in lines if line.startswith("| ") and re.search(r"\d\.\d{3}", line)]
    expected = [line for found in kept["corpora"] for line in larger_models.tabulate(found)]
    expected += [line for found in kept["corpora"] for line in larger_models.tabulate_fit(found)]
    assert sorted(shown) == sorted(expected)


def test_the_figures_of_larger_models_follow_from_their_scores(larger_models):
    kept = json.loads((RESULTS / "larger-models.json").read_text(encoding="utf-8"))
    files = {
        "rocstories-salience": "rocstories_salience/val.json",
        "hippocorpus": "hippocorpus/events_dev.csv",
    }
    files |= {"tripod": "tripod/synopses_dev.csv", "propplearner": "propplearner"}
    for found in kept["corpora"]:
        path = CORPUS.parent / files[found["corpus"]]
        if not path.exists():
            pytest.skip(f"{path.name} is not here")
        again = larger_models.compare_models(open_corpus(f"{found['corpus']}={path}"), found["models"])
        for table, same in zip(found["tables"], again["tables"], strict=True):
            assert [row["value"] for row in same["rows"]] == pytest.approx(
                [row["value"] for row in table["rows"]]
            )
            assert [row["p"] for row in same["rows"]] == pytest.approx([row["p"] for row in table["rows"]])


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
    ("header", "output"),
    [("functions, in the order", "functions"), ("tale |", "preview"), ("horizon |", "preview-horizons")],
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
    people = {name: table["people"]["value"] for name, table in load_bench().items() if table.get("people")}
    assert len(people) == 2
    page = (RESULTS.parent / "benchmark.md").read_text(encoding="utf-8")
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    for name, figure in people.items():
        assert f"{figure:.3f}" in page
        [row] = [line for line in lines if line.startswith(f"| {name.split()[0]},")]
        assert f"| 0 | {figure:.2f} |" in row


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the ProppLearner corpus is not here")
@pytest.mark.parametrize("method", ["va", "paa"])
def test_scores_are_zero_where_a_removal_changes_nothing(method):
    scores = load("smollm2-135m", method)["tales"]
    unchanged = 0
    for tale in ProppLearner(CORPUS):
        removal = Anonymizer(lambda narrative, tale=tale: tale.annotation, arguments=method == "paa")
        removed = removal(tale.narrative)
        expected = [each.text.split() == str(tale.narrative[each.index]).split() for each in removed]
        assert [score == 0 for score in scores[tale.name]] == expected, tale.name
        unchanged += sum(expected)
    assert unchanged == {"va": 49, "paa": 8}[method]


def test_the_page_quotes_the_time_of_a_novel():
    kept = json.loads((RESULTS / "novel-by-scenes.json").read_text(encoding="utf-8"))
    cells = [f"{kept['words']:,}", f"{kept['units']}", f"{kept['tokens']:,}"]
    cells += [f"{kept['scoring_cpu_seconds']:,.0f}", f"{kept['scoring_seconds']:,.0f}"]
    row = f"| {' | '.join(cells)} | {kept['peak_memory_gib']:.2f} GiB |"
    assert row in (RESULTS.parent / "measurements.md").read_text(encoding="utf-8")


def test_the_page_quotes_the_evaluation_of_cuts(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    cutting = importlib.import_module("cutting")
    page = (RESULTS.parent / "cutting.md").read_text(encoding="utf-8")
    for name in ("cutting.json", "cutting-variants.json"):
        kept = json.loads((RESULTS / name).read_text(encoding="utf-8"))
        summary = cutting.summarize(kept["stories"])
        assert json.loads(json.dumps(summary)) == kept["ways"]
        for way, row in summary.items():
            assert cutting.format_row(way, row) in page


def test_the_page_has_the_table_of_other_libraries(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    peers = importlib.import_module("peers")
    kept = json.loads((RESULTS / "peers.json").read_text(encoding="utf-8"))
    assert set(kept["results"]) == set(peers.PEERS)
    page = (RESULTS.parent / "peers.md").read_text(encoding="utf-8")
    assert peers.format_table(kept["results"]) in page
    for peer in peers.PEERS.values():
        assert peer.use in page
        assert peer.package is None or peer.package.replace("==", " ") in page
