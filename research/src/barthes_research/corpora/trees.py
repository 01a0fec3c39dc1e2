"""Constituency trees, and the semantic roles that point to their nodes.

::

    (ROOT (S (NP (DT A_3) (NN crane_4)) (VP (VBD flew_5))))
                  leaf 0      leaf 1          leaf 2          above leaf 1: 0 NN, 1 NP, 2 S, 3 ROOT

The leaves of a tree read ``word_tokenId``. Roles read ``1 user fly.01 ----a 0:1-ARG0- 3:1-ARGM-LOC``: the
predicate's leaf, the annotator, PropBank's frame, features, and the arguments. Each argument is a node of the
tree: a leaf, and how many nodes to go up from its part of speech. Pieces of one argument are joined by ``,``
and ``;``, traces and their antecedents by ``*``; ``rel`` lists what belongs to the predicate itself.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from barthes.annotation.events import Argument, Event, Span, Token
from barthes.evaluation.corpus import CorpusProblem
from barthes.reading.rows import MalformedError
from barthes_research.corpora.workbench_file import Description, StoryFile
from barthes_research.corpora.workbench_tokens import TokenSentence

_PIECE = re.compile(r"[()]|[^\s()]+")
_TRACE = "-NONE-"
_ROLES = re.compile(r"(?P<leaf>\d{1,6}) \S+ (?P<frame>\S+) \S+(?P<arguments>(?: \S+)*)")
_ARGUMENT = re.compile(
    r"(?P<nodes>\d{1,6}:\d{1,6}(?:[,;*]\d{1,6}:\d{1,6})*)-(?P<label>ARG[0-5AM]|rel)-(?P<feature>\w*)"
)
_MODIFIER = "ARGM"
_PREDICATE = "rel"


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
        """Return the leaves under the node that is `height` nodes above a leaf's part of speech."""
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
    """Parse a bracketed tree of any depth; raise MalformedError if it is broken.

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
    if before == "(" or builder.current is not None or not builder.nodes:
        raise MalformedError("a bracket is not closed" if before else "it is empty")
    return Tree(tuple(builder.leaves), tuple(builder.nodes))


def read_trees(
    file: StoryFile, sentences: Sequence[TokenSentence], problems: list[CorpusProblem]
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
            problems.append(CorpusProblem(file.name, item, "tree", str(error)))
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


def read_roles(
    file: StoryFile,
    sentences: Sequence[TokenSentence],
    trees: Sequence[Tree | None],
    problems: list[CorpusProblem],
) -> list[list[Event]]:
    """Return each sentence's events in the order of their predicates; add malformed ones to `problems`."""
    events: list[list[Event]] = [[] for _ in sentences]

    def add(description: Description) -> None:
        span = file.locate(description)
        index = _find_sentence(span, sentences)
        events[index].append(_read_event(description.text, span, trees[index], sentences[index]))

    file.parse_layer("semantics.semroles", "role", add, problems)
    return [sorted(found, key=lambda event: event.predicate.span) for found in events]


def parse_roles(text: str, tree: Tree, sentence: TokenSentence) -> Event:
    """Parse one description with the tree of its sentence; raise MalformedError if they do not fit."""
    match = _ROLES.fullmatch(text.strip())
    if match is None:
        raise MalformedError(f"{text!r} does not read like a predicate and its arguments")
    leaf = int(match["leaf"])
    arguments = []
    rest: set[int] = set()
    for argument in match["arguments"].split():
        role, leaves = _parse_argument(argument, tree)
        if role == _PREDICATE:
            rest |= leaves
        elif spans := _spans(leaves, tree, sentence):
            arguments.append(Argument(role, spans))
    predicate = _tokens(tree.covered(leaf, 0), tree, sentence)
    if not predicate:
        raise MalformedError(f"its predicate, leaf {leaf}, is a trace")
    particles = _tokens(sorted(rest - {leaf}), tree, sentence)
    return Event(predicate[0], tuple(arguments), tuple(particles), match["frame"])


def _find_sentence(span: Span, sentences: Sequence[TokenSentence]) -> int:
    index = bisect.bisect_right(sentences, span[0], key=lambda sentence: sentence.span[0]) - 1
    if index < 0 or not span[0] < span[1] <= sentences[index].span[1]:
        raise MalformedError("it stands in no sentence")
    return index


def _read_event(text: str, span: Span, tree: Tree | None, sentence: TokenSentence) -> Event:
    if tree is None:
        raise MalformedError(f"sentence {sentence.id} has no tree")
    event = parse_roles(text, tree, sentence)
    edges = [edge for token in event.trigger for edge in token.span]
    edges += [edge for argument in event.arguments for piece in argument.spans for edge in piece]
    if (min(edges), max(edges)) != span:
        raise MalformedError(f"{text!r} does not cover the characters that it says")
    return event


def _parse_argument(text: str, tree: Tree) -> tuple[str, set[int]]:
    """Return the role of an argument and its leaves."""
    match = _ARGUMENT.fullmatch(text)
    if match is None:
        raise MalformedError(f"{text!r} does not read like an argument")
    nodes = [node.split(":") for node in re.split("[,;*]", match["nodes"])]
    leaves = {leaf for start, height in nodes for leaf in tree.covered(int(start), int(height))}
    # the feature of a numbered argument is its preposition; that of a modifier is the sort of modifier
    modifier = match["label"] == _MODIFIER and match["feature"]
    return f"{_MODIFIER}-{match['feature']}" if modifier else match["label"], leaves


def _tokens(leaves: Iterable[int], tree: Tree, sentence: TokenSentence) -> list[Token]:
    """Return the tokens at these leaves, without traces."""
    found = [identity for leaf in leaves if (identity := tree.leaves[leaf].token) is not None]
    for identity in found:
        if identity not in sentence.tokens:
            raise MalformedError(f"it covers token {identity}, which was left out")
    return [sentence.tokens[identity] for identity in found]


def _spans(leaves: set[int], tree: Tree, sentence: TokenSentence) -> tuple[Span, ...]:
    """Return the characters under these leaves, one span per run of neighbours; none for traces only."""
    words = [leaf for leaf in range(len(tree.leaves)) if tree.leaves[leaf].token is not None]
    kept = [position for position, leaf in enumerate(words) if leaf in leaves]
    spans = []
    for _, run in groupby(enumerate(kept), key=lambda pair: pair[1] - pair[0]):
        tokens = _tokens([words[position] for _, position in run], tree, sentence)
        spans.append((tokens[0].start, tokens[-1].end))
    return tuple(spans)
