"""The paragraphs of a narrative: what blank lines part."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from barthes.narrative import Narrative

__all__ = ["find_paragraphs"]

_BREAK = re.compile(r"(?:\r\n|\r|\n)[^\S\r\n]*(?:\r\n|\r|\n)")


def find_paragraphs(narrative: Narrative) -> tuple[tuple[int, int], ...]:
    """The paragraphs as half-open spans, no white space at their ends, none through a sentence.

    Every character that is not white space is in one of them, also where it belongs to no sentence.

    >>> story = Narrative("A wolf came. It rained.\\n\\nThe end.", ((0, 12), (13, 23), (25, 33)))
    >>> find_paragraphs(story)
    ((0, 23), (25, 33))
    """
    breaks = [offset for gap in _find_gaps(narrative) for offset in _find_breaks(narrative.text, *gap)]
    edges = [0, *breaks, len(narrative.text)]
    stretches = (_strip(narrative.text, start, end) for start, end in pairwise(edges))
    return tuple((start, end) for start, end in stretches if start < end)


def _find_gaps(narrative: Narrative) -> Iterator[tuple[int, int]]:
    position = 0
    for start, end in narrative.spans:
        yield position, start
        position = end
    yield position, len(narrative.text)


def _find_breaks(text: str, start: int, end: int) -> Iterator[int]:
    return (match.start() for match in _BREAK.finditer(text, start, end))


def _strip(text: str, start: int, end: int) -> tuple[int, int]:
    stretch = text[start:end]
    return start + len(stretch) - len(stretch.lstrip()), start + len(stretch.rstrip())
