"""Printed lines to paragraphs: by indents, gaps and short last lines; words cut in two are healed."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Mapping
from statistics import median

from barthes.reading.blocks import Block
from barthes.reading.printed_lines import Line
from barthes.reading.printed_margins import measure_body

__all__ = ["Outline", "form_blocks"]

Outline = Mapping[str, int]
"""The level of each title of the document's own outline, by its words in small letters."""

_INDENT = 0.7  # of the size: less is an accident of setting
_GAP = 1.3  # times the usual distance of lines
_LARGER = 1.12  # times the size of the body: a heading
_LONGEST_HEADING = 16  # words
_LONGEST_WORD = 300  # characters
_CUT = re.compile(r"(\w+)[-\u2010\u00ad]$")
_ENDS = re.compile(r"[.!?…:][\"'”’»)\]]*$")


def form_blocks(pages: list[list[Line]], outline: Outline) -> list[Block]:
    """The paragraphs and headings of a document's pages."""
    setting = _Setting(pages, outline)
    groups: list[tuple[int, list[Line]]] = []
    previous: Line | None = None
    for lines in pages:
        left = setting.find_left(lines)
        for line in lines:
            level = setting.find_level(line)
            same = bool(groups) and groups[-1][0] == level and previous is not None
            if same and previous is not None and not setting.parts(previous, line, level, left):
                groups[-1][1].append(line)
            else:
                groups.append((level, [line]))
            previous = line
    words = Counter(
        word for lines in pages for line in lines for word in re.findall(r"[\w-]+", line.text.lower())
    )
    return [Block(_join([line.without_marks() for line in lines], words), level) for level, lines in groups]


class _Setting:
    """How a document was set: its size, its distances, whether paragraphs are indented."""

    def __init__(self, pages: list[list[Line]], outline: Outline) -> None:
        self._outline = outline
        self._body = measure_body(pages)
        lines = [line for page in pages for line in page if self._is_body(line)]
        lengths = sorted(len(line.text) for line in lines)
        self._full = lengths[len(lengths) * 9 // 10] if lengths else 0
        steps = [
            above.y - below.y
            for page in pages
            for above, below in itertools.pairwise(page)
            if self._is_body(above) and self._is_body(below) and above.y > below.y
        ]
        self._step = median(steps) if steps else self._body * 1.2
        larger = {round(line.size) for page in pages for line in page if line.size > _LARGER * self._body}
        self._levels = {size: min(index + 1, 6) for index, size in enumerate(sorted(larger, reverse=True))}

    def _is_body(self, line: Line) -> bool:
        return abs(line.size - self._body) < 0.06 * self._body

    def find_left(self, lines: list[Line]) -> float:
        """The left edge of the text of a page, in points: where most of its lines begin."""
        starts = Counter(round(line.x) for line in lines if self._is_body(line))
        return float(min(starts, key=lambda x: (-starts[x], x))) if starts else 0.0

    def find_level(self, line: Line) -> int:
        """The level of a line that is a heading, by the outline or by its size; 0 for the others."""
        level = self._outline.get(_fold(line.text))
        if level is not None:
            return level
        is_large = line.size > _LARGER * self._body and len(line.text.split()) <= _LONGEST_HEADING
        return self._levels.get(round(line.size), 6) if is_large else 0

    def parts(self, above: Line, below: Line, level: int, left: float) -> bool:
        """Whether a new block begins between two lines of the same level."""
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


def _join(lines: list[str], words: Counter[str]) -> str:
    pieces = [lines[0]]
    end = lines[0][-_LONGEST_WORD:]  # of what has been joined: to search all of it for each line takes long
    for line in lines[1:]:
        cut = _CUT.search(end)
        if cut and line[:1].islower():
            rest = re.match(r"\w*", line)
            if not _keeps_hyphen(cut[1], rest[0] if rest else "", words):
                pieces[-1] = pieces[-1][:-1]
            pieces.append(line)
        elif end.endswith(("—", "–")) and not end.endswith((" —", " –")):
            pieces.append(line)
        else:
            pieces.append(f" {line}")
        end = (end + pieces[-1])[-_LONGEST_WORD:]
    return "".join(pieces)


def _keeps_hyphen(head: str, rest: str, words: Counter[str]) -> bool:
    """Whether a word that is cut at the end of a line has its hyphen elsewhere too, and never lacks it."""
    head, rest = head.lower(), rest.lower()
    return words[f"{head}-{rest}"] > 0 and words[head + rest] == 0


def _fold(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().casefold()
