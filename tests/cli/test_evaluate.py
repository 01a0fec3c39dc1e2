"""The command as people run it, on small files of ours and a model of a few thousand random weights."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from barthes.cache import ScoreCache
from barthes.cli.main import app
from tests.cli.interrupts import hear_interrupts
from tests.tiny_models import tiny_network, tiny_tokenizer

ROWS = """story\tsentence\tlabel
wolf\ta wolf came .\t1
wolf\tit rained .\t0
wolf\tthe wolf ate a sheep .\t1
wolf\tthe girl slept .\t0
king\tthe king married .\t0
king\tthe girl died .\t1
king\tit rained and rained .\t0
"""


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny")
    tiny_network("gpt2").save_pretrained(folder)
    tiny_tokenizer().save_pretrained(folder)
    return folder


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "tales.tsv"
    path.write_text(ROWS, encoding="utf-8")
    return f"labelled={path}"


def run(*arguments):
    done = CliRunner().invoke(app, ["evaluate", *map(str, arguments)])
    return done.exit_code, done.stdout, done.stderr


def test_json_of_several_methods(corpus):
    code, out, err = run(
        "random", "Position", "length+tfidf", "--corpus", corpus, "--format", "json", "--seeds", 3
    )
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
    code, out, err = run(*options, "-f", "json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["rows"][0]["p_vs"].keys() == {"tfidf", "length"}
    assert found["rows"][0]["p_vs"]["tfidf"].keys() == {"wilcoxon", "permutation"}
    assert found["rows"][0]["p_vs"]["length"] is None
    code, out, _ = run(*options)
    assert "p vs tfidf" in out


@pytest.mark.parametrize(
    ("ending", "start"), [("txt", "tales, labels"), ("md", "**tales"), ("tex", "% \\use"), ("json", "{")]
)
def test_the_format_goes_by_the_ending(corpus, tmp_path, ending, start):
    out = tmp_path / f"table.{ending}"
    assert run("length", "-c", corpus, "--out", out) == (0, "", "")
    text = out.read_text(encoding="utf-8")
    assert text.startswith(start)
    assert "length" in text
    shown = run(
        "length", "-c", corpus, "-f", {"txt": "text", "md": "markdown", "tex": "latex"}.get(ending, ending)
    )
    assert shown == (0, text, "")


def test_the_second_run_takes_the_cached_scores_and_no_torch(corpus, tmp_path, tiny):
    options = ["sd", "sd+tfidf", "--corpus", corpus, "--model", tiny, "--results", tmp_path / "scores"]
    first = run(*options, "--format", "json")
    assert (first[0], first[2]) == (0, "")
    row = json.loads(first[1])["rows"][0]
    assert (row["model"], row["precision"] in ("float32", "bfloat16")) == (str(tiny), True)
    assert (tmp_path / "scores" / "scores.sqlite3").exists()
    script = (
        "import sys; from barthes.cli.main import app\n"
        "try:\n    app(sys.argv[1:])\nexcept SystemExit as end:\n    assert not end.code\n"
        "assert 'torch' not in sys.modules"
    )
    command = [sys.executable, "-c", script, "evaluate", *map(str, options), "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    assert (done.stdout, done.stderr) == first[1:]


def test_scores_are_kept_in_the_cache_by_default(corpus, tiny):
    assert run("sd", "-c", corpus, "--model", tiny)[0] == 0
    with ScoreCache() as cache:
        assert cache.status().entries == 3, "two stories, and the model's fingerprint"


def test_nothing_is_kept_without_a_model(corpus, tmp_path):
    assert run("length", "-c", corpus, "--results", tmp_path / "scores")[0] == 0
    assert not (tmp_path / "scores").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_keeps_the_finished_stories(tmp_path, tiny, number):
    """The signal comes while the second, long story is being scored; the same command then goes on."""
    scores, path = tmp_path / "scores", tmp_path / "tales.jsonl"
    cache = ScoreCache(scores / "scores.sqlite3")
    short = {"story": "short", "sentences": ["a wolf came .", "it rained ."], "labels": [1, 0]}
    sentences = ["the wolf ate a sheep and then the girl slept ."] * 4000
    long = {"story": "long", "sentences": sentences, "labels": [1] + [0] * 3999}
    path.write_text(f"{json.dumps(short)}\n{json.dumps(long)}\n")
    command = [sys.executable, "-m", "barthes", "evaluate", "sd", "-c", f"labelled={path}"]
    with subprocess.Popen(
        [*command, "--model", tiny, "--results", scores],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=hear_interrupts,
    ) as process:
        while process.poll() is None and cache.status().entries < 2:  # the model, and the short story
            time.sleep(0.05)
        process.send_signal(number)
        out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (130, b"")
    assert b"barthes: interrupted; what is finished is kept in" in err
    assert b"the same command goes on from there." in err
    assert b"Traceback" not in err
    assert cache.status().entries == 2
    cache.close()


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
        (["va", "--annotation", "gold"], "predicted"),
        (["length", "--out", "/nowhere/out.tex"], "folder does not exist"),
        (["length", "--out", "table.xlsx"], ".md"),
        (["sd", "--model", "./nowhere"], "no such folder"),
        (["length", "--undefined", "ignore"], "skip"),
        (["length", "--seeds", "0"], "seeds"),
        ([], "METHOD"),
    ],
)
def test_wrong_arguments_are_explained(corpus, tmp_path, arguments, message):
    more = [] if "--corpus" in arguments else ["--corpus", corpus]
    code, out, err = run(*arguments, *more, "--results", tmp_path / "scores")
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_a_folder_for_scores_that_cannot_be_made(corpus, tmp_path, tiny):
    (tmp_path / "file").write_text("")
    code, _, err = run("sd", "-c", corpus, "--model", tiny, "--results", tmp_path / "file")
    assert code == 2
    assert "file: is a file, not a folder" in err


def test_the_corpus_is_not_written_over(corpus, tmp_path):
    path = tmp_path / "tales.tsv"
    code, _, err = run("length", "-c", corpus, "--out", path, "--format", "json")
    assert code == 2
    assert "is the corpus" in err
    assert path.read_text() == ROWS


def test_stories_without_salient_sentences(corpus, tmp_path):
    with (tmp_path / "tales.tsv").open("a") as file:
        file.write("dull\tit rained .\t0\n")
    code, out, _ = run("length", "-c", corpus)
    assert code == 0
    assert "1 story without a salient sentence, left out of the means: dull." in out
    code, _, err = run("length", "-c", corpus, "--undefined", "error")
    assert code == 2
    assert "dull" in err


def test_help():
    code, out, err = run("--help")
    assert (code, err) == (0, "")
    assert "KIND=PATH" in out
    assert "rocstories-salience" in out
