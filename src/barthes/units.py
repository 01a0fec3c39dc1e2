"""Regroup a narrative: paragraphs, scenes or chapters in place of its sentences."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from itertools import pairwise
from typing import NoReturn

from barthes.errors import NarrativeError, UnknownNameError
from barthes.narrative import SPAN_UNITS, Narrative
from barthes.scenes import find_paragraph_starts, find_scenes


def regroup(narrative: Narrative, unit: str) -> Narrative:
    """Return the narrative with paragraphs, scenes or chapters in place of its sentences.

    Events are parts of sentences, so for the unit ``event`` the sentences stay. A narrative that was
    regrouped before stays so for the unit ``sentence``. What stands between sentences is not scored in longer
    units either. A note says how scenes were found (`barthes.scenes`).

    Raises:
        NarrativeError: The text is not divided in this way, or was regrouped before.
        UnknownNameError: There is no such unit.

    >>> story = Narrative("It rained. Hard.\\n\\nA wolf came.", ((0, 10), (11, 16), (18, 30)))
    >>> [sentence.text for sentence in regroup(story, "paragraph")]
    ['It rained. Hard.', 'A wolf came.']
    """
    if unit not in (*SPAN_UNITS, "event"):
        raise UnknownNameError("unit", unit, (*SPAN_UNITS, "event"))
    if unit in ("event", "sentence", narrative.unit):
        return narrative
    if narrative.unit != "sentence":
        raise NarrativeError(
            f"it is divided into {narrative.unit}s, which cannot be regrouped into {unit}s.",
            where=narrative.title or None,
            remedy="Read the story again.",
        )
    notes = narrative.notes
    if unit == "paragraph":
        starts = find_paragraph_starts(narrative) or _refuse(narrative, unit, "it is one block of text")
    elif unit == "scene":
        scenes = find_scenes(narrative)
        starts = list(scenes.breaks) or _refuse(narrative, unit, "it is too short for more than one")
        notes += (scenes.note,)
    else:
        starts = _find_chapters(narrative)
    edges = sorted({0, *starts, len(narrative)})
    spans = tuple((narrative.spans[i][0], narrative.spans[j - 1][1]) for i, j in pairwise(edges))
    return replace(narrative, spans=spans, unit=unit, notes=notes, left_out=_find_left_out(narrative))


def _find_left_out(narrative: Narrative) -> tuple[tuple[int, int], ...]:
    """Return the spans between sentences that have text: speakers, directions, headings, lines of stars."""
    gaps = ((a, b) for (_, a), (b, _) in pairwise(narrative.spans))
    return tuple((a, b) for a, b in gaps if narrative.text[a:b].strip())


def _find_chapters(narrative: Narrative) -> list[int]:
    ends = [end for _, end in narrative.spans]
    starts = [bisect_right(ends, start) for start, _ in narrative.chapters]
    # What stands before the first heading belongs to the first chapter.
    return starts[1:] or _refuse(narrative, "chapter", "no headings were found")


def _refuse(narrative: Narrative, unit: str, reason: str) -> NoReturn:
    raise NarrativeError(
        f"it has no {unit}s: {reason}.",
        where=narrative.title or None,
        remedy="Score its sentences, or another unit.",
    )
