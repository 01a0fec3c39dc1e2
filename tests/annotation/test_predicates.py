"""Which words are events, as claims about English sentences that we wrote."""

from __future__ import annotations

import pytest

from barthes.annotation.pipeline import load_english
from barthes.annotation.predicates import find_particles, find_predicates, is_auxiliary

PREDICATES = [
    ("The wolf had eaten the goat.", "eaten"),
    ("The goat was eaten.", "eaten"),
    ("The king was old.", "was"),
    ("There was a king.", "was"),
    ("He did not see her.", "see"),
    ("She must go and find it.", "go find"),
    ("He had to cross the river.", "cross"),
    ("He had a boat to cross the river.", "had cross"),
    ("She began to sing.", "began sing"),
    ("A three-headed dragon guarded the bridge.", "guarded"),
    ("Having found the ring, he went home.", "found went"),
    ("She became rich.", "became"),
    ('"Open the door," said the wolf.', "Open said"),
    ("I'm here and they've gone.", "'m gone"),
    ("No trace of them, alas.", ""),
]


@pytest.mark.parametrize(("sentence", "expected"), PREDICATES)
def test_events_are_verbs_but_no_auxiliaries(sentence, expected):
    found = find_predicates(load_english()(sentence))
    assert [token.text for token in found] == expected.split()


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The wolf had been seen.", "had been"),
        ("She didn't know.", "did"),
        ("He has to go.", "has"),
        ("He has a horn.", ""),
        ("It was old.", ""),
        ("They may have been sleeping.", "have been"),
    ],
)
def test_auxiliaries_help_another_verb(sentence, expected):
    doc = load_english()(sentence)
    assert [token.text for token in doc if is_auxiliary(token)] == expected.split()


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
    [token] = [token for token in doc if token.text == verb]
    assert [particle.text for particle in find_particles(token)] == particles.split()
