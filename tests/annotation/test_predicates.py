"""Which words are events and what is quoted, as claims about English sentences."""

from __future__ import annotations

import pytest

from barthes.annotation.pipeline import load_english
from barthes.annotation.predicates import (
    crosses_quotation,
    find_particles,
    find_predicates,
    find_quotations,
    find_speech,
    is_auxiliary,
)

CLAIMS = [
    ("The wolf had eaten the goat.", "eaten", "had"),
    ("The goat was eaten.", "eaten", "was"),
    ("The wolf had been seen.", "seen", "had been"),
    ("The king was old.", "was", ""),
    ("There was a king.", "was", ""),
    ("She didn't know.", "know", "did"),
    ("She must go and find it.", "go find", ""),
    ("He had to cross the river.", "cross", "had"),
    ("He had a boat to cross the river.", "had cross", ""),
    ("They may have been sleeping.", "sleeping", "have been"),
    ("She began to sing.", "began sing", ""),
    ("A three-headed dragon guarded the bridge.", "guarded", ""),
    ("Having found the ring, he went home.", "found went", "Having"),
    ("She became rich.", "became", ""),
    ('"Open the door," said the wolf.', "Open said", ""),
    ("I'm here and they've gone.", "'m gone", "'ve"),
    ("No trace of them, alas.", "", ""),
]


@pytest.mark.parametrize(("sentence", "predicates", "auxiliaries"), CLAIMS)
def test_events_are_verbs_but_no_auxiliaries(sentence, predicates, auxiliaries):
    doc = load_english()(sentence)
    assert [token.text for token in find_predicates(doc)] == predicates.split()
    assert [token.text for token in doc if is_auxiliary(token)] == auxiliaries.split()


@pytest.mark.parametrize(
    ("sentence", "verb", "particles"),
    [
        ("He put on his coat.", "put", "on"),
        ("She cut it off.", "cut", "off"),
        ("They carried off the princess.", "carried", "off"),
        ("The wolf ran into the wood.", "ran", ""),
    ],
)
def test_particles_belong_to_their_verb(sentence, verb, particles):
    doc = load_english()(sentence)
    found = [find_particles(token) for token in doc if token.text == verb]
    assert [[particle.text for particle in each] for each in found] == [particles.split()]


QUOTATIONS = [
    ('"Go," said the fox, "and rest."', ["Go,", "and rest."]),
    ("“Go,” said the fox, “and rest.”", ["Go,", "and rest."]),
    ("‘Don’t go,’ said the fox.", ["Don’t go,"]),
    ("«Go», said the fox.", ["Go"]),
    ('The fox said: "Go home.', ["Go home."]),
    ('and rest," said the fox.', ["and rest,"]),
    ('and rest," said the fox, "or die.', ["and rest,", "or die."]),
    ('Come."', ["Come."]),
    ('""', []),
    ("The king's men didn't come.", []),
]


@pytest.mark.parametrize(("sentence", "expected"), QUOTATIONS)
def test_quotations_are_found(sentence, expected):
    doc = load_english()(sentence)
    assert [doc[q.start : q.stop].text for q in find_quotations(doc)] == expected


def test_tokens_inside_and_outside_a_quotation():
    doc = load_english()('"Go," said the fox.')
    go, said, fox = (next(token for token in doc if token.text == word) for word in ("Go", "said", "fox"))
    assert crosses_quotation(go, said)
    assert crosses_quotation(fox, go)
    assert not crosses_quotation(said, fox)


def test_a_quotation_without_a_verb_of_speaking_has_no_speaker():
    doc = load_english()('The miller winked at the cat: "Come here, you old thief."')
    assert find_speech(doc, find_predicates(doc)) == {}
