"""Split a text into sentences: spaCy proposes boundaries, and rules of punctuation decide.

The English parser would split ``"Stop!" she cried.``, and punctuation alone ``Mr. Fox``. So the parser's
proposals count only at possible sentence ends.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator

from barthes.annotation.languages import resolve_language
from barthes.annotation.passages import UnwrappedPassage, find_passages, unwrap
from barthes.annotation.pipeline import load_english, load_rules
from barthes.annotation.sentence_ends import (
    EndCandidate,
    changes_speaker,
    continues_sentence,
    ends_on_letter,
    exclaims_clause,
    find_candidates,
    is_abbreviated,
    numbers_item,
)

_LONGEST_UNMARKED = 20  # words: spaCy alone splits a longer passage without full stops
_LARGEST = 20_000  # characters (about 4,000 tokens) parsed at once; longer passages are cut
_UNUSED_COMPONENTS = ("tagger", "attribute_ruler", "lemmatizer", "ner")
_ORNAMENT = re.compile(r"[^\w\s]{100,}")  # spaCy needs quadratic time for a long run of dots or dashes

_Piece = tuple[str, tuple[int, int]]
"""A text with the index of its passage and its offset there."""


def split_sentences(text: str, *, language: str = "en") -> tuple[tuple[int, int], ...]:
    """Return the sentences of a text as half-open character spans in order.

    Spans have no white space at their ends and cover every other character.

    Args:
        text: Any text. Blank lines separate paragraphs; see `barthes.annotation.passages` for line breaks.
        language: An ISO code. English is split by a parser and rules for dialogue, other languages by
            punctuation and the same rules.

    Raises:
        UnknownNameError: There is no such language.
        ModelError: The English pipeline is not installed.

    >>> text = '"Stop!" she cried. Mr. Fox ran.'
    >>> [text[start:end] for start, end in split_sentences(text)]
    ['"Stop!" she cried.', 'Mr. Fox ran.']
    """
    code = resolve_language(language)
    passages, asked = itertools.tee(unwrap(text, passage) for passage in find_passages(text))
    proposals = _propose_starts((passage.text for passage in asked if _needs_parser(passage)), code)
    spans: list[tuple[int, int]] = []
    for passage in passages:
        proposed = next(proposals) if _needs_parser(passage) else frozenset()
        spans.extend(passage.trace(start, end) for start, end in _split_passage(passage, proposed))
    return tuple(spans)


def _needs_parser(passage: UnwrappedPassage) -> bool:
    """Return whether a passage has possible boundaries; a heading or a single `"Why?"` has none."""
    return any(True for _ in _find_inner_candidates(passage.text)) or _is_unmarked(passage.text)


def _split_passage(passage: UnwrappedPassage, proposed: frozenset[int]) -> Iterator[tuple[int, int]]:
    """Yield the sentence spans of a passage, each with a letter or digit if the passage has any."""
    text = passage.text
    if _is_unmarked(text):
        starts = (start for start in sorted(proposed) if text[start - 1] == " ")
        if passage.hard:  # verse: a sentence ends with its line
            starts = (start for start in starts if start in passage.hard)
        boundaries = [(start - 1, start) for start in starts if text[start - 2].isalnum()]
    else:
        found = (each for each in _find_inner_candidates(text) if _is_boundary(passage, each, proposed))
        boundaries = [(candidate.end, candidate.start) for candidate in found]
    last = max((offset for offset, character in enumerate(text) if character.isalnum()), default=-1)
    start = 0
    for end, following in boundaries:
        if following <= last and any(character.isalnum() for character in text[start:end]):
            yield start, end
            start = following
    yield start, len(text)


def _is_boundary(passage: UnwrappedPassage, candidate: EndCandidate, proposed: frozenset[int]) -> bool:
    text = passage.text
    if any(goes_on(text, candidate) for goes_on in (is_abbreviated, numbers_item, continues_sentence)):
        return False
    if any(ends(text, candidate) for ends in (changes_speaker, exclaims_clause, ends_on_letter)):
        return True
    if candidate.is_wide or (candidate.start in passage.hard and not candidate.following.islower()):
        return True
    is_proposed = any(start in proposed for start in range(candidate.mark + 1, candidate.lead + 1))
    return is_proposed and (candidate.is_spaced or candidate.following.isupper())


def _find_inner_candidates(text: str) -> Iterator[EndCandidate]:
    return (candidate for candidate in find_candidates(text) if candidate.start < len(text))


def _is_unmarked(text: str) -> bool:
    """Return whether a passage is long and has no full stop, so that only the parser can split it."""
    if text.count(" ") < _LONGEST_UNMARKED:
        return False
    return not any(candidate.is_spaced or candidate.start == len(text) for candidate in find_candidates(text))


def _propose_starts(passages: Iterable[str], language: str) -> Iterator[frozenset[int]]:
    """Yield for each passage the offsets other than 0 at which spaCy starts a sentence."""
    nlp = load_english() if language == "en" else load_rules(language)
    disable = [name for name in _UNUSED_COMPONENTS if name in nlp.pipe_names]
    docs = (nlp.pipe(batch, as_tuples=True, disable=disable) for batch in _batch(_cut(passages)))
    starts: set[int] = set()
    current = 0
    for doc, (index, offset) in itertools.chain.from_iterable(docs):
        while current < index:
            yield frozenset(starts)
            starts, current = set(), current + 1
        starts |= {offset + sentence.start_char for sentence in doc.sents if sentence.start_char}
    yield frozenset(starts)


def _cut(passages: Iterable[str]) -> Iterator[_Piece]:
    """Cut passages into pieces of limited size, if possible at white space."""
    for index, source in enumerate(passages):
        passage = _ORNAMENT.sub(lambda match: "x" * len(match[0]), source)
        start = 0
        while len(passage) - start > _LARGEST:
            space = passage.rfind(" ", start, start + _LARGEST)
            end = space + 1 if space > start else start + _LARGEST
            yield passage[start:end], (index, start)
            start = end
        yield passage[start:], (index, start)


def _batch(pieces: Iterable[_Piece]) -> Iterator[list[_Piece]]:
    batch: list[_Piece] = []
    size = 0
    for piece in pieces:
        if batch and size + len(piece[0]) > _LARGEST:
            yield batch
            batch, size = [], 0
        batch.append(piece)
        size += len(piece[0])
    if batch:
        yield batch
