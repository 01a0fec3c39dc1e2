"""Where spaCy would start a sentence: passages in, proposed starts out, in bounded memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from barthes.annotation.pipeline import load_english, load_rules

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = ["propose_starts"]

_LARGEST = 20_000
"""Characters that spaCy holds at once (about 4,000 tokens): longer passages go through it in pieces."""

_NEEDLESS = ("tagger", "attribute_ruler", "lemmatizer", "ner")
"""Components of the English pipeline that sentence boundaries do not need."""

_ORNAMENT = re.compile(r"[^\w\s]{100,}")
"""A line of dots or dashes: spaCy peels such a token sign by sign, in time that grows with its square."""

Piece = tuple[str, tuple[int, int]]
"""Some text, the index of its passage, and its offset in it."""


def propose_starts(passages: Iterable[str], *, language: str) -> Iterator[frozenset[int]]:
    """For each passage the offsets at which spaCy starts a sentence, 0 left out."""
    nlp = load_english() if language == "en" else load_rules(language)
    starts: set[int] = set()
    current = 0
    for index, found in _run(nlp, _cut(passages)):
        while current < index:
            yield frozenset(starts - {0})
            starts, current = set(), current + 1
        starts |= found
    yield frozenset(starts - {0})


def _cut(passages: Iterable[str]) -> Iterator[Piece]:
    """Cut passages into pieces of bounded size, at white space where there is some."""
    for index, source in enumerate(passages):
        passage = _ORNAMENT.sub(lambda match: "x" * len(match[0]), source)
        start = 0
        while len(passage) - start > _LARGEST:
            space = passage.rfind(" ", start, start + _LARGEST)
            end = space + 1 if space > start else start + _LARGEST
            yield passage[start:end], (index, start)
            start = end
        yield passage[start:], (index, start)


def _run(nlp: Language, pieces: Iterable[Piece]) -> Iterator[tuple[int, set[int]]]:
    disable = [name for name in _NEEDLESS if name in nlp.pipe_names]
    for batch in _gather(pieces):
        for doc, (index, offset) in nlp.pipe(batch, as_tuples=True, disable=disable):
            yield index, {offset + sentence.start_char for sentence in doc.sents if sentence.start_char}


def _gather(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    batch: list[Piece] = []
    size = 0
    for piece in pieces:
        if batch and size + len(piece[0]) > _LARGEST:
            yield batch
            batch, size = [], 0
        batch.append(piece)
        size += len(piece[0])
    if batch:
        yield batch
