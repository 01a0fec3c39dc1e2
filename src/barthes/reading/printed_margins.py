"""What stands in the margins of printed pages: running heads, page numbers, footnotes."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from statistics import median

from barthes.reading.blocks import Gathering
from barthes.reading.headings import is_numbered
from barthes.reading.printed_lines import Line

__all__ = ["leave_out_margins", "measure_body"]

_NUMBER = re.compile(
    r"[-–—\[(|\s]*(?:page\s+|p\.\s*)?(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:of|/)\s*\d{1,4})?[-–—\])|\s.]*",
    re.IGNORECASE,
)
_NOTE = re.compile(r"(?:\[?\d{1,3}[\].)]?|[*†‡§]{1,3})\s*\D")
_EDGE = 2  # lines at the top and at the bottom that may be running heads
_APART = 1.25  # times the usual distance of lines
_LARGE = 1.12  # times the size of the body: a heading at the top of a page
_SMALL = 0.92  # of the size of the body


def measure_body(pages: list[list[Line]]) -> float:
    """The size, in points, that most letters have."""
    sizes: Counter[float] = Counter()
    for lines in pages:
        for line in lines:
            sizes[round(line.size, 1)] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def leave_out_margins(pages: list[list[Line]], gathering: Gathering) -> list[list[Line]]:
    """The pages without running heads, page numbers and footnotes, which are counted."""
    body = measure_body(pages)
    step = _measure_step(pages, body)
    edges = [_find_edges(lines, body, step) for lines in pages]
    counts = Counter(key for found in edges for key in {_fold(line) for line in found})
    kept = []
    for lines, found in zip(pages, edges, strict=True):
        heads = [line for line in found if _is_worded(line) and counts[_fold(line)] > 1]
        numbers = [line for line in found if _NUMBER.fullmatch(line.text) and line not in heads]
        edge = {id(line) for line in (*heads, *numbers)}
        gathering.leave_out("running head", len(heads))
        gathering.leave_out("page number", len(numbers) + sum(_is_numbered(line) for line in heads))
        rest = [line for line in lines if id(line) not in edge]
        notes = _find_notes(rest, body)
        small = {id(line) for line in notes}
        gathering.leave_out("footnote", sum(bool(_NOTE.match(line.text)) for line in notes))
        kept.append([line for line in rest if id(line) not in small])
    return kept


def _measure_step(pages: list[list[Line]], body: float) -> float:
    """The usual distance of lines, in points."""
    steps = [a.y - b.y for lines in pages for a, b in itertools.pairwise(lines) if a.y > b.y]
    return median(steps) if steps else 1.2 * body


def _find_edges(lines: list[Line], body: float, step: float) -> list[Line]:
    """The highest and the lowest lines of a page that are set off from its text by a gap or by their size."""
    ordered = sorted(lines, key=lambda line: -line.y)
    found: list[Line] = []
    for inward in (ordered, ordered[::-1]):
        for line, following in itertools.pairwise(inward[: _EDGE + 1]):
            apart = abs(line.y - following.y) > _APART * step or abs(line.size - body) > 0.05 * body
            if line.size > _LARGE * body or not (apart or _NUMBER.fullmatch(line.text)):
                break
            found.append(line)
    return found if len(ordered) > 1 else [line for line in ordered if _NUMBER.fullmatch(line.text)]


def _fold(line: Line) -> tuple[str, int]:
    """What a running head has in common with itself on other pages: its words and its height."""
    words = line.text
    if not is_numbered(words):  # “Chapter 3” and “Chapter 4” are headings, not the same line again
        words = re.sub(r"^[ivxlc]+\s|\s[ivxlc]+$", " ", re.sub(r"\d+", " ", words))
    return re.sub(r"\W+", " ", words).strip().casefold(), round(line.y / 4)


def _is_worded(line: Line) -> bool:
    return not _NUMBER.fullmatch(line.text) and _fold(line)[0] != ""


def _is_numbered(line: Line) -> bool:
    return bool(re.search(r"^\d{1,4}\b|\b\d{1,4}$", line.text))


def _find_notes(lines: list[Line], body: float) -> list[Line]:
    """The small print at the foot of a page, from the first number or star on."""
    small: list[Line] = []
    for line in sorted(lines, key=lambda line: line.y):
        if line.size > _SMALL * body:
            break
        small.append(line)
    small.reverse()
    first = next((index for index, line in enumerate(small) if _NOTE.match(line.text)), len(small))
    # Where all the print is small the page is set so; at least half of a page with notes is text.
    return small[first:] if len(small) * 2 < max(len(lines), 3) else []
