"""Semantic roles: ``1 user fly.01 ----a 0:1-ARG0- 3:1-ARGM-LOC``.

The predicate's leaf in the sentence's tree, the annotator, PropBank's frame, features; then the
arguments, each a node of the tree: a leaf, and how many nodes to go up from its part of speech. Pieces
of one argument are joined by ``,`` and ``;``, traces and what they stand for by ``*``; ``rel`` lists what
belongs to the predicate itself.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable
from itertools import groupby

from barthes.annotation.events import Argument, Event, Span, Token
from barthes.corpora.problems import Problem
from barthes.corpora.sentences import TokenSentence
from barthes.corpora.story_workbench import Description, StoryFile
from barthes.corpora.trees import Tree

__all__ = ["BrokenRoleError", "parse_roles", "read_roles"]

_ROLES = re.compile(r"(?P<leaf>\d{1,6}) \S+ (?P<frame>\S+) \S+(?P<arguments>(?: \S+)*)")
_ARGUMENT = re.compile(
    r"(?P<nodes>\d{1,6}:\d{1,6}(?:[,;*]\d{1,6}:\d{1,6})*)-(?P<label>ARG[0-5AM]|rel)-(?P<feature>\w*)"
)
_MODIFIER = "ARGM"
_PREDICATE = "rel"


class BrokenRoleError(ValueError):
    """A description that names no nodes of its tree; the reader of a corpus turns it into a `Problem`."""


def parse_roles(text: str, tree: Tree, sentence: TokenSentence) -> Event:
    """Read one description against the tree of its sentence.

    Raises:
        BrokenRoleError: It does not read like roles, a node is not in the tree or covers a token that was
            left out, or the predicate is a trace.
    """
    match = _ROLES.fullmatch(text.strip())
    if match is None:
        raise BrokenRoleError(f"{text!r} does not read like a predicate and its arguments")
    leaf = int(match["leaf"])
    arguments = []
    rest: set[int] = set()
    for argument in match["arguments"].split():
        role, leaves = _parse_argument(argument, tree)
        if role == _PREDICATE:
            rest |= leaves
        elif spans := _spans(leaves, tree, sentence):
            arguments.append(Argument(role, spans))
    predicate = _tokens(_covered(tree, leaf, 0), tree, sentence)
    if not predicate:
        raise BrokenRoleError(f"its predicate, leaf {leaf}, is a trace")
    particles = _tokens(sorted(rest - {leaf}), tree, sentence)
    return Event(predicate[0], tuple(arguments), tuple(particles), match["frame"])


def read_roles(
    file: StoryFile, sentences: list[TokenSentence], trees: list[Tree | None], *, shift: int
) -> tuple[list[list[Event]], list[Problem]]:
    """The events of each sentence, in the order of their predicates."""
    events: list[list[Event]] = [[] for _ in sentences]
    problems = []
    for description in file.layer("semantics.semroles"):
        span = (description.start - shift, description.end - shift)
        try:
            index = _find_sentence(span, sentences)
            events[index].append(_read_event(description, span, trees[index], sentences[index]))
        except BrokenRoleError as error:
            problems.append(Problem(file.name, description.id, "role", str(error)))
    return [sorted(found, key=lambda event: event.predicate.span) for found in events], problems


def _find_sentence(span: Span, sentences: list[TokenSentence]) -> int:
    index = bisect.bisect_right(sentences, span[0], key=lambda sentence: sentence.span[0]) - 1
    if index < 0 or not span[0] < span[1] <= sentences[index].span[1]:
        raise BrokenRoleError("it stands in no sentence")
    return index


def _read_event(description: Description, span: Span, tree: Tree | None, sentence: TokenSentence) -> Event:
    if tree is None:
        raise BrokenRoleError(f"sentence {sentence.id} has no tree")
    event = parse_roles(description.text, tree, sentence)
    edges = [edge for token in event.trigger for edge in token.span]
    edges += [edge for argument in event.arguments for piece in argument.spans for edge in piece]
    if (min(edges), max(edges)) != span:
        raise BrokenRoleError(f"{description.text!r} does not cover the characters that it says")
    return event


def _parse_argument(text: str, tree: Tree) -> tuple[str, set[int]]:
    """The role of an argument and its leaves."""
    match = _ARGUMENT.fullmatch(text)
    if match is None:
        raise BrokenRoleError(f"{text!r} does not read like an argument")
    nodes = [node.split(":") for node in re.split("[,;*]", match["nodes"])]
    leaves = {leaf for start, height in nodes for leaf in _covered(tree, int(start), int(height))}
    # a numbered argument's feature is its preposition; a modifier's is what sort of modifier it is
    modifier = match["label"] == _MODIFIER and match["feature"]
    return f"{_MODIFIER}-{match['feature']}" if modifier else match["label"], leaves


def _covered(tree: Tree, leaf: int, height: int) -> range:
    try:
        return tree.covered(leaf, height)
    except IndexError as error:
        raise BrokenRoleError(str(error)) from error


def _tokens(leaves: Iterable[int], tree: Tree, sentence: TokenSentence) -> list[Token]:
    """The tokens at these leaves, traces dropped."""
    found = []
    for leaf in leaves:
        identity = tree.leaves[leaf].token
        if identity is not None and identity not in sentence.tokens:
            raise BrokenRoleError(f"it covers token {identity}, which was left out")
        if identity is not None:
            found.append(sentence.tokens[identity])
    return found


def _spans(leaves: set[int], tree: Tree, sentence: TokenSentence) -> tuple[Span, ...]:
    """The characters under these leaves, one span for each run of neighbours; none under traces alone."""
    words = [leaf for leaf in range(len(tree.leaves)) if tree.leaves[leaf].token is not None]
    kept = [position for position, leaf in enumerate(words) if leaf in leaves]
    spans = []
    for _, run in groupby(enumerate(kept), key=lambda pair: pair[1] - pair[0]):
        tokens = _tokens([words[position] for _, position in run], tree, sentence)
        spans.append((tokens[0].start, tokens[-1].end))
    return tuple(spans)
