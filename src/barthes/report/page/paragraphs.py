"""The running text of a page: paragraphs of sentences, and of each what is shaded and what is not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from barthes.narrative import Narrative
from barthes.report.escaping import clean

__all__ = ["Spans", "set_paragraphs"]

Spans = Sequence[tuple[int, int, int]]
"""Start, end and number of each scored stretch of text, in story order and apart from each other."""

_BLANK_LINE = re.compile(r"\n[ \t\r\f\v]*\n")


def set_paragraphs(narrative: Narrative, spans: Spans) -> list[list[dict[str, Any]]]:
    """The story's paragraphs, each a list of pieces in the order of the text.

    A piece has `text` or, for a sentence, `sentence` (its index) and `parts`: its text cut where a scored
    stretch begins or ends, each with `unit` (the number of the stretch, or None). Paragraphs end at blank
    lines; other white space is one space.

    >>> story = Narrative("It rained.\\n\\nA wolf came.", ((0, 10), (12, 24)))
    >>> [[piece["sentence"] for piece in paragraph] for paragraph in set_paragraphs(story, [])]
    [[0], [1]]
    """
    paragraphs: list[list[dict[str, Any]]] = [[]]
    inside = list(spans)
    for sentence, gap in zip(narrative, narrative.gaps, strict=False):
        _add_gap(paragraphs, gap)
        mine = [span for span in _take(inside, sentence.end) if span[0] >= sentence.start]
        parts = list(_cut(narrative.text, sentence.start, sentence.end, mine))
        paragraphs[-1].append({"sentence": sentence.index, "parts": parts})
    _add_gap(paragraphs, narrative.gaps[-1])
    return [
        paragraph for paragraph in paragraphs if any("sentence" in p or p["text"].strip() for p in paragraph)
    ]


def _add_gap(paragraphs: list[list[dict[str, Any]]], gap: str) -> None:
    """What stands between two sentences: a space, the end of a paragraph, or text that is no sentence."""
    first, *others = _BLANK_LINE.split(gap)
    for place, text in enumerate([first, *others]):
        if place:
            paragraphs.append([])
        if text.strip() or (text and paragraphs[-1]):
            paragraphs[-1].append({"text": clean(text)})


def _take(spans: list[tuple[int, int, int]], end: int) -> list[tuple[int, int, int]]:
    """The spans that end by `end`, removed from the list."""
    taken = []
    while spans and spans[0][1] <= end:
        taken.append(spans.pop(0))
    return taken


def _cut(text: str, start: int, end: int, spans: Spans) -> Iterator[dict[str, Any]]:
    for first, last, unit in spans:
        if first > start:
            yield {"text": clean(text[start:first]), "unit": None}
        yield {"text": clean(text[first:last]), "unit": unit}
        start = last
    if start < end:
        yield {"text": clean(text[start:end]), "unit": None}
