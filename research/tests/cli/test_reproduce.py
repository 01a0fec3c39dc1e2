"""`barthes reproduce`; real processes only where they are killed, interrupted, or looked into."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest

from barthes.cache import ScoreCache
from research.tests.reproduction.tales import write_corpus, write_stories
from tests.cli import commands

STORY = "The wolf came. The girl ran. The wolf slept. Then it rained. The girl ran."
PERMUTATIONS = 200


def run(*arguments):
    return commands.run("reproduce", *arguments)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory, tiny):
    """Return options that name a corpus, stories and a model, all of them small."""
    folder = tmp_path_factory.mktemp("inputs")
    corpus = write_corpus(folder / "tales")
    stories = write_stories(folder / "stories.jsonl", [STORY, STORY.replace("girl", "king")] * 30)
    options = ["-c", f"propplearner={corpus}", "--rocstories", stories, "--model", tiny]
    return [*options, "--permutations", PERMUTATIONS, "--device", "cpu"]


@pytest.fixture(scope="module")
def whole(inputs, tmp_path_factory):
    """The folder of an undisturbed run."""
    folder = tmp_path_factory.mktemp("whole")
    code, out, err = run(*inputs, "--out", folder)
    assert code == 0, err
    assert "written to" in err
    assert "| SD | ✓ |" in out
    return folder


def read(folder):
    return (folder / "reproduction.json").read_bytes()


def count_kept(folder):
    with ScoreCache(folder / "scores.sqlite3") as cache:
        return cache.status().entries


def wait_for(process, folder, count):
    deadline = time.monotonic() + 400
    while count_kept(folder) < count:
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_everything_is_written(whole):
    plain = json.loads(read(whole))
    assert plain["mode"] == "paper"
    assert plain["models"]["none"]["device"] == "cpu"
    assert plain["ordering"]["pairs"] == 3 * PERMUTATIONS
    assert plain["deletion"]["stories"] == 60
    assert {row["status"] for row in plain["table2"]["rows"]} == {"run", "not run"}
    page = (whole / "reproduction.md").read_text(encoding="utf-8")
    assert page.count("*not run*") == 12 + 2 + 3


@pytest.mark.parametrize("more", [[], ["--only", "table1"]])
def test_a_second_run_loads_no_torch_and_writes_the_same_bytes(inputs, whole, more):
    before = read(whole), (whole / "reproduction.md").read_bytes()
    arguments = ["barthes", "reproduce", *map(str, inputs), "--out", str(whole), *more]
    script = (
        f"import sys, runpy; sys.argv = {arguments!r}\n"
        "try:\n    runpy.run_module('barthes', run_name='__main__')\n"
        "finally:\n    print('\\nloaded', *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "barthes_research.reproduction.reproduce" in loaded
    assert not loaded & {"torch", "transformers", "spacy"}
    assert (read(whole), (whole / "reproduction.md").read_bytes()) == before


def test_a_killed_run_continues_to_the_same_result(inputs, whole, tmp_path):
    with commands.start("reproduce", *inputs, "--out", tmp_path) as process:
        wait_for(process, tmp_path, 12)
        process.send_signal(signal.SIGKILL)
    assert 12 <= count_kept(tmp_path) < count_kept(whole)
    assert not (tmp_path / "reproduction.json").exists()
    code, _, err = run(*inputs, "--out", tmp_path)
    assert code == 0, err
    assert read(tmp_path) == read(whole)


def test_a_story_that_cannot_be_scored_sets_the_exit_code(inputs, tmp_path):
    """The pages are written all the same."""
    long = write_stories(tmp_path / "long.jsonl", ["The wolf " + "and the wolf " * 200 + "came. It left."])
    given = [*inputs[:2], "--rocstories", long, *inputs[4:], "--only", "deletion,cinderella"]
    code, out, err = run(*given, "--out", tmp_path)
    assert code == 2
    assert "barthes: deletion with " in err
    assert "note: deletion" not in err
    assert "--window" not in err  # the command has no such option
    plain = json.loads(read(tmp_path))
    assert plain["deletion"] is None
    assert plain["cinderella"] is not None
    assert "Cinderella marries the prince." in out
    assert "was not run" in (tmp_path / "reproduction.md").read_text()


def test_without_a_model_or_stories(tmp_path):
    corpus = write_corpus(tmp_path / "tales")
    code, out, err = run("-c", corpus, "--model", "none", "--out", tmp_path / "o")
    assert code == 0
    assert "deletion was not run: no language model was given." in err
    assert json.loads(read(tmp_path / "o"))["models"] == {"none": None, "domain": None, "transductive": None}
    assert "| TF-IDF |" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-c", "propplearner=nowhere"], ["nowhere"]),
        (["-c", "tripod=films.csv"], ["use ProppLearner, not tripod", "barthes evaluate"]),
        (["-c", "proplearner=tales"], ["Did you mean 'propplearner'"]),
        (["-c", "TALES", "--only", "tabel2"], ["Did you mean 'table2'"]),
        (["-c", "TALES", "--only", "deletion", "--rocstories", "nowhere.jsonl"], ["nowhere.jsonl"]),
        (["-c", "TALES", "--only", "deletion"], ["--rocstories"]),
        (["-c", "TALES", "--model", "none", "--rocstories", "nowhere.jsonl"], ["nowhere.jsonl"]),
        (["-c", "TALES", "--only", "table1", "--rocstories", "nowhere.jsonl"], ["nowhere.jsonl"]),
        (["-c", "TALES", "--model", "none", "--rocstories", "~nobody-here/x"], ["~nobody-here/x"]),
        (["-c", "~nobody-here/tales"], ["~nobody-here/tales"]),
        (["-c", "TALES", "--model", "~nobody-here/model"], ["~nobody-here/model", "no such folder"]),
        (["-c", "TALES", "--model", "none", "--out", "FILE"], ["file: is a file, not a folder"]),
        (["-c", "TALES", "--model", "./no-such-model"], ["./no-such-model", "there is no such folder"]),
    ],
)
def test_bad_input_is_named_before_any_work(arguments, words, tmp_path):
    file = tmp_path / "file"
    file.write_text("x")
    tales = write_corpus(tmp_path / "tales")
    named = {"TALES": f"propplearner={tales}", "FILE": file}
    given = [named.get(argument, argument) for argument in arguments]
    if "--out" not in arguments:
        given += ["--out", tmp_path / "out"]
    for word in words:
        commands.check_refused(["reproduce", *given], word)
    assert not list(tmp_path.rglob("reproduction.*"))
