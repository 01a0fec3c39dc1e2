"""Semantic roles: ``1 user fly.01 ----a 0:1-ARG0- 3:1-ARGM-LOC``.

The fields are the predicate's leaf in the sentence's tree, the annotator, PropBank's frame, features, and the
arguments. Each argument is a node of the tree: a leaf, and how many nodes to go up from its part of speech.
Pieces of one argument are joined by ``,`` and ``;``, traces and their antecedents by ``*``; ``rel`` lists
what belongs to the predicate itself.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from barthes.annotation.events import Argument, Event, Span, Token
from barthes.corpora.corpus import MalformedError, Problem
from barthes.corpora.trees import Tree
from barthes.corpora.workbench_file import Description, StoryFile
from barthes.corpora.workbench_tokens import TokenSentence

__all__ = ["parse_roles", "read_roles"]

_ROLES = re.compile(r"(?P<leaf>\d{1,6}) \S+ (?P<frame>\S+) \S+(?P<arguments>(?: \S+)*)")
_ARGUMENT = re.compile(
    r"(?P<nodes>\d{1,6}:\d{1,6}(?:[,;*]\d{1,6}:\d{1,6})*)-(?P<label>ARG[0-5AM]|rel)-(?P<feature>\w*)"
)
_MODIFIER = "ARGM"
_PREDICATE = "rel"


def read_roles(
    file: StoryFile,
    sentences: Sequence[TokenSentence],
    trees: Sequence[Tree | None],
    problems: list[Problem],
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
    """Parse one description with the tree of its sentence.

    Raises:
        MalformedError: It does not describe roles, a node is not in the tree or covers a token that was
            left out, or the predicate is a trace.
    """
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
