"""Find margins, paragraphs and headings in the layout of PDF pages.

Paragraphs are recognized by indents, gaps and short last lines. Running heads, page numbers and footnotes are
marked, and words cut at the end of a line are joined.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from statistics import median

from barthes.reading.document import Block, fold, tidy_marked
from barthes.reading.pdf_lines import Line
from barthes.reading.printing import NOTE_START, PAGE_NUMBER, count_hyphenated, join_lines
from barthes.reading.titles import is_numbered

_EDGE = 2  # lines at the top and at the bottom that may be running heads
_APART = 1.25  # times the usual distance of lines
_LARGER = 1.12  # times the size of the body: a heading
_SMALL = 0.92  # of the size of the body
_INDENT = 0.7  # of the size: less is an accident of setting
_GAP = 1.3  # times the usual distance of lines
_LONGEST_HEADING = 16  # words
_ENDS = re.compile(r"[.!?…:][\"'”’»)\]]*$")


def _measure_body(pages: list[list[Line]]) -> float:
    """Return the size, in points, of most letters."""
    sizes: Counter[float] = Counter()
    for line in itertools.chain(*pages):
        sizes[round(line.size, 1)] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _measure_step(pairs: Iterable[tuple[Line, Line]], body: float) -> float:
    """Return the usual distance, in points, of lines that follow each other."""
    steps = [above.y - below.y for above, below in pairs if above.y > below.y]
    return median(steps) if steps else 1.2 * body


def _pair(pages: list[list[Line]]) -> Iterator[tuple[Line, Line]]:
    return (pair for lines in pages for pair in itertools.pairwise(lines))


def set_apart_margins(pages: list[list[Line]]) -> tuple[list[list[Line]], list[tuple[str, list[Line]]]]:
    """Return the pages without running heads, page numbers and footnotes, and these with their marks."""
    body = _measure_body(pages)
    step = _measure_step(_pair(pages), body)
    edges = [_find_edges(lines, body, step) for lines in pages]
    counts = Counter(key for found in edges for key in {_fold_head(line) for line in found})
    kept, margins = [], list[tuple[str, list[Line]]]()
    for lines, found in zip(pages, edges, strict=True):
        furniture = [
            line
            for line in found
            if PAGE_NUMBER.fullmatch(line.text) or (_fold_head(line)[0] and counts[_fold_head(line)] > 1)
        ]
        rest = _without(lines, furniture)
        notes = _find_notes(rest, body)
        margins += [("furniture", [line]) for line in furniture] + [("note", notes)] * bool(notes)
        kept.append(_without(rest, notes))
    return kept, margins


def _without(lines: list[Line], removed: list[Line]) -> list[Line]:
    gone = {id(line) for line in removed}
    return [line for line in lines if id(line) not in gone]


def _find_edges(lines: list[Line], body: float, step: float) -> list[Line]:
    """Return the top and bottom lines of a page that are set off from its text by a gap or by their size."""
    ordered = sorted(lines, key=lambda line: -line.y)
    found: list[Line] = []
    for inward in (ordered, ordered[::-1]):
        for line, following in itertools.pairwise(inward[: _EDGE + 1]):
            apart = abs(line.y - following.y) > _APART * step or abs(line.size - body) > 0.05 * body
            if line.size > _LARGER * body or not (apart or PAGE_NUMBER.fullmatch(line.text)):
                break
            found.append(line)
    return found if len(ordered) > 1 else [line for line in ordered if PAGE_NUMBER.fullmatch(line.text)]


def _fold_head(line: Line) -> tuple[str, int]:
    """Return what a running head has in common on all pages: its words and its height."""
    words = line.text
    if not is_numbered(words):  # “Chapter 3” and “Chapter 4” are headings, not the same line again
        words = re.sub(r"^[ivxlc]+\s|\s[ivxlc]+$", " ", re.sub(r"\d+", " ", words))
    return fold(words), round(line.y / 4)


def _find_notes(lines: list[Line], body: float) -> list[Line]:
    """Return the small print at the foot of a page, from the first number or star on."""
    upwards = sorted(lines, key=lambda line: line.y)
    small = list(itertools.takewhile(lambda line: line.size <= _SMALL * body, upwards))[::-1]
    first = next((index for index, line in enumerate(small) if NOTE_START.match(line.text)), len(small))
    # At least half of a page with notes is text; otherwise the page itself is set small.
    return small[first:] if len(small) * 2 < max(len(lines), 3) else []


def form_blocks(pages: list[list[Line]], outline: Mapping[str, int]) -> list[Block]:
    """Join the lines of all pages to paragraphs and headings; `outline` has levels by folded title."""
    layout = _PageLayout(pages, outline)
    groups: list[tuple[int, list[Line]]] = []
    for lines in pages:
        left = layout.find_left(lines)
        for line in lines:
            level = layout.find_level(line)
            same = bool(groups) and groups[-1][0] == level
            if same and not layout.separates(groups[-1][1][-1], line, level, left):
                groups[-1][1].append(line)
            else:
                groups.append((level, [line]))
    words = count_hyphenated("\n".join(line.text for line in itertools.chain(*pages)))
    gaps = [
        9,
        *(layout.count_steps(above[-1], below[0]) for (_, above), (_, below) in itertools.pairwise(groups)),
    ]
    blocks = []
    for gap, (level, lines) in zip(gaps, groups, strict=False):
        text, marks = tidy_marked(join_lines([line.marked for line in lines], words))
        if text:
            blocks.append(Block(text, level, gap=gap, marks=marks))
    return blocks


class _PageLayout:
    """How a document was set: the size of its letters and the distances of its lines."""

    def __init__(self, pages: list[list[Line]], outline: Mapping[str, int]) -> None:
        self._outline = outline
        self._body = _measure_body(pages)
        lines = [line for page in pages for line in page if self._is_body(line)]
        lengths = sorted(len(line.text) for line in lines)
        self._full = lengths[len(lengths) * 9 // 10] if lengths else 0
        pairs = (pair for pair in _pair(pages) if all(map(self._is_body, pair)))
        self._step = _measure_step(pairs, self._body)
        larger = {round(line.size) for page in pages for line in page if line.size > _LARGER * self._body}
        self._bottom = min((line.y for line in lines), default=0.0)
        self._levels = {size: min(index + 1, 6) for index, size in enumerate(sorted(larger, reverse=True))}

    def _is_body(self, line: Line) -> bool:
        return abs(line.size - self._body) < 0.06 * self._body

    def find_left(self, lines: list[Line]) -> float:
        """Return the left edge of the text of a page, in points: where most of its lines begin."""
        starts = Counter(round(line.x) for line in lines if self._is_body(line))
        return float(min(starts, key=lambda x: (-starts[x], x))) if starts else 0.0

    def find_level(self, line: Line) -> int:
        """Return the level of a heading, by the outline or by its size; 0 for other lines."""
        level = self._outline.get(fold(line.text))
        if level is not None:
            return level
        is_large = line.size > _LARGER * self._body and len(line.text.split()) <= _LONGEST_HEADING
        return self._levels.get(round(line.size), 6) if is_large else 0

    def count_steps(self, above: Line, below: Line) -> int:
        """Return the distance of two lines in lines of text; a page that ends early counts for many."""
        if above.page != below.page:
            return 9 if above.y - self._bottom > 4 * self._step else 1
        return max(1, round((above.y - below.y) / self._step)) if self._step else 1

    def separates(self, above: Line, below: Line, level: int, left: float) -> bool:
        """Return whether a new block begins between two lines of the same level."""
        if level:
            return above.page != below.page or above.y - below.y > 1.4 * above.size
        indent = below.x - left
        if indent > _INDENT * below.size:
            # Verse and quotations are indented line after line.
            return abs(below.x - above.x) > 1 or above.page != below.page or self._ends_short(above)
        if above.page != below.page or below.y > above.y:  # the next page, or the next column
            return self._ends_short(above)
        return above.y - below.y > _GAP * self._step

    def _ends_short(self, line: Line) -> bool:
        return len(line.text) < 0.85 * self._full and _ENDS.search(line.text) is not None
