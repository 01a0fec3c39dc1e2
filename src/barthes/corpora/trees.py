"""Constituency trees: brackets whose leaves read ``word_tokenId``.

::

    (ROOT (S (NP (DT A_3) (NN crane_4)) (VP (VBD flew_5))))
                  leaf 0      leaf 1          leaf 2          above leaf 1: 0 NN, 1 NP, 2 S, 3 ROOT
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from barthes.annotation.events import Span
from barthes.corpora.corpus import MalformedError, Problem
from barthes.corpora.workbench_file import Description, StoryFile
from barthes.corpora.workbench_tokens import TokenSentence

__all__ = ["Leaf", "Node", "Tree", "parse_tree", "read_trees"]

_PIECE = re.compile(r"[()]|[^\s()]+")
_TRACE = "-NONE-"


@dataclass(frozen=True, slots=True)
class Node:
    """A constituent: its label, the half-open range of its leaves, and the node above it (None: root)."""

    label: str
    start: int
    end: int
    parent: int | None


@dataclass(frozen=True, slots=True)
class Leaf:
    """A word, the id of its token (None for a trace), and the number of its part-of-speech node."""

    word: str
    token: str | None
    node: int


@dataclass(frozen=True, slots=True)
class Tree:
    """The tree of a sentence: its leaves in order, and its nodes, each after the node above it."""

    leaves: tuple[Leaf, ...]
    nodes: tuple[Node, ...]

    def covered(self, leaf: int, height: int) -> range:
        """Return the leaves under the node that is `height` nodes above a leaf's part of speech.

        Raises:
            MalformedError: There is no such leaf, or the tree is not that high.
        """
        if not 0 <= leaf < len(self.leaves):
            raise MalformedError(f"there is no leaf {leaf} in a tree of {len(self.leaves)}")
        node: Node = self.nodes[self.leaves[leaf].node]
        for _ in range(height):
            if node.parent is None:
                raise MalformedError(f"there is no node {height} above leaf {leaf}")
            node = self.nodes[node.parent]
        return range(node.start, node.end)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The ids of the tokens at its leaves, without traces."""
        return tuple(leaf.token for leaf in self.leaves if leaf.token is not None)


def parse_tree(text: str) -> Tree:
    """Parse a bracketed tree of any depth.

    Raises:
        MalformedError: The brackets do not match, a node is empty or has no label, or a word has no part
            of speech of its own or no token.

    >>> tree = parse_tree("(ROOT (S (NP (DT A_3) (NN crane_4)) (VP (VBD flew_5))))")
    >>> tree.tokens, tree.covered(1, 1)
    (('3', '4', '5'), range(0, 2))
    """
    builder = _Builder()
    before = ""
    for piece in _PIECE.findall(text):
        if before == "(":
            builder.open(piece)
        elif piece == ")":
            builder.close()
        elif piece != "(":
            builder.add(piece)
        before = piece
    if before == "(" or builder.current is not None:
        raise MalformedError("a bracket is not closed")
    if not builder.nodes:
        raise MalformedError("it is empty")
    return Tree(tuple(builder.leaves), tuple(builder.nodes))


def read_trees(
    file: StoryFile, sentences: Sequence[TokenSentence], problems: list[Problem]
) -> list[Tree | None]:
    """Return the tree of each sentence, None if it is missing or broken; add what is wrong to `problems`."""
    found: dict[Span, list[Description]] = {}
    for description in file.layer("parsing.parse"):
        found.setdefault(file.locate(description), []).append(description)
    trees: list[Tree | None] = []
    for sentence in sentences:
        descriptions = found.pop(sentence.span, [])
        try:
            trees.append(_read_tree(descriptions, sentence))
        except MalformedError as error:
            trees.append(None)
            item = descriptions[0].id if descriptions else sentence.id
            problems.append(Problem(file.name, item, "tree", str(error)))
    for description in (each for rest in found.values() for each in rest):
        what = f"no sentence stands at ({description.start}, {description.end})"
        problems.append(file.problem(description, "tree", what))
    return trees


def _read_tree(descriptions: list[Description], sentence: TokenSentence) -> Tree:
    if len(descriptions) != 1:
        raise MalformedError(f"sentence {sentence.id} has {len(descriptions)} trees; none is read")
    tree = parse_tree(descriptions[0].text)
    if tree.tokens != sentence.ids:
        raise MalformedError(f"its leaves are not the tokens of sentence {sentence.id}")
    return tree


class _Builder:
    """The part of a tree that has been read so far; `current` is the innermost open node."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.leaves: list[Leaf] = []
        self.current: int | None = None

    def open(self, label: str) -> None:
        if label in "()":
            raise MalformedError("a node has no label")
        if self.current is None and self.nodes:
            raise MalformedError("there is more than one root")
        if self.leaves and self.leaves[-1].node == self.current:
            raise MalformedError(f"the word {self.leaves[-1].word!r} has no part of speech of its own")
        self.nodes.append(Node(label, len(self.leaves), len(self.leaves), self.current))
        self.current = len(self.nodes) - 1

    def add(self, piece: str) -> None:
        if self.current is None:
            raise MalformedError(f"{piece!r} stands outside the brackets")
        node = self.nodes[self.current]
        if self.current != len(self.nodes) - 1 or node.start != len(self.leaves):
            raise MalformedError(f"the word {piece!r} has no part of speech of its own")
        word, _, token = piece.rpartition("_")
        if node.label == _TRACE:
            word, token = piece, ""
        elif not word or not token.isdecimal():
            raise MalformedError(f"the word {piece!r} has no token")
        self.leaves.append(Leaf(word, token or None, self.current))

    def close(self) -> None:
        if self.current is None:
            raise MalformedError("a bracket is closed that was not open")
        node = self.nodes[self.current]
        if node.start == len(self.leaves):
            raise MalformedError(f"there is nothing under a node {node.label}")
        self.nodes[self.current] = Node(node.label, node.start, len(self.leaves), node.parent)
        self.current = node.parent
