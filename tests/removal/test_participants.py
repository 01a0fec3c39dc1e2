"""The role that replaces each token, from annotation by hand."""

from __future__ import annotations

import pytest

from barthes.removal.participants import find_participants
from tests.removal.hand_annotation import build

KEPT, DROPPED = "-", "x"


@pytest.mark.parametrize(
    ("text", "events", "roles"),
    [
        # an argument without a verb is replaced as a whole; modifiers are not
        ("the/DT old/JJ king/NN of/IN Ys/NNP slept/VBD now/RB", "5 ARG0=0-4 ARGM-TMP=6", "0 0 0 0 0 - -"),
        # ARG0 wins where spans overlap, whatever their order
        ("They/PRP ate/VBD my/PRP$ bread/NN", "1 ARG1=2-3 ARG0=2", "- - 0 1"),
        # punctuation at the ends stays, inside it goes
        (",/, gold/NN ,/, salt/NN ,/, he/PRP took/VBD", "6 ARG1=0-4", "- 1 1 1 - - -"),
        # an apostrophe inside a noun phrase is no quotation mark
        ("the/DT girls/NNS ~'/POS father/NN slept/VBD", "4 ARG0=0-3", "0 0 0 0 -"),
        ("the/DT girls/NNS ~’/POS father/NN slept/VBD", "4 ARG0=0-3", "0 0 0 0 -"),
        # other quotation marks and brackets stay, whatever their tag
        ("the/DT \"/POS War/NN '/'' (/-LRB- book/NN burnt/VBD", "6 ARG1=0-5", "1 - 1 - - 1 -"),
        # a clause keeps verbs, auxiliaries, modals and joining words, and drops runs of adverbs
        (
            "he/PRP said/VBD that/IN it/PRP would/MD never/RB ever/RB have/VB+ come/VB home/NN",
            "1 ARG0=0 ARG1=2-9; 8 ARG1=3",
            "0 - - 1 - x x - - 1",
        ),
        # that is kept as a conjunction, not as a determiner
        ("he/PRP knew/VBD that/DT wolf/NN came/VBD", "1 ARG1=2-4; 4", "- - 1 1 -"),
        # to stays before a verb, also with an adverb between, and not before a noun
        ("he/PRP wants/VBZ to/TO soon/RB go/VB to/TO Ys/NNP", "1 ARG1=2-6; 4", "- - - x - 1 1"),
        # a preposition stays before the other role, and goes before its own
        ("it/PRP was/VBD+ eaten/VBN by/IN wolves/NNS", "2 ARG1=0-4 ARG0=4", "1 - - - 0"),
        # adverbs stay replaced where no word is beside them
        ("he/PRP said/VBD ,/, now/RB ,/, go/VB", "1 ARG1=3-5; 5", "- - - 1 - -"),
        ("now/RB go/VB he/PRP said/VBD", "3 ARG1=0-1; 1", "x - - -"),
        ("he/PRP said/VBD go/VB now/RB", "1 ARG1=2-3; 2", "- - - x"),
        # a filler next to a word of another role is still dropped
        ("he/PRP said/VBD he/PRP often/RB sang/VBD", "1 ARG1=3-4; 4 ARG0=2", "- - 0 x -"),
        # a hyphen inside a word goes with it, a dash stays
        ("I/PRP saw/VBD it/PRP hide/VB in/IN wood/NN ~-/HYPH ~piles/NNS", "1 ARG1=2-7; 3", "- - 1 - 1 1 1 1"),
        ("I/PRP saw/VBD it/PRP hide/VB gold/NN -/: salt/NN", "1 ARG1=2-6; 3", "- - 1 - 1 - 1"),
        # an argument of punctuation alone replaces nothing
        ("he/PRP said/VBD !/.", "1 ARG1=2", "- - -"),
    ],
)
def test_roles(text, events, roles):
    _, annotation = build(text, events)
    arguments = [argument for event in annotation.events for argument in event.arguments]
    found = find_participants(annotation[0], arguments)
    shown = [KEPT if role is None else role.removeprefix("ARG") or DROPPED for role in found]
    assert " ".join(shown) == roles
