"""Propp's functions, and the labels that follow from them.

A function reads ``H1|ACTUAL:594~595|ANTECEDENT:616``: a symbol and groups of tokens. It happens in the
tokens of its ACTUAL groups. If the tale does not tell it, the annotators marked what implies it: what came
before (ANTECEDENT) or after (SUBSEQUENT).

A token is salient if an ACTUAL group of a function other than the initial situation holds it; a sentence if
one of its tokens is. There are two rules:

- ``paper``: the authors' release keeps one function per symbol and tale, a later one instead of an earlier
  one. ProppLearner: 170 functions, 205 of 1302 sentences. The figures of Otake et al. use this rule.
- ``corrected``: all functions. 174 functions, 211 sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from barthes.annotation.events import Token
from barthes.errors import UnknownNameError
from barthes.evaluation.corpus import CorpusProblem
from barthes.reading.rows import MalformedError
from barthes_research.corpora.workbench_file import Description, StoryFile
from barthes_research.corpora.workbench_tokens import find_tokens, parse_references

ACTUAL = "ACTUAL"
INITIAL_SITUATION = "alpha"
"""The symbol of the opening of a tale, which is not an event."""
RULES = ("paper", "corrected")

_KINDS = (ACTUAL, "ANTECEDENT", "SUBSEQUENT")


@dataclass(frozen=True, slots=True)
class Group:
    """Tokens that show a function: the kind of group, their ids span by span, and the tokens themselves."""

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
        """The tokens in which it happens; none if it is only implied."""
        return tuple(token for group in self.groups if group.kind == ACTUAL for token in group.tokens)


def read_functions(
    file: StoryFile, tokens: Mapping[str, Token], problems: list[CorpusProblem]
) -> list[Function]:
    """Return the functions in the order of the file; add those that are malformed to `problems`."""
    parse = partial(_parse_function, tokens=tokens)
    return file.parse_layer("semantics.rep.function", "function", parse, problems)


def choose_functions(functions: Iterable[Function], *, rule: str = "paper") -> tuple[Function, ...]:
    """Return the functions that count as salient events under a rule, told or only implied.

    Raises:
        UnknownNameError: There is no such rule.
    """
    if rule not in RULES:
        raise UnknownNameError("label rule", rule, RULES)
    events = [function for function in functions if function.symbol != INITIAL_SITUATION]
    if rule == "paper":
        return tuple({function.symbol: function for function in events}.values())
    return tuple(events)


def _parse_function(description: Description, tokens: Mapping[str, Token]) -> Function:
    symbol, *groups = description.text.strip().split("|")
    if not symbol or not groups:
        raise MalformedError(f"{description.text!r} is not a symbol and groups of tokens")
    return Function(description.id, symbol, tuple(_parse_group(group, tokens) for group in groups))


def _parse_group(text: str, tokens: Mapping[str, Token]) -> Group:
    kind, colon, references = text.partition(":")
    if not colon or kind not in _KINDS:
        raise MalformedError(f"{text!r} is not one of {', '.join(_KINDS)} and token ids")
    ids = parse_references(references)
    return Group(kind, ids, find_tokens(ids, tokens))
