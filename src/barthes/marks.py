"""Marks in a text, which say what to do with a passage, and numbers of sentences on the command line.

``[[keep]] … [[/keep]]`` stays when the story is cut; ``[[skip]] … [[/skip]]`` frames the story and is not
ranked. The marks themselves are no part of the text: they are removed when a story is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from barthes.errors import BarthesError, NarrativeError
from barthes.narrative import Narrative, ScriptPassage

Span = tuple[int, int]

# White space on the inner side of a mark goes with it, unless it is all that separates two sentences.
_MARK = re.compile(
    r"(?:(?<=\s)|^)\[\[(?:keep|skip)\]\]\s*|\s*\[\[/(?:keep|skip)\]\](?=\s|$)|\[\[/?(?:keep|skip)\]\]",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(\d{1,6})(?:\s*[-–]\s*(\d{1,6}))?")


def remove_marks(narrative: Narrative) -> Narrative:
    """Return the narrative without marks; the passages between them become `kept` and `skipped`.

    Raises:
        NarrativeError: A mark has no counterpart, or nothing is left without the marks.

    >>> text = "It rained. [[keep]]A wolf came.[[/keep]] It ate."
    >>> story = remove_marks(Narrative(text, ((0, 10), (11, 48))))
    >>> [str(sentence) for sentence in story], story.kept
    (['It rained.', 'A wolf came.', 'It ate.'], ((11, 23),))
    """
    marks = list(_MARK.finditer(narrative.text))
    if not marks:
        return narrative
    _check_pairs(narrative, [mark[0].strip().strip("[]").casefold() for mark in marks])
    is_text = np.ones(len(narrative.text), dtype=bool)
    for mark in marks:
        is_text[mark.start() : mark.end()] = False
    moved = [0, *np.cumsum(is_text).tolist()]
    text = _MARK.sub("", narrative.text)
    spans: list[Span] = []
    for start, end in narrative.spans:
        has_mark = not is_text[start:end].all()
        spans += _trim(text, (moved[start], moved[end]), narrative.language, split=has_mark)
    found: dict[str, list[Span]] = {"keep": [], "skip": []}
    for first, last in zip(marks[::2], marks[1::2], strict=True):
        found[first[0].strip().strip("[]").casefold()].append((moved[first.start()], moved[last.start()]))
    chapters = tuple((moved[start], title) for start, title in narrative.chapters)
    passages = tuple(ScriptPassage(moved[start], moved[end], *who) for start, end, *who in narrative.passages)
    omitted = tuple(
        each._replace(place=moved[each.place])
        for each in narrative.omitted
        if not each.replaced or is_text[each.place]
    )
    return replace(
        narrative,
        text=text,
        spans=tuple(spans),
        chapters=chapters,
        passages=passages,
        omitted=omitted,
        skipped=tuple(found["skip"]),
        kept=tuple(found["keep"]),
    )


def _check_pairs(narrative: Narrative, marks: Sequence[str]) -> None:
    """Raise NarrativeError unless each mark is followed by the one that closes it."""
    for place, (mark, following) in enumerate(pairwise([*marks, ""])):
        is_closing = place % 2 == 1
        if mark.startswith("/") != is_closing or (not is_closing and following != f"/{mark}"):
            name = mark.removeprefix("/")
            raise NarrativeError(
                f"a [[{mark}]] has no counterpart.",
                where=narrative.title or None,
                remedy=f"Write [[{name}]] before and [[/{name}]] after each passage.",
            )


def skip_sentences(narrative: Narrative, numbers: Sequence[int]) -> Narrative:
    """Return the narrative with some sentences skipped, given by their indices.

    Raises:
        BarthesError: There is no such sentence.
    """
    if unknown := sorted(index for index in numbers if index >= len(narrative)):
        raise BarthesError(
            f"there is no {narrative.unit} {unknown[0] + 1}; the story has {len(narrative):,}.",
            where=narrative.title or None,
            remedy="Give the numbers of the table of scores.",
            option="skip",
        )
    return replace(narrative, skipped=(*narrative.skipped, *(narrative.spans[k] for k in sorted(numbers))))


def _trim(text: str, span: Span, language: str, *, split: bool) -> Iterator[Span]:
    """Yield a span without white space at its ends; one that held a mark may be several sentences."""
    start, end = span
    piece = text[start:end]
    if not piece.strip():
        return
    if split:
        from barthes.annotation.sentence_splitting import split_sentences  # imports spaCy

        yield from (
            (start + first, start + last) for first, last in split_sentences(piece, language=language)
        )
    else:
        yield start, end


def find_overlapping(units: Iterable[tuple[int, int]], passages: Sequence[tuple[int, int]]) -> frozenset[int]:
    """Return the indices of the spans that overlap some passages.

    >>> sorted(find_overlapping([(0, 2), (3, 5), (6, 8)], [(1, 4)]))
    [0, 1]
    """
    return frozenset(
        index
        for index, (start, end) in enumerate(units)
        if any(first < end and start < last for first, last in passages)
    )


def parse_numbers(text: str) -> frozenset[int]:
    """Return the indices, counted from 0, of sentences given by their numbers, counted from 1.

    Raises:
        BarthesError: The text is not a list of numbers and ranges.

    >>> sorted(parse_numbers("2, 4-6"))
    [1, 3, 4, 5]
    """
    found: set[int] = set()
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        first, last = (0, 0) if match is None else (int(match[1]), int(match[2] or match[1]))
        if not 1 <= first <= last:
            raise BarthesError(
                f"{part.strip()!r} is not the number of a sentence, nor a range of numbers.",
                remedy="Give numbers and ranges separated by commas, for example 12-15,20.",
            )
        found.update(range(first - 1, last))
    return frozenset(found)
