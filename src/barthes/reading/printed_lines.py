"""The lines of a PDF page: pieces of text with their places, put together by where they stand."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Line", "Piece", "assemble_lines", "extract_pieces"]

_SAME = 0.6  # of the size of the letters: how far a raised mark may stand above its line
_LARGE = 1.8  # times the size of what follows: an initial over several lines


@dataclass(frozen=True, slots=True)
class Piece:
    """Some text in one font. Places and sizes are in points, from the lower left corner of the page."""

    text: str
    x: float
    y: float
    size: float


@dataclass
class Line:
    """A printed line.

    Attributes:
        x: Where it begins, in points from the left edge.
        y: Its base line, in points from the lower edge.
        size: The size of its first letters, in points.
        page: The index of its page.
        pieces: What it is made of.
    """

    x: float
    y: float
    size: float
    page: int
    pieces: list[Piece] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All that is on the line, with single spaces."""
        return " ".join("".join(piece.text for piece in self.pieces).split())

    def without_marks(self) -> str:
        """The text without small raised numbers, which refer to notes."""
        kept = [piece.text for piece in self.pieces if not self._is_mark(piece)]
        return " ".join("".join(kept).split())

    def _is_mark(self, piece: Piece) -> bool:
        text = piece.text.strip()
        raised = piece.y > self.y + 0.15 * self.size and piece.size < 0.95 * self.size
        return (raised or piece.size < 0.8 * self.size) and (text.isdigit() or text in ("*", "†", "‡"))


def extract_pieces(page: Any) -> list[Piece]:
    """The pieces of text on a page of pypdf, in the order of its content; text that runs upwards is none."""
    pieces: list[Piece] = []

    def visit(text: str, cm: list[float], tm: list[float], font: Any, size: float) -> None:
        if not text.strip():
            # A space or an end of line of its own; one is enough.
            if text and pieces and not pieces[-1].text.endswith(" "):
                pieces[-1] = Piece(pieces[-1].text + " ", pieces[-1].x, pieces[-1].y, pieces[-1].size)
            return
        a = tm[0] * cm[0] + tm[1] * cm[2]
        b = tm[0] * cm[1] + tm[1] * cm[3]
        d = tm[2] * cm[1] + tm[3] * cm[3]
        x = tm[4] * cm[0] + tm[5] * cm[2] + cm[4]
        y = tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
        scale = abs(d) or math.hypot(a, b)
        if abs(b) > abs(a) or not all(map(math.isfinite, (x, y, scale))):
            return
        own = abs(size) * scale or 1.0
        # One call holds one line as a rule; where it holds more, the others follow at the usual distance.
        for index, part in enumerate(text.strip("\n").split("\n")):
            pieces.append(Piece(part + (" " if text.endswith("\n") else ""), x, y - 1.2 * own * index, own))

    page.extract_text(visitor_text=visit)
    return pieces


def assemble_lines(pieces: Iterable[Piece], page: int) -> list[Line]:
    """The lines of a page, in the order of its content."""
    lines: list[Line] = []
    initial: Piece | None = None
    for piece in pieces:
        if len(piece.text.strip()) == 1 and piece.text.strip().isupper() and initial is None:
            initial = piece
            continue
        if initial is not None:
            first, initial = initial, None
            if first.size > _LARGE * piece.size:
                piece = Piece(first.text.strip() + piece.text.lstrip(), piece.x, piece.y, piece.size)
            else:
                _place(first, lines, page)
        _place(piece, lines, page)
    if initial is not None:
        _place(initial, lines, page)
    return [line for line in lines if line.text]


def _place(piece: Piece, lines: list[Line], page: int) -> None:
    last = lines[-1] if lines else None
    if last is not None and abs(piece.y - last.y) <= _SAME * last.size and piece.x >= last.x - last.size:
        last.pieces.append(piece)
    else:
        lines.append(Line(piece.x, piece.y, piece.size, page, [piece]))
