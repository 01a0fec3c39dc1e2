"""The printed lines of a PDF page, as PDFium finds them: their text, place and size.

PDFium decodes the fonts, finds the spaces between words and the ends of lines. Coordinates and sizes are in
points from the lower left corner of the page.
"""

from __future__ import annotations

import ctypes
import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from barthes.reading.document import mark_text
from barthes.reading.encoding import join_surrogates

_INITIAL = 1.8  # times the size of what follows: an initial over several lines
_CUT = "\x02"  # stands for a hyphen at the end of a line
_SIGNS = frozenset("0123456789*†‡")  # that lead to notes, if they are raised


@dataclass(frozen=True, slots=True)
class Line:
    """A printed line.

    Attributes:
        text: Its text, with single spaces.
        marked: The text with marks around small raised numbers, which lead to notes.
        x: Where it begins.
        y: Its base line.
        size: The size of its first letter.
        page: The index of its page.
        turn: How many quarter turns its letters are rotated.
        unnamed: Its letters in fonts that do not say which letters they draw.
    """

    text: str
    marked: str
    x: float
    y: float
    size: float
    page: int
    turn: int = 0
    unnamed: str = ""


@dataclass(frozen=True, slots=True)
class _Place:
    x: float
    y: float
    size: float


def read_lines(page: Any, index: int) -> list[Line]:
    """Return the lines of a PDFium page in the order of its content, with initials joined to their words."""
    reader = _LineReader(page.get_textpage(), index)
    lines: list[Line] = []
    for line in reader.read():
        initial = lines[-1] if lines else None
        if initial is not None and len(initial.text) == 1 and initial.size > _INITIAL * line.size:
            letter = lines.pop().text
            line = replace(line, text=letter + line.text, marked=letter + line.marked)
        lines.append(line)
    return lines


def find_turn(lines: list[Line]) -> int:
    """Return how many quarter turns most lines of a page are rotated."""
    turns = Counter(line.turn for line in lines)
    return max(turns, key=lambda turn: (turns[turn], turn == 0), default=0)


class _LineReader:
    """Reads the characters of a page."""

    def __init__(self, text_page: Any, page: int) -> None:
        import pypdfium2.raw

        self._pdfium = pypdfium2.raw
        self._text_page = text_page
        self._page = page
        self._lines: list[Line] = []
        self._characters: list[tuple[int, str]] = []  # of the line that is read, with their indices

    def read(self) -> list[Line]:
        """Return the lines of the page."""
        for index in range(self._text_page.count_chars()):
            character = chr(self._pdfium.FPDFText_GetUnicode(self._text_page, index) % 0x110000)
            if character in "\r\n":
                self._end_line()
            elif character == _CUT:
                self._characters.append((index, "-"))
                self._end_line()
            else:
                self._characters.append((index, character))
        self._end_line()
        return self._lines

    def _end_line(self) -> None:
        characters, self._characters = self._characters, []
        text = _tidy("".join(character for _, character in characters))
        if not text:
            return
        first = next(index for index, character in characters if not character.isspace())
        place = self._measure(first)
        marked = (
            mark_text("note", character) if self._is_raised(index, character, place) else character
            for index, character in characters
        )
        has_error = self._pdfium.FPDFText_HasUnicodeMapError
        self._lines.append(
            Line(
                text,
                _tidy("".join(marked)),
                place.x,
                place.y,
                place.size,
                self._page,
                turn=round(self._pdfium.FPDFText_GetCharAngle(self._text_page, first) / (math.pi / 2)) % 4,
                unnamed="".join(each for index, each in characters if has_error(self._text_page, index) > 0),
            )
        )

    def _measure(self, index: int) -> _Place:
        x, y, matrix = ctypes.c_double(), ctypes.c_double(), self._pdfium.FS_MATRIX()
        self._pdfium.FPDFText_GetCharOrigin(self._text_page, index, x, y)
        self._pdfium.FPDFText_GetMatrix(self._text_page, index, matrix)
        size = self._pdfium.FPDFText_GetFontSize(self._text_page, index)
        return _Place(x.value, y.value, abs(size) * math.hypot(matrix.c, matrix.d) or 1.0)

    def _is_raised(self, index: int, character: str, line: _Place) -> bool:
        if character not in _SIGNS:
            return False
        sign = self._measure(index)
        is_above = sign.y > line.y + 0.15 * line.size and sign.size < 0.95 * line.size
        return is_above or sign.size < 0.8 * line.size


def _tidy(text: str) -> str:
    return " ".join(join_surrogates(text).split())
