"""The command as people run it, on tiny models of their own."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from barthes.cli.main import app
from barthes.cli.perplexity import COLUMNS
from barthes.models.perplexity import measure_perplexity
from barthes.narrative import Narrative
from tests.cli.interrupts import hear_interrupts
from tests.models.adapters import adapt, save_base
from tests.tiny_models import tiny_model

WOLF = "The wolf came. The wolf ate a sheep, and then it rained!\n"
KING = "A king married the girl.\nThe king slept.\n"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with two tales and a file that is none, a model and an adapter for it."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "tales").mkdir()
    (folder / "tales" / "king.txt").write_text(KING)
    (folder / "tales" / "wolf.txt").write_text(WOLF)
    (folder / "tales" / "picture.png").write_bytes(b"\x89PNG")
    (folder / "labelled.jsonl").write_text(
        json.dumps({"story": "fox", "sentences": ["a wolf came .", "it rained ."], "labels": [1, 0]}) + "\n"
    )
    save_base(folder / "model")
    adapt(folder / "adapter", "../model")
    return folder


@pytest.fixture(autouse=True)
def at_home(home, monkeypatch):
    monkeypatch.chdir(home)


def run(*arguments, text=None):
    """The exit code, what was printed, and what was complained of."""
    done = CliRunner().invoke(app, ["perplexity", *map(str, arguments)], input=text)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


def rows(text, delimiter="\t"):
    return list(csv.DictReader(io.StringIO(text), delimiter=delimiter))


FLOAT32 = ("--dtype", "float32", "--device", "cpu")


def test_a_folder_as_rows():
    code, out, err = run("tales", "--model", "model", "--format", "tsv", *FLOAT32)
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "\t".join(COLUMNS)
    found = rows(out)
    assert [row["text"] for row in found] == ["tales/king.txt", "tales/wolf.txt", "all"]
    assert {row["model"] for row in found} == {"model"}
    assert sum(int(row["tokens"]) for row in found[:2]) == int(found[2]["tokens"])
    for row in found:
        mean = float(row["log_probability"]) / int(row["tokens"])
        assert float(row["mean_log_probability"]) == pytest.approx(mean)
        assert float(row["perplexity"]) == pytest.approx(math.exp(-mean))


def test_the_figures_are_those_of_python():
    code, out, _ = run("tales/king.txt", "--sentences", "--model", "model", "-f", "json", *FLOAT32)
    (found,) = json.loads(out)["models"]
    story = Narrative.from_sentences(KING.splitlines(), title="tales/king.txt")
    expected = measure_perplexity(tiny_model(), [story]).to_dict()
    assert code == 0
    assert found["precision"] == "float32"
    assert found["perplexity"] == pytest.approx(expected["perplexity"])
    assert found["texts"][0]["text"] == "tales/king.txt"


def test_models_side_by_side():
    code, out, err = run("tales", "--model", "model", "--model", "adapter", "--model", "model", *FLOAT32)
    assert (code, err) == (0, "")
    header, columns, *lines = out.splitlines()
    assert "model (float32)" in header
    assert "adapter (float32)" in header
    assert columns.split() == ["text", *["tokens", "log", "P/token", "perplexity"] * 2]
    assert [line.split()[0] for line in lines if line.strip()] == ["tales/king.txt", "tales/wolf.txt", "all"]
    found = json.loads(run("tales", "--model", "model", "--model", "adapter", "-f", "json", *FLOAT32)[1])
    assert [each["model"] for each in found["models"]] == ["model", "adapter"]
    assert len({each["perplexity"] for each in found["models"]}) == 2


def test_one_text_needs_no_sum():
    _, out, _ = run("tales/wolf.txt", "--model", "model", *FLOAT32)
    assert "all" not in out.split()
    assert rows(run("tales/wolf.txt", "--model", "model", "-f", "csv")[1], ",")[1]["text"] == "all"


def test_a_labelled_corpus():
    code, out, err = run("labelled=labelled.jsonl", "tales/wolf.txt", "--model", "model", "-f", "tsv")
    assert (code, err) == (0, "")
    assert [row["text"] for row in rows(out)] == ["fox", "tales/wolf.txt", "all"]


def test_a_pipe():
    code, out, err = run("-", "--model", "model", "-f", "tsv", text=WOLF)
    assert (code, err) == (0, "")
    assert rows(out)[0]["text"] == "stdin"


def test_a_text_that_is_named_twice_is_read_once():
    _, out, _ = run("tales/wolf.txt", "tales", "./tales/king.txt", "--model", "model", "-f", "tsv")
    assert [row["text"] for row in rows(out)] == ["tales/wolf.txt", "tales/king.txt", "all"]


@pytest.mark.parametrize("ending", ["tsv", "csv", "json", "txt"])
def test_a_file_by_its_ending(tmp_path, ending):
    path = tmp_path / f"found.{ending}"
    assert run("tales", "--model", "model", "--out", path)[:2] == (0, "")
    expected = run("tales", "--model", "model", "--format", "table" if ending == "txt" else ending)[1]
    assert path.read_text().split() == expected.split()


def test_texts_that_cannot_be_read_are_passed_over(tmp_path):
    (tmp_path / "empty.txt").write_text(" \n")
    (tmp_path / "binary.txt").write_bytes(bytes(range(256)) * 4)
    out_file = tmp_path / "found.tsv"
    code, _, err = run(
        tmp_path / "empty.txt",
        tmp_path / "binary.txt",
        "nowhere.txt",
        "tales/wolf.txt",
        *("--model", "model", "--out", out_file),
    )
    assert code == 2
    assert [row["text"] for row in rows(out_file.read_text())] == ["tales/wolf.txt", "all"]
    assert len(err.splitlines()) == 3
    assert "nowhere.txt: there is no such file" in err


def test_where_nothing_can_be_read_nothing_is_written(tmp_path):
    out_file = tmp_path / "found.tsv"
    code, out, err = run("nowhere.txt", "--model", "model", "--out", out_file)
    assert (code, out) == (2, "")
    assert "no such file" in err
    assert not out_file.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["proplearner=tales"], "Did you mean 'propplearner'"),
        (["labelled=nowhere.tsv"], "nowhere.tsv"),
        (["propplearner="], "does not say where it is"),
        (["tales", "--model", "./nowhere"], "there is no such folder or file"),
        (["tales", "--model", "tales"], "there is no language model in this folder"),
        (["tales", "--model", "model", "--dtype", "int8"], "there is no dtype 'int8'"),
        (["tales", "--model", "model", "--device", "cuba"], "the device 'cuba' cannot be used"),
        (["tales", "--out", "found.xlsx"], "no format for files that end in .xlsx"),
        (["tales", "--out", "no/folder/found.tsv"], "its folder does not exist"),
        (["tales", "--language", "klingonese", "--model", "model"], "there is no language 'klingonese'"),
    ],
)
def test_errors_are_explained(arguments, message):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("barthes: ")
    assert "Traceback" not in err


def test_a_text_is_not_written_over(home):
    code, _, err = run("tales", "--model", "model", "--out", "tales/wolf.txt")
    assert code == 2
    assert "is one of the texts to be read" in err
    assert (home / "tales" / "wolf.txt").read_text() == WOLF


def test_an_equals_sign_in_the_name_of_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "draft=2.txt").write_text(WOLF)
    save_base(tmp_path / "model")
    assert rows(run("draft=2.txt", "--model", "model", "-f", "tsv")[1])[0]["text"] == "draft=2.txt"


def test_models_with_other_tokens_cannot_be_compared(home, tmp_path):
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    save_base(tmp_path / "letters")
    known = {letter: i for i, letter in enumerate(["<|endoftext|>", "<unk>", *"abcdefghijklmno"])}
    tokenizer = Tokenizer(models.WordLevel(known, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|endoftext|>", unk_token="<unk>"
    ).save_pretrained(tmp_path / "letters")
    code, _, err = run("tales", "--model", "model", "--model", tmp_path / "letters", *FLOAT32)
    assert code == 0
    assert "note: these models cut words into tokens differently" in err


def test_titles_do_not_steer_the_terminal(tmp_path):
    (tmp_path / "a\x1b[31m.txt").write_text(WOLF)
    _, out, _ = run(tmp_path, "--model", "model")
    assert "\x1b" not in out


@pytest.mark.skipif(os.name == "nt", reason="there are no named pipes")
def test_an_interruption_writes_nothing(tmp_path):
    """SIGINT while the second text is awaited from a pipe."""
    story = tmp_path / "story.txt"
    os.mkfifo(story)
    command = [sys.executable, "-m", "barthes", "perplexity", "tales/wolf.txt", story, "--model", "model"]
    with (
        subprocess.Popen(
            [*command, "--out", tmp_path / "found.tsv"], stderr=subprocess.PIPE, preexec_fn=hear_interrupts
        ) as process,
        story.open("wb"),  # opens once the command reads
    ):
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert err == b"barthes: interrupted; nothing was written.\n"
    assert not (tmp_path / "found.tsv").exists()
