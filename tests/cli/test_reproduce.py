"""`barthes reproduce` as people run it: real processes, killed and interrupted for real."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from barthes.cli.reproduction_table import list_figures
from tests.cli.interrupts import hear_interrupts
from tests.reproduction.tales import write_corpus, write_stories

STORY = "The wolf came. The girl ran. The wolf slept. Then it rained. The girl ran."
PERMUTATIONS = 200


def start(*arguments, **options):
    command = [sys.executable, "-m", "barthes", "reproduce", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def run(*arguments):
    process = start(*arguments)
    out, err = process.communicate(timeout=500)
    return process.returncode, out.decode(), err.decode()


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """A corpus, stories and a model, all of them small; and the options that name them."""
    from tests.tiny_models import tiny_network, tiny_tokenizer

    folder = tmp_path_factory.mktemp("inputs")
    tiny_network("gpt2").save_pretrained(folder / "model")
    tiny_tokenizer().save_pretrained(folder / "model")
    corpus = write_corpus(folder / "tales")
    stories = write_stories(folder / "stories.jsonl", [STORY, STORY.replace("girl", "king")] * 30)
    options = ["-c", f"propplearner={corpus}", "--rocstories", stories, "--model", folder / "model"]
    return [*options, "--permutations", PERMUTATIONS, "--device", "cpu"]


@pytest.fixture(scope="module")
def whole(inputs, tmp_path_factory):
    """The folder of an undisturbed run."""
    folder = tmp_path_factory.mktemp("whole")
    code, out, err = run(*inputs, "--out", folder)
    assert code == 0, err
    assert "written to" in err
    assert "SD + TF-IDF" in out
    return folder


def read(folder):
    return (folder / "reproduction.json").read_bytes()


def kept(folder):
    return [path for path in folder.glob("scores/*/**/*.json") if ".models" not in path.parts]


def wait_for(process, folder, count):
    deadline = time.monotonic() + 400
    while len(kept(folder)) < count:
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.002)


def test_everything_is_written(whole):
    plain = json.loads(read(whole))
    assert plain["mode"] == "paper"
    assert plain["ordering"]["pairs"] == 3 * PERMUTATIONS
    assert plain["deletion"]["stories"] == 60
    assert len(plain["table2"]["rows"]) == 22
    assert {row["status"] for row in plain["table2"]["rows"]} == {"run", "not run"}
    assert (whole / "reproduction.md").stat().st_size > 1000
    assert b"<svg" in (whole / "reproduction.html").read_bytes()
    figures = list(list_figures(plain))
    assert ("table2", "Random", "0.213 ") in [figure[:3] for figure in figures]
    assert len([figure for figure in figures if figure[3] == "not run"]) == 12 + 2 + 3
    expected = f"{plain['table2']['random_expected']:.3f} "
    assert ("table2", "Random, over all orders", "", expected) in figures


def test_a_second_run_loads_no_torch_and_writes_the_same_bytes(inputs, whole):
    before = read(whole), (whole / "reproduction.html").read_bytes()
    arguments = ["barthes", "reproduce", *map(str, inputs), "--out", str(whole)]
    script = (
        f"import sys, runpy; sys.argv = {arguments!r}\n"
        "try:\n    runpy.run_module('barthes', run_name='__main__')\n"
        "finally:\n    print('\\nloaded', *sys.modules)"
    )
    began = os.times()
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert done.stderr.count("computed again") == 0
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "barthes.reproduction.reproduce" in loaded
    assert not loaded & {"torch", "transformers", "spacy"}
    assert (read(whole), (whole / "reproduction.html").read_bytes()) == before
    ended = os.times()  # of processors: other work on the machine is not ours to answer for
    assert ended.children_user + ended.children_system - began.children_user - began.children_system < 20


def test_killed_half_way_it_goes_on_and_ends_the_same(inputs, whole, tmp_path):
    process = start(*inputs, "--out", tmp_path)
    wait_for(process, tmp_path, 12)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    half = len(kept(tmp_path))
    assert 12 <= half < len(kept(whole))
    assert not (tmp_path / "reproduction.json").exists()
    code, _, err = run(*inputs, "--out", tmp_path)
    assert code == 0, err
    assert "computed again" not in err
    assert read(tmp_path) == read(whole)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_interrupted_it_says_how_to_go_on(inputs, tmp_path):
    process = start(*inputs, "--out", tmp_path, preexec_fn=hear_interrupts)
    wait_for(process, tmp_path, 4)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command goes on from there" in err.decode()
    assert str(tmp_path) in err.decode()
    assert all(json.loads(path.read_text())["values"] for path in kept(tmp_path))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_interrupted_with_all_computed_it_says_what_is_kept(inputs, whole, tmp_path):
    """While the pages are written, or before anything new was computed: hours of work are kept."""
    for where in ("barthes.cli.reproduce._write", "barthes.reproduction.reproduce.reproduce"):
        module, _, name = where.rpartition(".")
        script = (
            f"import sys, {module} as module\n"
            f"before = module.{name}\n"
            "def interrupt(*given, **options):\n"
            "    if before.__name__ == 'reproduce':\n        before(*given, **options)\n"
            "    raise KeyboardInterrupt\n"
            f"module.{name} = interrupt\n"
            f"sys.argv = ['barthes', 'reproduce', *{list(map(str, inputs))!r}, '--out', {str(whole)!r}]\n"
            "from barthes.cli.main import main\nmain()\n"
        )
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
        assert done.returncode == 130
        assert str(whole / "scores") in done.stderr
        assert "the same command" in done.stderr
        assert "nothing was written" not in done.stderr


def test_other_labels_need_no_new_scores(inputs, whole, tmp_path):
    shutil.copytree(whole / "scores", tmp_path / "scores")
    before = len(kept(tmp_path))
    code, _, err = run(*inputs, "--labels", "corrected", "--out", tmp_path)
    assert code == 0, err
    assert len(kept(tmp_path)) == before
    plain = json.loads(read(tmp_path))
    assert plain["settings"]["labels"] == plain["table2"]["labels"] == "corrected"
    assert plain["models"]["none"]["device"] == "cpu"


def test_results_of_another_version_are_computed_again_and_it_is_said(inputs, whole, tmp_path):
    [path] = [path for path in kept(whole) if any(part.startswith("Cinderella-") for part in path.parts)]
    content = json.loads(path.read_text())
    content["identity"]["version"] = "0.0.1"
    copy = tmp_path / path.relative_to(whole)
    copy.parent.mkdir(parents=True)
    copy.write_text(json.dumps(content))
    code, _, err = run(*inputs, "--only", "cinderella", "--out", tmp_path)
    assert code == 0
    assert "another version of Barthes (0.0.1" in err
    assert json.loads(read(tmp_path))["cinderella"] == json.loads(read(whole))["cinderella"]


def test_some_of_it_leaves_the_rest_of_the_report_as_it_was(inputs, whole):
    before = read(whole)
    code, _, err = run(*inputs, "--only", "table1", "--out", whole)
    assert code == 0, err
    assert read(whole) == before


def test_a_story_that_cannot_be_scored_is_said_by_the_exit_code(inputs, tmp_path):
    """The pages are written all the same."""
    long = write_stories(tmp_path / "long.jsonl", ["The wolf " + "and the wolf " * 200 + "came. It left."])
    given = [*inputs[:2], "--rocstories", long, *inputs[4:], "--only", "deletion,cinderella"]
    code, out, err = run(*given, "--out", tmp_path)
    assert code == 2
    assert "barthes: deletion with " in err
    assert "note: deletion" not in err
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
    plain = json.loads(read(tmp_path / "o"))
    assert plain["deletion"] is None
    assert plain["models"] == {"none": None, "domain": None, "transductive": None}
    assert "without a language model" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-c", "propplearner=nowhere"], ["nowhere"]),
        (["-c", "tripod=films.csv"], ["ProppLearner, not on tripod", "barthes evaluate"]),
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
    code, _, err = run(*given)
    assert code == 2
    assert "Traceback" not in err
    for word in words:
        assert word in err
    assert not kept(tmp_path / "out")
    assert not list(tmp_path.rglob("reproduction.*"))
