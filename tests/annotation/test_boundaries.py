"""Sentence boundaries against those that the makers of ProppLearner drew."""

from __future__ import annotations

import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

from barthes.annotation import split_sentences

SHARED = Path(os.environ.get("BARTHES_SHARED", Path(__file__).parents[3] / "shared"))
TALES = sorted((SHARED / "data" / "propplearner").glob("*.sty"))


def read_tale(path: Path) -> tuple[str, set[int]]:
    """The body of a tale, after the comment at its head, and the offsets in it where gold sentences end."""
    root = ElementTree.parse(path).getroot()
    layers = {layer.get("id"): layer for layer in root.iter("rep")}
    raw = next(layers["edu.mit.story.char"].iter("desc")).text
    assert raw is not None
    text = raw[1:-1]
    head = text.index("*/") + len("*/")
    sentences = layers["edu.mit.parsing.sentence"].iter("desc")
    return text[head:], {int(entry.get("off", 0)) + int(entry.get("len", 0)) - head for entry in sentences}


@pytest.mark.skipif(
    not TALES, reason="needs ProppLearner: set BARTHES_SHARED to the folder with data/propplearner"
)
def test_boundaries_agree_with_propplearner():
    """A boundary is the offset one past the last character of a sentence, closing quotes included.

    Nothing is normalised: gold and predicted spans both end without white space, and a boundary counts
    only where the offsets are equal, so a closing quote on the wrong side is two errors (a false and a
    missing one). Counted over the 15 tales together, the last sentence of each tale included, on the text
    that follows the comment at the head of the file. What is left is nearly all of one kind: the makers
    run a sentence that ends in a colon into the verse of the next paragraph, and we part them.
    """
    hits = found = gold = 0
    for path in TALES:
        text, expected = read_tale(path)
        assert all(not text[end - 1].isspace() for end in expected)
        predicted = {end for _, end in split_sentences(text)}
        hits += len(expected & predicted)
        found += len(predicted)
        gold += len(expected)
    precision, recall = hits / found, hits / gold
    assert gold == 1302
    assert recall >= 0.995
    assert 2 * precision * recall / (precision + recall) >= 0.99
