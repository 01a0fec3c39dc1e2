"""`barthes evaluate` and `barthes bench` on small files and a model of a few thousand random weights."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest

from barthes.cache import ScoreCache
from barthes.evaluation.bench import CHEAP
from tests.cli.commands import check_refused, interrupt, run, start

ROWS = """story\tsentence\tlabel
wolf\ta wolf came .\t1
wolf\tit rained .\t0
wolf\tthe wolf ate a sheep .\t1
wolf\tthe girl slept .\t0
king\tthe king married .\t0
king\tthe girl died .\t1
king\tit rained and rained .\t0
"""
VOTES = {
    "one": {"story": ["it rained .", "a wolf came .", "the girl died ."], "most_important": ["3", "3", "2"]},
    "two": {"story": ["it rained .", "the king married .", "a girl slept ."], "most_important": ["2", "3"]},
}
FORMATS = {"txt": "text", "md": "markdown", "tex": "latex", "json": "json"}


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "tales.tsv"
    path.write_text(ROWS, encoding="utf-8")
    return f"labelled={path}"


@pytest.fixture
def corpora(corpus, tmp_path):
    (tmp_path / "votes.json").write_text(json.dumps(VOTES), encoding="utf-8")
    return ["-c", corpus, "-c", f"rocstories-salience={tmp_path / 'votes.json'}"]


def count_entries(path=None):
    with ScoreCache(path) as cache:
        return cache.status().entries


def test_json_of_several_methods(corpus):
    methods = ["random", "Position", "length+tfidf"]
    code, out, err = run("evaluate", *methods, "--corpus", corpus, "--format", "json", "--seeds", 3)
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["corpus"] == "tales"
    assert [row["method"] for row in found["rows"]] == ["random", "position", "length+tfidf"]
    assert [row["model"] for row in found["rows"]] == [None] * 3
    assert found["rows"][1]["per_story"] == pytest.approx({"wolf": 0.5, "king": 0.5})
    assert found["settings"]["seeds"] == 3
    assert found["counts"] == {"stories": 2, "sentences": 7, "salient": 3}


def test_against_any_method(corpus):
    options = ["length", "position", "-c", corpus, "--against", "tfidf", "--against", "length"]
    code, out, err = run("evaluate", *options, "-f", "json")
    assert (code, err) == (0, "")
    found = json.loads(out)["rows"][0]["p_vs"]
    assert found.keys() == {"tfidf", "length"}
    assert found["tfidf"].keys() == {"wilcoxon", "permutation"}
    assert found["length"] is None
    assert "p vs tfidf" in run("evaluate", *options)[1]


@pytest.mark.parametrize(("ending", "first"), [("txt", "tales"), ("md", "**"), ("tex", "% "), ("json", "{")])
@pytest.mark.parametrize("command", [["evaluate", "length"], ["bench"]], ids=["evaluate", "bench"])
def test_the_format_goes_by_the_ending(command, corpus, tmp_path, ending, first):
    out = tmp_path / f"table.{ending}"
    assert run(*command, "-c", corpus, "--out", out) == (0, "", "")
    text = out.read_text(encoding="utf-8")
    assert text.startswith(first)
    assert "length" in text
    assert run(*command, "-c", corpus, "-f", FORMATS[ending]) == (0, text, "")


def test_the_second_run_takes_cached_scores_and_imports_no_torch(corpus, tmp_path, tiny):
    options = ["sd", "sd+tfidf", "--corpus", corpus, "--model", tiny, "--results", tmp_path / "scores"]
    first = run("evaluate", *options, "--format", "json")
    assert (first[0], first[2]) == (0, "")
    row = json.loads(first[1])["rows"][0]
    assert (row["model"], row["precision"] in ("float32", "bfloat16")) == (str(tiny), True)
    assert count_entries(tmp_path / "scores" / "scores.sqlite3") == 3, "two stories, and the fingerprint"
    script = (
        "import sys; from barthes.cli.main import app\n"
        "try:\n    app(sys.argv[1:])\nexcept SystemExit as end:\n    assert not end.code\n"
        "assert 'torch' not in sys.modules"
    )
    command = [sys.executable, "-c", script, "evaluate", *map(str, options), "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    assert (done.stdout, done.stderr) == first[1:]


def test_where_scores_are_kept(corpus, tmp_path, tiny):
    assert run("evaluate", "sd", "-c", corpus, "--model", tiny)[0] == 0
    assert count_entries() == 3, "in the cache by default"
    assert run("evaluate", "length", "-c", corpus, "--results", tmp_path / "scores")[0] == 0
    assert not (tmp_path / "scores").exists(), "nothing is kept without a model"
    (tmp_path / "file").write_text("")
    command = ["evaluate", "sd", "-c", corpus, "--model", tiny, "--results", tmp_path / "file"]
    check_refused(command, "file: is a file, not a folder")


@pytest.mark.parametrize(
    ("number", "patience"),
    [(signal.SIGINT, 10), (signal.SIGINT, 0.02), (signal.SIGTERM, 10)],
    ids=["Ctrl-C", "Ctrl-C again and again", "SIGTERM"],
)
def test_an_interruption_keeps_the_finished_stories(tmp_path, tiny, number, patience):
    """The signal comes while the second, long story is being scored."""
    scores, path = tmp_path / "scores" / "scores.sqlite3", tmp_path / "tales.jsonl"
    short = {"story": "short", "sentences": ["a wolf came .", "it rained ."], "labels": [1, 0]}
    sentences = ["the wolf ate a sheep and then the girl slept ."] * 1000
    long = {"story": "long", "sentences": sentences, "labels": [1] + [0] * 999}
    path.write_text(f"{json.dumps(short)}\n{json.dumps(long)}\n")
    command = ["evaluate", "sd", "-c", f"labelled={path}", "--model", tiny, "--results", scores.parent]
    with start(*command) as process:
        while process.poll() is None and count_entries(scores) < 2:  # the model, and the short story
            time.sleep(0.05)
        out, err = interrupt(process, number, patience=patience)
    assert (process.returncode, out) == (130, b"")
    assert b"barthes: interrupted; finished work is saved in" in err
    assert b"Run the same command again to continue." in err
    assert b"Traceback" not in err
    assert count_entries(scores) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tfdif"], "Did you mean 'tfidf'"),
        (["length", "--against", "tfdif"], "Did you mean 'tfidf'"),
        (["length", "--corpus", "labeled=x.tsv"], "Did you mean 'labelled'"),
        (["length", "--corpus", "tales.tsv"], "KIND=PATH"),
        (["length", "--corpus", "labelled=/nowhere.tsv"], "nowhere.tsv"),
        (["length", "--corpus", "propplearner=/nowhere"], "nowhere"),
        (["length", "--corpus", "labelled=one.tsv", "--corpus", "labelled=two.tsv"], "barthes bench"),
        (["length", "--labels", "corrected"], "one labelling only"),
        (["va", "--annotation", "gold"], "the annotation 'predicted' (--annotation predicted)"),
        (["length", "--out", "/nowhere/out.tex"], "folder does not exist"),
        (["length", "--out", "table.xlsx"], ".md"),
        (["sd", "--model", "./nowhere"], "no such folder"),
        (["length", "--undefined", "ignore"], "skip"),
        (["length", "--seeds", "0"], "seeds"),
        ([], "METHOD"),
    ],
    ids=str,
)
def test_wrong_arguments_of_evaluate(corpus, tmp_path, arguments, message):
    more = [] if "--corpus" in arguments else ["--corpus", corpus]
    check_refused(["evaluate", *arguments, *more, "--results", tmp_path / "scores"], message)


def test_stories_without_salient_sentences(corpus, tmp_path):
    with (tmp_path / "tales.tsv").open("a") as file:
        file.write("dull\tit rained .\t0\n")
    code, out, _ = run("evaluate", "length", "-c", corpus)
    assert code == 0
    assert "1 story without a salient sentence, left out of the means: dull." in out
    check_refused(["evaluate", "length", "-c", corpus, "--undefined", "error"], "dull")


def test_bench_of_baselines_and_presets(corpora):
    code, out, err = run("bench", "Fast", "fast", *corpora, *corpora, "-f", "json", "--seeds", 3)
    assert code == 0
    assert err.count("fast is listed as placed:centroid+similarity.") == 1
    found = json.loads(out)
    assert [table["corpus"] for table in found["corpora"]] == ["tales", "ROCStories salience"]
    for table in found["corpora"]:
        assert [row["method"] for row in table["rows"]] == list(CHEAP)
    assert found["settings"] == {"model": None, "window": None, "seeds": 3}


def test_bench_with_a_model_and_the_second_run(corpora, tmp_path, tiny):
    options = ["sd", "ranks:sd+words", *corpora, "--model", tiny, "--results", tmp_path / "scores"]
    first = run("bench", *options, "--format", "json")
    assert (first[0], first[2]) == (0, "")
    rows = json.loads(first[1])["corpora"][1]["rows"]
    assert [row["method"] for row in rows[len(CHEAP) :]] == ["sd", "ranks:sd+words"]
    assert rows[-1]["model"] == str(tiny)
    assert count_entries(tmp_path / "scores" / "scores.sqlite3") == 5, "four stories, and the fingerprint"
    assert run("bench", *options, "--format", "json") == first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tfdif"], "Did you mean 'tfidf'"),
        (["ranks:words"], "ranks of one method"),
        (["-c", "labeled=x.tsv"], "Did you mean 'labelled'"),
        (["-c", "labelled=/nowhere.tsv"], "nowhere.tsv"),
        (["--out", "/nowhere/out.tex"], "folder does not exist"),
        (["sd", "--model", "./nowhere"], "no such folder"),
    ],
    ids=str,
)
def test_wrong_arguments_of_bench(corpora, tmp_path, arguments, message):
    check_refused(["bench", *arguments, *corpora, "--results", tmp_path / "scores"], message)


def test_a_corpus_is_needed_and_not_overwritten(corpora, corpus, tmp_path):
    check_refused(["bench", "sd"], "--corpus")
    check_refused(["bench", *corpora, "--out", tmp_path / "votes.json"], "is the corpus")
    assert json.loads((tmp_path / "votes.json").read_text()) == VOTES
    out = tmp_path / "tales.tsv"
    check_refused(["evaluate", "length", "-c", corpus, "--out", out, "-f", "json"], "is the corpus")
    assert out.read_text() == ROWS


@pytest.fixture
def kept(tmp_path):
    path = tmp_path / "kept.json"
    path.write_text(json.dumps({"corpora": {"tales": {"wolf": [4, 1, 3, 2], "king": [1, 3, 2]}}}))
    return path


def test_scores_computed_elsewhere(corpus, kept):
    code, out, err = run("evaluate", "--scores", f"learned={kept}", "-c", corpus, "-f", "json")
    assert (code, err) == (0, "")
    [row] = json.loads(out)["rows"]
    assert (row["method"], row["map"]) == ("learned", 1.0)
    code, out, err = run("bench", "--scores", f"learned={kept}", "-c", corpus, "-f", "json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert [row["method"] for row in found["corpora"][0]["rows"]] == [*CHEAP, "learned"]
    assert found["summary"]["rows"][-1] == {"method": "learned", "mean": 1.0, "corpora": 1, "values": [1.0]}


def test_scores_and_units_that_are_refused(corpus, kept, tmp_path):
    check_refused(["evaluate", "-c", corpus], "give a method, or scores")
    check_refused(["bench", "--scores", kept, "-c", corpus], "is not NAME=FILE")
    check_refused(["bench", "--scores", f"x={tmp_path / 'none.json'}", "-c", corpus], "no such file")
    check_refused(["bench", "--scores", f"x={kept}", "-c", corpus, "-o", kept], "is the scores")
    check_refused(["bench", "-c", corpus, "--unit", "event"], "has no labels for events")


def test_a_bench_of_several_corpora_ends_with_a_summary(corpora):
    code, out, err = run("bench", *corpora)
    assert (code, err) == (0, "")
    summary = out.partition("\nSummary\n")[2].splitlines()
    assert summary[0].split() == ["method", "tales", "ROCStories", "salience", "mean"]
    assert len([line for line in summary if line.startswith("random ")]) == 1
    assert "People: half of the annotators against the other half" in out
