import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.annotation.events import Token
from barthes.reading.rows import MalformedError
from barthes_research.corpora.trees import parse_roles, parse_tree
from barthes_research.corpora.workbench_tokens import TokenSentence

CRANE = "(ROOT (S (NP (DT A_3) (NN crane_4)) (VP (VBD flew_5)) (. ._6)))"


def test_climbing():
    tree = parse_tree(CRANE)
    covered = [tree.covered(1, height) for height in range(4)]
    assert covered == [range(1, 2), range(0, 2), range(0, 4), range(0, 4)]
    assert [leaf.word for leaf in tree.leaves] == ["A", "crane", "flew", "."]
    assert tree.tokens == ("3", "4", "5", "6")


@pytest.mark.parametrize(("leaf", "height"), [(1, 4), (4, 0), (-1, 0), (0, 10**9)])
def test_climbing_out_of_the_tree(leaf, height):
    with pytest.raises(MalformedError):
        parse_tree(CRANE).covered(leaf, height)


def test_traces_and_underscores():
    tree = parse_tree("(S (NP (-NONE- *T*-1)) (VP (VB a_b_7)))")
    assert [(leaf.word, leaf.token) for leaf in tree.leaves] == [("*T*-1", None), ("a_b", "7")]
    assert tree.tokens == ("7",)


@pytest.mark.parametrize(
    "text",
    [
        "", "crane_4", "(", ")", "()", "(NN)", "(NN crane_4", "(NN crane_4))", "(NN crane_4) (NN crane_5)",
        "(NN crane_4) word_5", "(NN crane)", "(NN _4)", "(NN crane_four)", "(NN crane_4 fox_5)",
        "(NP (NN crane_4) fox_5)", "(NP crane_4 (NN fox_5))", "(NP ((NN crane_4)))",
    ],
)  # fmt: skip
def test_broken(text):
    with pytest.raises(MalformedError):
        parse_tree(text)


@st.composite
def brackets(draw):
    """A random tree with its spans, computed by recursion."""
    counter = iter(range(1, 1000))

    def build(depth):
        if depth == 0 or draw(st.booleans()):
            number = next(counter)
            return f"(NN w_{number})", [number]
        children = [build(depth - 1) for _ in range(draw(st.integers(1, 3)))]
        return f"(X {' '.join(text for text, _ in children)})", [
            n for _, numbers in children for n in numbers
        ]

    return build(4)


@given(brackets())
def test_every_node_covers_its_leaves(drawn):
    text, numbers = drawn
    tree = parse_tree(text)
    assert tree.tokens == tuple(map(str, numbers))
    for leaf in range(len(numbers)):
        widths = []
        height = 0
        while True:
            try:
                covered = tree.covered(leaf, height)
            except MalformedError:
                break
            assert leaf in covered
            widths.append(len(covered))
            height += 1
        assert widths == sorted(widths)
        assert widths[0] == 1
        assert widths[-1] == len(numbers)


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
