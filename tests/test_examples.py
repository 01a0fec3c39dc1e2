"""The example tale, its sentences and its cardinal functions agree with each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from barthes.narrative import Narrative

EXAMPLES = Path(__file__).parents[1] / "examples"
TALE = "the_ferrymans_daughter"


def read_lines(name):
    return (EXAMPLES / name).read_text(encoding="utf-8").splitlines()


SENTENCES = read_lines(f"{TALE}.sentences.txt")
CARDINAL = {
    int(index): reason for index, reason in (row.split("\t") for row in read_lines(f"{TALE}.cardinal.txt"))
}


def test_the_sentences_rebuild_the_text():
    _, text = (EXAMPLES / f"{TALE}.txt").read_text(encoding="utf-8").split("\n\n", maxsplit=1)
    assert Narrative.from_sentences(SENTENCES).text == " ".join(text.split())
    for paragraph in text.strip().split("\n\n"):
        assert paragraph.startswith(tuple(SENTENCES))
        assert paragraph.endswith(tuple(SENTENCES))


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("villainy", "drew the ferryman's name out of his mouth"),
        ("gift", "a small bronze bell"),
        ("victory", "sprang into the empty bell"),
        ("recognition", "Maren, child, your feet are wet."),
        ("wedding", "married Jory"),
    ],
)
def test_a_function_is_where_it_happens(function, words):
    [index] = [index for index, reason in CARDINAL.items() if reason.startswith(f"{function}:")]
    assert words in SENTENCES[index]
