"""`barthes bench` on small files and a model of a few thousand random weights."""

from __future__ import annotations

import json

import pytest

from barthes_research.bench.bench import CHEAP
from tests.cli.commands import check_refused, run
from tests.cli.test_evaluate import ROWS, count_entries

VOTES = {
    "one": {"story": ["it rained .", "a wolf came .", "the girl died ."], "most_important": ["3", "3", "2"]},
    "two": {"story": ["it rained .", "the king married .", "a girl slept ."], "most_important": ["2", "3"]},
}


@pytest.fixture
def corpora(corpus, tmp_path):
    (tmp_path / "votes.json").write_text(json.dumps(VOTES), encoding="utf-8")
    return ["-c", corpus, "-c", f"rocstories-salience={tmp_path / 'votes.json'}"]


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "tales.tsv"
    path.write_text(ROWS, encoding="utf-8")
    return f"labelled={path}"


def test_the_format_goes_by_the_ending(corpus, tmp_path):
    out = tmp_path / "table.md"
    assert run("bench", "-c", corpus, "--out", out) == (0, "", "")
    assert run("bench", "-c", corpus, "-f", "markdown") == (0, out.read_text(encoding="utf-8"), "")


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


def test_a_corpus_is_needed_and_not_overwritten(corpora, tmp_path):
    check_refused(["bench", "sd"], "--corpus")
    check_refused(["bench", *corpora, "--out", tmp_path / "votes.json"], "is the corpus")
    assert json.loads((tmp_path / "votes.json").read_text()) == VOTES


@pytest.fixture
def kept(tmp_path):
    path = tmp_path / "kept.json"
    path.write_text(json.dumps({"corpora": {"tales": {"wolf": [4, 1, 3, 2], "king": [1, 3, 2]}}}))
    return path


def test_scores_computed_elsewhere(corpus, kept):
    code, out, err = run("bench", "--scores", f"learned={kept}", "-c", corpus, "-f", "json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert [row["method"] for row in found["corpora"][0]["rows"]] == [*CHEAP, "learned"]
    assert found["summary"]["rows"][-1] == {"method": "learned", "mean": 1.0, "corpora": 1, "values": [1.0]}


def test_a_bench_of_several_corpora_ends_with_a_summary(corpora):
    code, out, err = run("bench", *corpora)
    assert (code, err) == (0, "")
    summary = out.partition("\nSummary\n")[2].splitlines()
    assert summary[0].split() == ["method", "tales", "ROCStories", "salience", "mean"]
    assert len([line for line in summary if line.startswith("random ")]) == 1
    assert "People: half of the annotators against the other half" in out
