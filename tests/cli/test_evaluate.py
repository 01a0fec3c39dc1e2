"""`barthes evaluate` on small files and a model of a few thousand random weights."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest

from barthes.cache import ScoreCache
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
FORMATS = {"txt": "text", "md": "markdown", "tex": "latex", "json": "json"}


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "tales.tsv"
    path.write_text(ROWS, encoding="utf-8")
    return f"labelled={path}"


def count_entries(path=None):
    with ScoreCache(path) as cache:
        return cache.status().entries


def test_json_of_several_methods(corpus):
    methods = ["random", "Position", "length+tfidf"]
    code, out, err = run("evaluate", *methods, "--corpus", corpus, "--format", "json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["corpus"] == "tales"
    assert [row["method"] for row in found["rows"]] == ["random", "position", "length+tfidf"]
    assert [row["model"] for row in found["rows"]] == [None] * 3
    assert found["rows"][1]["per_story"] == pytest.approx({"wolf": 0.5, "king": 0.5})
    assert found["counts"] == {"stories": 2, "sentences": 7, "salient": 3}


def test_against_any_method(corpus):
    options = ["length", "position", "-c", corpus, "--against", "tfidf", "--against", "length"]
    code, out, err = run("evaluate", *options, "-f", "json")
    assert (code, err) == (0, "")
    found = json.loads(out)["rows"][0]["p_vs"]
    assert found.keys() == {"tfidf", "length"}
    assert found["tfidf"].keys() >= {"wilcoxon", "permutation"}
    assert found["length"] is None
    assert "minus tfidf" in run("evaluate", *options)[1]


@pytest.mark.parametrize(("ending", "first"), [("txt", "tales"), ("md", "**"), ("tex", "% "), ("json", "{")])
def test_the_format_goes_by_the_ending(corpus, tmp_path, ending, first):
    command = ["evaluate", "length"]
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
    assert count_entries(scores) >= 2


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
        (["va", "--annotation", "gold"], "(--annotation)"),
        (["length", "--out", "/nowhere/out.tex"], "folder does not exist"),
        (["length", "--out", "table.xlsx"], ".md"),
        (["sd", "--model", "./nowhere"], "no such folder"),
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


def test_the_corpus_is_not_overwritten(corpus, tmp_path):
    out = tmp_path / "tales.tsv"
    check_refused(["evaluate", "length", "-c", corpus, "--out", out, "-f", "json"], "is the corpus")
    assert out.read_text() == ROWS
