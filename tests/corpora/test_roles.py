import pytest

from barthes.annotation.events import Token
from barthes.corpora.corpus import MalformedError
from barthes.corpora.roles import parse_roles
from barthes.corpora.trees import parse_tree
from barthes.corpora.workbench_tokens import TokenSentence

TEXT = "The fox that she saw ran off"
TREE = parse_tree(
    "(S (NP (NP (DT The_1) (NN fox_2)) (SBAR (WHNP (WDT that_3)) (S (NP (PRP she_4)) (VP (VBD saw_5)"
    " (NP (-NONE- *T*-1)))))) (VP (VBD ran_6) (PRT (RP off_7))))"
)


def sentence_of(words, left_out=()):
    tokens = {}
    position = 0
    for number, word in enumerate(words, start=1):
        tokens[str(number)] = Token(position, position + len(word), word, "X")
        position += len(word) + 1
    ids = tuple(tokens)
    kept = {identity: token for identity, token in tokens.items() if identity not in left_out}
    return TokenSentence("9", (0, position - 1), ids, kept)


SENTENCE = sentence_of(TEXT.split())


def read(roles):
    event = parse_roles(roles, TREE, SENTENCE)
    return {argument.role: [TEXT[start:end] for start, end in argument.spans] for argument in event.arguments}


@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        ("4 user see.01 ----a 3:1-ARG0- 5:1*2:1*0:1-ARG1-", {"ARG0": ["she"], "ARG1": ["The fox that"]}),
        ("4 user see.01 ----a 3:1-ARG0- 5:1*0:1-ARG1-", {"ARG0": ["she"], "ARG1": ["The fox"]}),
        ("4 user see.01 ----a 3:1-ARG0- 5:1-ARG1-", {"ARG0": ["she"]}),  # nothing but a trace
        ("6 user run.01 ----a 0:2-ARG0- 6:0,7:0-rel-", {"ARG0": ["The fox that she saw"]}),
        ("6 user run.01 ----a 3:0;1:0,0:0-ARG0-", {"ARG0": ["The fox", "she"]}),
        ("6 user run.01 ----a 4:0,6:0-ARGM-MNR", {"ARGM-MNR": ["saw ran"]}),  # only a trace in between
        ("6 user run.01 ----a 0:1-ARG1-of 7:1-ARGM-", {"ARG1": ["The fox"], "ARGM": ["off"]}),
    ],
)
def test_nodes_become_characters(roles, expected):
    assert read(roles) == expected


def test_particles_belong_to_the_trigger():
    event = parse_roles("6 user run.04 ----a 7:1,6:0-rel-", TREE, SENTENCE)
    assert event.predicate.text == "ran"
    assert [token.text for token in event.trigger] == ["ran", "off"]
    assert event.frame == "run.04"


@pytest.mark.parametrize(
    ("roles", "reason"),
    [
        ("5 user see.01 ----a", "trace"),
        ("1 user x.01 ----a", "token 2"),
        ("6 user run.01 ----a 0:1-ARG0-", "token 2"),
        ("6 user x.01 ----a 1:0-rel-", "token 2"),
    ],
)
def test_traces_and_tokens_that_were_left_out_are_refused(roles, reason):
    with pytest.raises(MalformedError, match=reason):
        parse_roles(roles, TREE, sentence_of(TEXT.split(), left_out=("2",)))
