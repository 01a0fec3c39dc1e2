"""The command as people run it, on small files of ours and a model of a few thousand random weights."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from barthes.cache import ScoreCache
from barthes.cli.main import app
from barthes.evaluation.bench import CHEAP
from tests.cli.test_evaluate import ROWS
from tests.tiny_models import tiny_network, tiny_tokenizer

VOTES = {
    "one": {"story": ["it rained .", "a wolf came .", "the girl died ."], "most_important": ["3", "3", "2"]},
    "two": {"story": ["it rained .", "the king married .", "a girl slept ."], "most_important": ["2", "3"]},
}


@pytest.fixture
def corpora(tmp_path):
    (tmp_path / "tales.tsv").write_text(ROWS, encoding="utf-8")
    (tmp_path / "votes.json").write_text(json.dumps(VOTES), encoding="utf-8")
    return [
        "-c",
        f"labelled={tmp_path / 'tales.tsv'}",
        "-c",
        f"rocstories-salience={tmp_path / 'votes.json'}",
    ]


def run(*arguments):
    done = CliRunner().invoke(app, ["bench", *map(str, arguments)])
    return done.exit_code, done.stdout, done.stderr


def test_baselines_alone(corpora):
    code, out, err = run(*corpora, *corpora, "-f", "json", "--seeds", 3)
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert [table["corpus"] for table in found["corpora"]] == ["tales", "ROCStories salience"]
    for table in found["corpora"]:
        assert [row["method"] for row in table["rows"]] == list(CHEAP)
    assert found["settings"] == {"model": None, "window": None, "seeds": 3}


def test_presets_are_told_by_what_they_stand_for(corpora):
    code, out, err = run("Fast", "fast", *corpora, "-f", "json", "--seeds", 3)
    assert code == 0
    assert err.count("fast stands for placed:centroid+similarity, and is shown under that name.") == 1
    assert all(len(table["rows"]) == len(CHEAP) for table in json.loads(out)["corpora"])


def test_methods_with_a_model_and_the_second_run(corpora, tmp_path):
    folder = tmp_path / "tiny"
    tiny_network("gpt2").save_pretrained(folder)
    tiny_tokenizer().save_pretrained(folder)
    options = ["sd", "ranks:sd+words", *corpora, "--model", folder, "--results", tmp_path / "scores"]
    first = run(*options, "--format", "json")
    assert (first[0], first[2]) == (0, "")
    rows = json.loads(first[1])["corpora"][1]["rows"]
    assert [row["method"] for row in rows[len(CHEAP) :]] == ["sd", "ranks:sd+words"]
    assert rows[-1]["model"] == str(folder)
    with ScoreCache(tmp_path / "scores" / "scores.sqlite3") as cache:
        assert cache.status().entries == 5, "four stories, and the model's fingerprint"
    assert run(*options, "--format", "json") == first


@pytest.mark.parametrize(
    ("ending", "start"), [("txt", "tales, labels"), ("md", "**tales"), ("tex", "% \\use")]
)
def test_the_format_goes_by_the_ending(corpora, tmp_path, ending, start):
    out = tmp_path / f"table.{ending}"
    assert run(*corpora, "--out", out) == (0, "", "")
    text = out.read_text(encoding="utf-8")
    assert text.startswith(start)
    assert "ranks:words+position" in text
    assert "chosen on these very" in text


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
)
def test_wrong_arguments_are_explained(corpora, tmp_path, arguments, message):
    code, out, err = run(*arguments, *corpora, "--results", tmp_path / "scores")
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_a_corpus_is_needed_and_not_written_over(corpora, tmp_path):
    code, _, err = run("sd")
    assert code == 2
    assert "--corpus" in err
    path = tmp_path / "votes.json"
    code, _, err = run(*corpora, "--out", path)
    assert code == 2
    assert "is the corpus" in err
    assert json.loads(path.read_text()) == VOTES
