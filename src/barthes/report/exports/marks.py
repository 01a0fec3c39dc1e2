"""Find the scored units and the paragraphs of a text for exports."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from barthes.narrative import BLANK_LINE, Narrative
from barthes.salience.profile import Profile, ScoredUnit


def find_marks(profile: Profile, *, top: int | None = None) -> tuple[ScoredUnit, ...]:
    """Return the scored units in text order; with `top`, only the most salient."""
    units = profile.units if top is None else profile.top(top)
    return tuple(sorted(units, key=lambda unit: (unit.start, unit.end, unit.index)))


def find_fifth(profile: Profile, rank: int) -> int:
    """Return the fifth of a rank: 1 for the most salient fifth of the ranked units, 5 for the least."""
    return math.ceil(5 * rank / (len(profile.scores) - len(profile.unranked)))


def marks_within(marks: Sequence[ScoredUnit], start: int, end: int) -> Sequence[ScoredUnit]:
    """Return the units that begin between two offsets, given units in text order."""
    first = bisect_left(marks, start, key=lambda unit: unit.start)
    return marks[first : bisect_left(marks, end, key=lambda unit: unit.start)]


def find_paragraphs(narrative: Narrative) -> tuple[tuple[int, int], ...]:
    """Return the half-open spans of the paragraphs, which are separated by blank lines between sentences.

    They contain every character of the text except the white space at their ends.

    >>> story = Narrative("A wolf came. It rained.\\n\\nThe end.", ((0, 12), (13, 23), (25, 33)))
    >>> find_paragraphs(story)
    ((0, 23), (25, 33))
    """
    text = narrative.text
    edges = [0, *(edge for span in narrative.spans for edge in span), len(text)]
    gaps = zip(edges[::2], edges[1::2], strict=True)
    breaks = [found.start() for gap in gaps for found in BLANK_LINE.finditer(text, *gap)]
    paragraphs = []
    for start, end in pairwise([0, *breaks, len(text)]):
        if stretch := text[start:end].strip():
            first = text.index(stretch, start)
            paragraphs.append((first, first + len(stretch)))
    return tuple(paragraphs)
