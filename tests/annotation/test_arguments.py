"""Who does what to whom, as claims about English sentences in `data/arguments.tsv`."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import pytest

from barthes.annotation.annotator import annotate
from barthes.narrative import Narrative


def load_claims():
    claims = defaultdict(dict)
    path = Path(__file__).parent / "data" / "arguments.tsv"
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            claims[row["sentence"]][row["verb"]] = (row["ARG0"] or None, row["ARG1"] or None)
    return claims


CLAIMS = load_claims()


def read(sentence):
    """Return the events of a sentence: verb → (ARG0, ARG1), pieces joined by an ellipsis."""
    narrative = Narrative.from_sentences([sentence])
    annotation = annotate(narrative)
    annotation.check(narrative)
    return {
        event.predicate.text: tuple(text(event, role, narrative) for role in ("ARG0", "ARG1"))
        for event in annotation[0].events
    }


def text(event, role, narrative):
    found = event.with_role(role)
    assert len(found) <= 1
    return " … ".join(narrative.text[start:end] for start, end in found[0].spans) if found else None


@pytest.mark.parametrize("sentence", CLAIMS)
def test_who_does_what_to_whom(sentence):
    found = read(sentence)
    assert {verb: found.get(verb) for verb in CLAIMS[sentence]} == CLAIMS[sentence]


def test_speech_belongs_to_the_nearest_verb_of_speaking():
    found = read('The king said: "Come!" and the girl whispered: "No!"')
    assert (found["said"], found["whispered"]) == (("The king", "Come"), ("the girl", "No"))


def test_nobody_in_a_quotation_shares_the_subject_outside():
    assert read('The king said: "Take one!"')["Take"] == (None, "one")
