"""Direct speech: what stands between quotation marks, and which verb says it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from barthes.annotation.frames import SPEECH_VERBS

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

__all__ = ["crosses_quotation", "find_quotations", "find_speech", "is_quotation_mark"]

_OPENING = frozenset("“„«‹「『")
_CLOSING = frozenset("”»›」』")
_STRAIGHT = frozenset(['"', "``", "''"])
_SINGLE = frozenset("'‘’")
_QUOTE_TAGS = ("``", "''")
_MARKS = "barthes: quotation marks before each token"


def find_speech(doc: Doc, predicates: Sequence[Token]) -> dict[int, list[range]]:
    """What each verb of speaking says: ranges of tokens by the verb's position.

    A quotation belongs to the nearest verb of speaking that is not quoted itself and has no other
    quotation in between.
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
    """The stretches between quotation marks, without them.

    One that an earlier sentence opened starts with the sentence; one that is not closed ends with it.
    """
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
    """Whether it opens or closes a quotation; an apostrophe does not."""
    text = token.text
    return text in _OPENING or text in _CLOSING or text in _STRAIGHT or _is_single(token)


def crosses_quotation(one: Token, other: Token) -> bool:
    """Whether one of two tokens is quoted and the other is not."""
    marks: list[int] = one.doc.user_data.setdefault(_MARKS, [])
    if not marks:
        marks += accumulate(map(is_quotation_mark, one.doc), initial=0)
    return (marks[one.i] - marks[other.i]) % 2 == 1


def _is_single(token: Token) -> bool:
    return token.text in _SINGLE and token.tag_ in _QUOTE_TAGS


def _closes(token: Token) -> bool:
    """Whether the first mark of a sentence ends what an earlier sentence opened."""
    if token.i == 0 or token.text in _OPENING:
        return False
    return token.text in _CLOSING or not token.nbor(-1).whitespace_
