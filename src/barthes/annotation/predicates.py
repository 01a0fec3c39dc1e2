"""Predicates: the verbs of a parsed sentence that name events, and what belongs to them.

Every verb is one but auxiliaries (*had* gone, *did* not go, *was* taken) and modals; copulas are. It is
what PropBank annotates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

__all__ = ["find_particles", "find_predicates", "is_auxiliary", "is_predicate", "is_verb"]

_AUXILIARIES = frozenset(["be", "do", "get", "have", "having"])  # so spaCy's lemma of *having gone*


def find_predicates(doc: Doc) -> list[Token]:
    """The predicates of a parsed text, in order."""
    return [token for token in doc if is_predicate(token)]


def is_verb(token: Token) -> bool:
    """Whether it carries a verb's tag; modals carry another."""
    return token.tag_.startswith("VB")


def is_predicate(token: Token) -> bool:
    """Whether a token names an event."""
    return is_verb(token) and not is_auxiliary(token) and not _is_adjective(token)


def is_auxiliary(token: Token) -> bool:
    """Whether a verb only helps another one: *had* gone, *had* to go, *be* gone."""
    if not is_verb(token) or token.lemma_ not in _AUXILIARIES:
        return False  # the parser may call *came flying* or *became rich* an auxiliary and its verb
    return token.dep_ in ("aux", "auxpass") or _is_obligation(token)


def find_particles(verb: Token) -> list[Token]:
    """What else belongs to the verb: *off* in *set off*."""
    return [child for child in verb.children if child.dep_ == "prt"]


def _is_obligation(token: Token) -> bool:
    """Whether it is the *have* of *have to go*."""
    if token.lemma_ != "have" or any(child.dep_ in ("dobj", "attr") for child in token.children):
        return False
    following = token.nbor(1) if token.i + 1 < len(token.doc) else None
    return following is not None and following.tag_ == "TO" and following.head.head == token


def _is_adjective(token: Token) -> bool:
    """Whether a participle stands before its noun, as an adjective does: a three-*headed* dragon."""
    return token.dep_ == "amod" and token.i < token.head.i
