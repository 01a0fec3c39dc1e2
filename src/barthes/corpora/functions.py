"""Propp's functions: ``H1|ACTUAL:594~595|ANTECEDENT:616``, a symbol and groups of tokens.

A function happens in the tokens of its ACTUAL groups. Where the tale does not tell it, the annotators
marked what implies it: what went before (ANTECEDENT) or came of it (SUBSEQUENT).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from barthes.annotation.events import Token
from barthes.corpora.problems import Problem
from barthes.corpora.references import BrokenReferenceError, find_tokens, parse_references
from barthes.corpora.story_workbench import StoryFile

__all__ = ["ACTUAL", "INITIAL_SITUATION", "Function", "Group", "parse_function", "read_functions"]

ACTUAL = "ACTUAL"
INITIAL_SITUATION = "alpha"
"""The symbol of the opening of a tale, which is not an event."""

_KINDS = (ACTUAL, "ANTECEDENT", "SUBSEQUENT")


@dataclass(frozen=True, slots=True)
class Group:
    """Tokens in which a function shows: its kind, their ids span by span, and the tokens themselves."""

    kind: str
    ids: tuple[tuple[str, ...], ...]
    tokens: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """One function of a tale: the id of its description, Propp's symbol (A1, H1, up …) and its groups."""

    id: str
    symbol: str
    groups: tuple[Group, ...]

    @property
    def actual(self) -> tuple[Token, ...]:
        """The tokens in which it happens; none where it is only implied."""
        return tuple(token for group in self.groups if group.kind == ACTUAL for token in group.tokens)

    def to_dict(self) -> dict[str, Any]:
        """Symbol and groups as plain dicts, tokens by id."""
        groups = [{"kind": group.kind, "ids": [list(span) for span in group.ids]} for group in self.groups]
        return {"id": self.id, "symbol": self.symbol, "groups": groups}


def parse_function(identity: str, text: str, tokens: Mapping[str, Token]) -> Function:
    """Read one description.

    Raises:
        BrokenReferenceError: It does not read like a function, or points to a token that is not there.
    """
    symbol, *groups = text.strip().split("|")
    if not symbol or not groups:
        raise BrokenReferenceError(f"{text!r} is not a symbol and groups of tokens")
    return Function(identity, symbol, tuple(_parse_group(group, tokens) for group in groups))


def read_functions(file: StoryFile, tokens: Mapping[str, Token]) -> tuple[list[Function], list[Problem]]:
    """The functions of a file, in its order."""
    functions = []
    problems = []
    for description in file.layer("semantics.rep.function"):
        try:
            functions.append(parse_function(description.id, description.text, tokens))
        except BrokenReferenceError as error:
            problems.append(Problem(file.name, description.id, "function", str(error)))
    return functions, problems


def _parse_group(text: str, tokens: Mapping[str, Token]) -> Group:
    kind, colon, references = text.partition(":")
    if not colon or kind not in _KINDS:
        raise BrokenReferenceError(f"{text!r} is not one of {', '.join(_KINDS)} and token ids")
    ids = parse_references(references)
    return Group(kind, ids, find_tokens(ids, tokens))
