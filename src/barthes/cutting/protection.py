"""Find the sentences that are not to be cut: marked in the text, or given by their numbers."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import cycle

import numpy as np

from barthes.errors import BarthesError, NarrativeError
from barthes.narrative import BLANK_LINE, Narrative, ScriptPassage
from barthes.reading.scene_breaks import is_scene_heading

Span = tuple[int, int]

# White space on the inner side of a mark goes with it, unless it is all that separates two sentences.
_MARK = re.compile(r"(?:(?<=\s)|^)\[\[keep\]\]\s*|\s*\[\[/keep\]\](?=\s|$)|\[\[/?keep\]\]", re.IGNORECASE)
_RANGE = re.compile(r"(\d{1,6})(?:\s*[-–]\s*(\d{1,6}))?")


def remove_marks(narrative: Narrative) -> tuple[Narrative, tuple[Span, ...]]:
    """Return the narrative without ``[[keep]]`` and ``[[/keep]]``, and the spans between these marks.

    Raises:
        NarrativeError: A mark has no counterpart, or nothing is left without the marks.

    >>> text = "It rained. [[keep]]A wolf came.[[/keep]] It ate."
    >>> story, marked = remove_marks(Narrative(text, ((0, 10), (11, 48))))
    >>> [str(sentence) for sentence in story], marked
    (['It rained.', 'A wolf came.', 'It ate.'], ((11, 23),))
    """
    marks = list(_MARK.finditer(narrative.text))
    if not marks:
        return narrative, ()
    for mark, closes in zip([*marks, None], cycle([False, True]), strict=False):
        if (mark is None and closes) or (mark is not None and ("/" in mark[0]) != closes):
            raise NarrativeError(
                f"{'a [[keep]]' if closes else 'a [[/keep]]'} has no counterpart.",
                where=narrative.title or None,
                remedy="Write [[keep]] before and [[/keep]] after each passage to keep.",
            )
    is_text = np.ones(len(narrative.text), dtype=bool)
    for mark in marks:
        is_text[mark.start() : mark.end()] = False
    moved = [0, *np.cumsum(is_text).tolist()]
    text = _MARK.sub("", narrative.text)
    spans: list[Span] = []
    for start, end in narrative.spans:
        has_mark = not is_text[start:end].all()
        spans += _trim(text, (moved[start], moved[end]), narrative.language, split=has_mark)
    edges = [moved[mark.start()] for mark in marks]
    marked = tuple(zip(edges[::2], edges[1::2], strict=True))
    chapters = tuple((moved[start], title) for start, title in narrative.chapters)
    passages = tuple(ScriptPassage(moved[start], moved[end], *who) for start, end, *who in narrative.passages)
    omitted = tuple(
        each._replace(place=moved[each.place])
        for each in narrative.omitted
        if not each.replaced or is_text[each.place]
    )
    moved_narrative = replace(
        narrative, text=text, spans=tuple(spans), chapters=chapters, passages=passages, omitted=omitted
    )
    return moved_narrative, marked


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


def find_sentences(narrative: Narrative, spans: Sequence[Span]) -> frozenset[int]:
    """Return the sentences that overlap some spans.

    >>> sorted(find_sentences(Narrative("A. B. C.", ((0, 2), (3, 5), (6, 8))), [(1, 4)]))
    [0, 1]
    """
    return frozenset(
        index
        for index, (start, end) in enumerate(narrative.spans)
        if any(first < end and start < last for first, last in spans)
    )


def find_headings(narrative: Narrative) -> frozenset[int]:
    r"""Return the sentences that are headings of chapters or scenes.

    >>> text = "Chapter 1. The Well\n\nA wolf came."
    >>> spans, chapters = ((0, 10), (11, 19), (21, 33)), ((0, "Chapter 1. The Well"),)
    >>> sorted(find_headings(Narrative(text, spans, chapters=chapters)))
    [0, 1]
    """
    found = {sentence.index for sentence in narrative if is_scene_heading(str(sentence))}
    for start, title in narrative.chapters:
        blank = BLANK_LINE.search(narrative.text, start)
        first = bisect_left(narrative.spans, (start, 0))
        last = (
            bisect_right(narrative.spans, blank.start(), key=lambda span: span[1])
            if blank
            else len(narrative)
        )
        inside = (narrative[k] for k in range(first, last))
        found |= {each.index for each in inside if str(each).strip(" .:").casefold() in title.casefold()}
    return frozenset(found)


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
