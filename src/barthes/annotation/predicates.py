"""Find the predicates of a parsed sentence, and the direct speech of its verbs of speaking.

As in PropBank, all verbs are predicates, except auxiliaries (*had* gone, *was* taken) and modals.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from barthes.annotation.frames import SPEECH_VERBS

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_AUXILIARIES = frozenset(["be", "do", "get", "have", "having"])  # spaCy's lemma in *having gone*
_OPENING = frozenset("“„«‹「『")
_CLOSING = frozenset("”»›」』")
_DOUBLE = _OPENING | _CLOSING | {'"', "``", "''"}
_SINGLE = frozenset("'‘’")
_QUOTE_TAGS = ("``", "''")
_MARKS = "barthes: quotation marks before each token"


def find_predicates(doc: Doc) -> list[Token]:
    """Return the predicates of a parsed text, in order."""
    verbs = (token for token in doc if is_verb(token) and not is_auxiliary(token))
    # A participle before its noun is an adjective: a three-*headed* dragon.
    return [verb for verb in verbs if verb.dep_ != "amod" or verb.i >= verb.head.i]


def is_verb(token: Token) -> bool:
    """Return whether a token has a verb's tag; modals have another."""
    return token.tag_.startswith("VB")


def is_auxiliary(token: Token) -> bool:
    """Return whether a verb is an auxiliary: *had* gone, *had* to go, *be* gone."""
    if not is_verb(token) or token.lemma_ not in _AUXILIARIES:
        return False  # the parser may call *came flying* or *became rich* an auxiliary and its verb
    return (token.dep_ in ("aux", "auxpass") and not find_owned(token)) or _is_obligation(token)


def find_particles(verb: Token) -> list[Token]:
    """Return the particles of a verb: *off* in *set off*."""
    return [child for child in verb.children if child.dep_ == "prt"]


def _is_obligation(token: Token) -> bool:
    """Return whether it is the *have* of *have to go*."""
    if token.lemma_ != "have" or any(child.dep_ in ("dobj", "attr") for child in token.children):
        return False
    return any(each.tag_ == "TO" and each.head.head == token for each in token.doc[token.i + 1 : token.i + 2])


def find_owned(verb: Token) -> Token | None:
    """Return ***suit*** in *had I such a suit*, where the parser makes *I* the subject of the noun."""
    return next((noun for noun in (*verb.children, verb.head) if find_owner(noun, verb)), None)


def find_owner(noun: Token, verb: Token) -> Token | None:
    """Return ***I*** in *had I such a suit*: the subject of the noun that stands after the verb."""
    is_determined = any(child.dep_ in ("det", "nummod", "poss", "predet") for child in noun.children)
    if verb.lemma_ != "have" or not noun.tag_.startswith("NN") or not is_determined:
        return None
    owners = (child for child in noun.children if child.dep_ == "nsubj" and verb.i < child.i < noun.i)
    return next(owners, None)


def find_speech(doc: Doc, predicates: Sequence[Token]) -> dict[int, list[range]]:
    """Return the direct speech of each verb of speaking: ranges of tokens by the verb's position.

    A quotation belongs to the nearest verb of speaking outside quotations with no other quotation between.
    """
    quotations = list(find_quotations(doc))
    speakers = [verb.i for verb in predicates if verb.lemma_.lower() in SPEECH_VERBS]
    speech: dict[int, list[range]] = {}
    edges = [range(0), *quotations, range(len(doc), len(doc))]
    for before, quotation, after in zip(edges, quotations, edges[2:], strict=False):
        left = speakers[bisect_left(speakers, before.stop) : bisect_left(speakers, quotation.start)]
        right = speakers[bisect_left(speakers, quotation.stop) : bisect_left(speakers, after.start)]
        near = [(quotation.start - speaker, speaker) for speaker in left[-1:]]
        near += [(speaker - quotation.stop, speaker) for speaker in right[:1]]
        if near:
            speech.setdefault(min(near)[1], []).append(quotation)
    return speech


def find_quotations(doc: Doc) -> Iterator[range]:
    """Yield the ranges of tokens between quotation marks, up to the sentence's ends if a mark is missing."""
    start: int | None = None
    is_first = True
    for token in doc:
        if not is_quotation_mark(token):
            continue
        if start is None and not (is_first and _closes(token)):
            start = token.i + 1
        else:
            if (start or 0) < token.i:
                yield range(start or 0, token.i)
            start = None
        is_first = False
    if start is not None and start < len(doc):
        yield range(start, len(doc))


def is_quotation_mark(token: Token) -> bool:
    """Return whether a token opens or closes a quotation; an apostrophe does not."""
    return token.text in _DOUBLE or (token.text in _SINGLE and token.tag_ in _QUOTE_TAGS)


def crosses_quotation(one: Token, other: Token) -> bool:
    """Return whether one of two tokens is quoted and the other is not."""
    marks: list[int] = one.doc.user_data.setdefault(_MARKS, [])
    if not marks:
        marks += accumulate(map(is_quotation_mark, one.doc), initial=0)
    return (marks[one.i] - marks[other.i]) % 2 == 1


def _closes(token: Token) -> bool:
    """Return whether the first mark of a sentence closes a quotation of an earlier sentence."""
    if token.i == 0 or token.text in _OPENING:
        return False
    return token.text in _CLOSING or not token.nbor(-1).whitespace_
