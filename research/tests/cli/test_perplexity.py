"""`barthes perplexity` on tiny models."""

from __future__ import annotations

import json
import math

import pytest

from barthes.narrative import Narrative
from barthes_research.perplexity import measure_perplexity
from research.tests.adapters.made_adapters import adapt
from tests.cli import commands
from tests.tiny_models import save_base, tiny_model

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
    (folder / "draft=2.txt").write_text(WOLF)
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
    return commands.run("perplexity", *arguments, text=text)


def names(text):
    """Return the names of the texts in the JSON of one model."""
    [found] = json.loads(text)["models"]
    return [each["text"] for each in found["texts"]]


FLOAT32 = ("--dtype", "float32", "--device", "cpu")


def test_a_folder_as_a_table():
    code, out, err = run("tales", "--model", "model", *FLOAT32)
    assert (code, err) == (0, "")
    table = [line.split() for line in out.splitlines() if line.startswith("model ")]
    assert [cells[1] for cells in table] == ["text", "tales/king.txt", "tales/wolf.txt", "all"]
    for _, _, _, mean, perplexity in table[1:]:
        assert float(perplexity) == pytest.approx(math.exp(-float(mean)), rel=0.001)
    assert "model: float32." in out


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
    models = [line.split()[0] for line in out.splitlines() if line.startswith(("model ", "adapter "))]
    assert models == ["model", *["model"] * 3, *["adapter"] * 3]  # after the header
    found = json.loads(run("tales", "--model", "model", "--model", "adapter", "-f", "json", *FLOAT32)[1])
    assert [each["model"] for each in found["models"]] == ["model", "adapter"]
    assert len({each["perplexity"] for each in found["models"]}) == 2


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        (["labelled=labelled.jsonl", "tales/wolf.txt"], ["fox", "tales/wolf.txt"]),
        (["tales/wolf.txt", "tales", "./tales/king.txt"], ["tales/wolf.txt", "tales/king.txt"]),
        (["draft=2.txt"], ["draft=2.txt"]),
        (["-"], ["stdin"]),
    ],
)
def test_sources(sources, expected):
    code, out, err = run(*sources, "--model", "model", "-f", "json", text=WOLF)
    assert (code, err) == (0, "")
    assert names(out) == expected


def test_texts_that_cannot_be_read_are_skipped(tmp_path):
    (tmp_path / "empty.txt").write_text(" \n")
    (tmp_path / "binary.txt").write_bytes(bytes(range(256)) * 4)
    out_file = tmp_path / "found.json"
    code, _, err = run(
        tmp_path / "empty.txt",
        tmp_path / "binary.txt",
        "nowhere.txt",
        "tales/wolf.txt",
        *("--model", "model", "--out", out_file),
    )
    assert code == 2
    assert names(out_file.read_text()) == ["tales/wolf.txt"]
    assert len(err.splitlines()) == 3
    assert "nowhere.txt: there is no such file" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.txt", "--model", "model", "--out", "found.json"], "no such file"),
        (["proplearner=tales"], "Did you mean 'propplearner'"),
        (["labelled=nowhere.tsv"], "nowhere.tsv"),
        (["propplearner="], "does not say where it is"),
        (["tales", "--model", "./nowhere"], "there is no such folder or file"),
        (["tales", "--model", "tales"], "there is no language model in this folder"),
        (["tales", "--model", "model", "--dtype", "int8"], "there is no dtype 'int8'"),
        (["tales", "--model", "model", "--device", "cuba"], "Known devices are cpu, "),
        (["tales", "--out", "found.xlsx"], "unknown file extension .xlsx"),
        (["tales", "--out", "no/folder/found.json"], "its folder does not exist"),
        (["tales", "--language", "klingonese", "--model", "model"], "there is no language 'klingonese'"),
    ],
)
def test_errors_are_explained(home, arguments, message):
    commands.check_refused(["perplexity", *arguments], message)
    assert not (home / "found.json").exists()


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
    assert "note: these models split words into different tokens" in err
