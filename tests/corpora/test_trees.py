import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.corpora.corpus import MalformedError
from barthes.corpora.trees import parse_tree

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


def test_deep_trees_do_not_exhaust_the_stack():
    depth = 50_000
    tree = parse_tree("(X " * depth + "(NN crane_4)" + ")" * depth)
    assert tree.covered(0, depth) == range(1)


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
