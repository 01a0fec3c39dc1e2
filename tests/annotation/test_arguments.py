"""Who does what to whom, as claims about English sentences that we wrote."""

from __future__ import annotations

import pytest

from barthes.annotation.annotator import annotate
from barthes.narrative import Narrative

CLAIMS = {
    "subjects and objects": [
        ("The wolf ate the goat.", {"ate": ("The wolf", "the goat")}),
        ("The king gave the boy a ring.", {"gave": ("The king", "a ring")}),
        ("The king gave the ring to the boy.", {"gave": ("The king", "the ring")}),
        ("She looked at the stars.", {"looked": ("She", "the stars")}),
        ("The girl opened the door.", {"opened": ("The girl", "the door")}),
    ],
    "subjects that undergo": [
        ("The door opened.", {"opened": (None, "The door")}),
        ("A dragon appeared.", {"appeared": (None, "A dragon")}),
        ("The prince became a bird.", {"became": (None, "The prince")}),
        ("The king was old.", {"was": (None, "The king")}),
        ("There was a king.", {"was": (None, "a king")}),
        ("In the box lay a golden egg.", {"lay": (None, "a golden egg")}),
        ("Snow fell, and it rained.", {"fell": (None, "Snow"), "rained": (None, None)}),
    ],
    "passives": [
        ("The goat was eaten.", {"eaten": (None, "The goat")}),
        ("The goat was eaten by the wolf.", {"eaten": ("the wolf", "The goat")}),
        ("The boy was given a ring.", {"given": (None, "a ring")}),
        ("He had a house built on sand.", {"built": (None, "a house")}),
    ],
    "relative clauses": [
        ("There was a king who had three sons.", {"had": ("a king", "three sons")}),
        (
            "The wolf whom she had fed did not bite her.",
            {"fed": ("she", "The wolf"), "bite": ("The wolf whom she had fed", "her")},
        ),
        (
            "The bread she baked was stolen.",
            {"baked": ("she", "The bread"), "stolen": (None, "The bread she baked")},
        ),
    ],
    "shared subjects and objects": [
        (
            "The fox came back and took the bread.",
            {"came": (None, "The fox"), "took": ("The fox", "the bread")},
        ),
        (
            "The hunter killed and skinned the bear.",
            {"killed": ("The hunter", "the bear"), "skinned": ("The hunter", "the bear")},
        ),
        (
            "Seeing the wolf, the girl climbed a tree.",
            {"Seeing": ("the girl", "the wolf"), "climbed": ("the girl", "a tree")},
        ),
        ("They kept the girl from leaving the house.", {"leaving": ("the girl", "the house")}),
    ],
    "infinitives and clauses": [
        ("She began to sing.", {"began": ("She", "to sing"), "sing": ("She", None)}),
        (
            "He asked her to bring the water.",
            {"asked": ("He", "to bring the water"), "bring": ("her", "the water")},
        ),
        (
            "The king wanted the girl to marry him.",
            {"wanted": ("The king", "the girl to marry him"), "marry": ("the girl", "him")},
        ),
        ("He promised his wife to return.", {"promised": ("He", "to return"), "return": (None, "He")}),
        ("Bring me some bread to eat.", {"Bring": (None, "some bread to eat"), "eat": (None, "some bread")}),
        ("It is time to go.", {"go": (None, None)}),
        (
            "The old woman told them that the king was dead.",
            {"told": ("The old woman", "that the king was dead"), "was": (None, "the king")},
        ),
        ("The old woman told them a story.", {"told": ("The old woman", "a story")}),
    ],
    "dialogue and imperatives": [
        (
            '"Open the door," said the wolf.',
            {"Open": (None, "the door"), "said": ("the wolf", "Open the door")},
        ),
        ('The girl cried, "Help me!"', {"cried": ("The girl", "Help me"), "Help": (None, "me")}),
        ('"Why do you weep?" asked the king.', {"asked": ("the king", "Why do you weep")}),
        ('"Because I must," answered the girl.', {"answered": ("the girl", None)}),
        ("Moon, light my way!", {"light": ("Moon", "my way")}),
        (
            '"Sister," said the boy, "do you see the light?"',
            {"said": ("the boy", "Sister … do you see the light"), "see": ("you", "the light")},
        ),
        ("“I’ve eaten nothing,” he said.", {"eaten": ("I", "nothing"), "said": ("he", "I’ve eaten nothing")}),
        ("‘Go away,’ said the fox.", {"said": ("the fox", "Go away")}),
        ('I am tired," said the mule.', {"said": ("the mule", "I am tired")}),
    ],
}


def read(sentence):
    """The events of a sentence: verb → (ARG0, ARG1), pieces joined by an ellipsis."""
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


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [pytest.param(*claim, id=claim[0]) for claims in CLAIMS.values() for claim in claims],
)
def test_who_does_what_to_whom(sentence, expected):
    found = read(sentence)
    assert {verb: found.get(verb) for verb in expected} == expected


def test_speech_belongs_to_the_nearest_verb_of_speaking():
    found = read('The king said: "Come!" and the girl whispered: "No!"')
    assert (found["said"], found["whispered"]) == (("The king", "Come"), ("the girl", "No"))


def test_nobody_in_a_quotation_shares_the_subject_outside():
    assert read('The king said: "Take one!"')["Take"] == (None, "one")
