"""Regroup a narrative: paragraphs, scenes or chapters in place of its sentences."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NoReturn

from barthes.errors import NarrativeError
from barthes.narrative import BLANK_LINE, Narrative


def regroup(narrative: Narrative, unit: str) -> Narrative:
    """Return the narrative with paragraphs, scenes or chapters in place of its sentences.

    Events are parts of sentences, so for the unit ``event`` the sentences stay.
    Paragraphs end at blank lines, or at line breaks if there are no blank lines.

    Raises:
        NarrativeError: The text is not divided in this way.

    >>> story = Narrative("It rained. Hard.\\n\\nA wolf came.", ((0, 10), (11, 16), (18, 30)))
    >>> [sentence.text for sentence in regroup(story, "paragraph")]
    ['It rained. Hard.', 'A wolf came.']
    """
    if unit in ("event", narrative.unit):
        return narrative
    if narrative.unit != "sentence":
        raise ValueError(f"{narrative.unit}s cannot be regrouped, only sentences")
    starts = _FINDERS[unit](narrative)
    edges = sorted({0, *starts, len(narrative)})
    spans = tuple((narrative.spans[i][0], narrative.spans[j - 1][1]) for i, j in pairwise(edges))
    return replace(narrative, spans=spans, unit=unit)


def find_paragraphs(narrative: Narrative) -> list[int]:
    """Return the sentences that begin a paragraph.

    Raises:
        NarrativeError: The whole text is one paragraph.
    """
    gaps = narrative.gaps[1:-1]
    starts = [k for k, gap in enumerate(gaps, start=1) if BLANK_LINE.search(gap)]
    starts = starts or [k for k, gap in enumerate(gaps, start=1) if "\n" in gap]
    return starts or _refuse(narrative, "paragraph", "there is no blank line in it")


def find_chapters(narrative: Narrative) -> list[int]:
    """Return the sentences that begin a chapter.

    Raises:
        NarrativeError: There are no chapters.
    """
    ends = [end for _, end in narrative.spans]
    starts = [bisect_right(ends, start) for start, _ in narrative.chapters]
    return starts if len(starts) > 1 else _refuse(narrative, "chapter", "no headings were found")


def _refuse(narrative: Narrative, unit: str, reason: str) -> NoReturn:
    raise NarrativeError(
        f"it has no {unit}s: {reason}.",
        where=narrative.title or None,
        remedy="Score its sentences, or another unit.",
    )


_FINDERS: dict[str, Callable[[Narrative], Sequence[int]]] = {
    "paragraph": find_paragraphs,
    "chapter": find_chapters,
}
