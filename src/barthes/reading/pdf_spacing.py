"""Find the spaces between words in PDF pages by the widths of their glyphs.

Many PDFs have no spaces: words are set apart. pypdf guesses where, and takes kerning and letter spacing for
the ends of words. Here the text operators of a page (ISO 32000-1, 9.3 and 9.4) are followed, and replaced by
others that only say where lines begin and where spaces are. pypdf still decodes the text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from statistics import quantiles
from typing import Any

GAP = "\u2064"
"""What stands for a gap between words in the text of a rewritten page."""

_MOST_WIDTHS = 1_000_000  # of one font
_BETWEEN_WORDS = 0.16  # of the size of the letters, beyond the letter spacing of the line
_OVERLAP = -0.5  # of the size: what begins further back does not continue the same word
_SAME_LINE = 0.6  # of the size: how far a raised mark may stand above its line
_WIDEST_SPACING = 0.4  # of the size, between letters: beyond, they are the cells of a table
_FEWEST_GLYPHS = 6  # on a line, to measure its letter spacing

Matrix = tuple[float, float, float, float, float, float]
Widths = Callable[[bytes], list[tuple[bytes, float]]]
_IDENTITY: Matrix = (1, 0, 0, 1, 0, 0)


def mark_gaps(page: Any, reader: Any) -> None:
    """Replace the content of a pypdf page by its text alone, with `GAP` between words."""
    from pypdf.generic import ContentStream, NameObject

    contents = page.get("/Contents")
    if contents is None:
        return
    stream = ContentStream(contents, reader, "bytes")
    fonts = page["/Resources"].get("/Font", {}).get_object() if "/Resources" in page else {}
    follower = _TextFollower({name: _measure_font(font.get_object()) for name, font in fonts.items()})
    for operands, operator in stream.operations:
        follower.follow(operator, operands)
    stream.operations = [([], b"BT"), *_write(follower.shown)]
    page[NameObject("/Contents")] = stream


@dataclass(slots=True)
class _Run:
    """Glyphs that were shown by one operator.

    Attributes:
        font: The operands of Tf.
        matrix: From the space of the text to that of the page, where the run begins.
        end: Where it ends on the page; None if the widths of its glyphs are unknown.
        size: Of its letters on the page, in the direction of the line.
        glyphs: Their codes, and the gap after each, in parts of the size.
    """

    font: list[Any]
    matrix: Matrix
    end: tuple[float, float] | None
    size: float
    glyphs: list[tuple[bytes, float]]


@dataclass
class _TextState:
    """What `q` saves and `Q` restores."""

    matrix: Matrix = _IDENTITY
    font: list[Any] = field(default_factory=list)
    size: float = 1.0
    spacing: float = 0.0
    word_spacing: float = 0.0
    scale: float = 1.0
    leading: float = 0.0


class _TextFollower:
    """Follows the operators of a page; `shown` has what it shows, with forms and images as operators."""

    def __init__(self, fonts: Mapping[str, Widths | None]) -> None:
        self.shown: list[_Run | tuple[list[Any], bytes]] = []
        self._fonts = fonts
        self._state = _TextState()
        self._saved: list[_TextState] = []
        self._line = self._text = _IDENTITY

    def follow(self, operator: bytes, operands: list[Any]) -> None:
        """Apply one operator; those that do not concern text do nothing."""
        name = _METHODS.get(operator)
        if name is not None:
            getattr(self, name)(*operands)
        elif operator in _SETTINGS:
            setattr(self._state, _SETTINGS[operator], float(operands[0]))
        elif operator == b"Do":
            self.shown.append((operands, operator))

    def _save(self) -> None:
        self._saved.append(replace(self._state))

    def _restore(self) -> None:
        self._state = self._saved.pop() if self._saved else _TextState()

    def _transform(self, *values: float) -> None:
        self._state.matrix = _multiply(_to_matrix(values), self._state.matrix)

    def _begin(self) -> None:
        self._line = self._text = _IDENTITY

    def _set_font(self, name: Any, size: float) -> None:
        self._state.font, self._state.size = [name, size], float(size)

    def _set_scale(self, percent: float) -> None:
        self._state.scale = float(percent) / 100

    def _place(self, *values: float) -> None:
        self._line = self._text = _to_matrix(values)

    def _move(self, x: float, y: float) -> None:
        self._line = self._text = _multiply((1, 0, 0, 1, float(x), float(y)), self._line)

    def _move_with_leading(self, x: float, y: float) -> None:
        self._state.leading = -float(y)
        self._move(x, y)

    def _next_line(self) -> None:
        self._move(0, -self._state.leading)

    def _next_line_show(self, text: Any) -> None:
        self._next_line()
        self._show([text])

    def _next_line_space_show(self, word_spacing: float, spacing: float, text: Any) -> None:
        self._state.word_spacing, self._state.spacing = float(word_spacing), float(spacing)
        self._next_line_show(text)

    def _show_one(self, text: Any) -> None:
        self._show([text])

    def _show(self, items: list[Any]) -> None:
        state = self._state
        widths = self._fonts.get(state.font[0]) if state.font else None
        size = state.size or 1.0
        glyphs: list[tuple[bytes, float]] = []
        advance = start = 0.0
        for item in items:
            if isinstance(item, bytes):
                for code, width in widths(item) if widths else [(item, math.nan)]:
                    gap = (state.spacing + (state.word_spacing if code == b" " else 0)) / size
                    glyphs.append((code, gap))
                    advance += width + gap
            elif isinstance(item, (int, float)):
                advance -= item / 1000
                if glyphs:
                    glyphs[-1] = (glyphs[-1][0], glyphs[-1][1] - item / 1000)
                else:
                    start = advance
        unit = size * state.scale
        matrix = _multiply((1, 0, 0, 1, start * unit, 0), _multiply(self._text, state.matrix))
        end = None
        if not math.isnan(advance):
            self._text = _multiply((1, 0, 0, 1, advance * unit, 0), self._text)
            end = _multiply(self._text, state.matrix)[4:]
        if glyphs:
            self.shown.append(_Run(state.font, matrix, end, math.hypot(*matrix[:2]) * abs(unit), glyphs))


_SETTINGS = {b"Tc": "spacing", b"Tw": "word_spacing", b"TL": "leading"}
_METHODS = {
    b"q": "_save",
    b"Q": "_restore",
    b"cm": "_transform",
    b"BT": "_begin",
    b"Tf": "_set_font",
    b"Tz": "_set_scale",
    b"Tm": "_place",
    b"Td": "_move",
    b"TD": "_move_with_leading",
    b"T*": "_next_line",
    b"'": "_next_line_show",
    b'"': "_next_line_space_show",
    b"Tj": "_show_one",
    b"TJ": "_show",
}


def _to_matrix(values: tuple[float, ...]) -> Matrix:
    a, b, c, d, e, f = map(float, values)
    return (a, b, c, d, e, f)


def _multiply(m: Matrix, n: Matrix) -> Matrix:
    return (
        m[0] * n[0] + m[1] * n[2],
        m[0] * n[1] + m[1] * n[3],
        m[2] * n[0] + m[3] * n[2],
        m[2] * n[1] + m[3] * n[3],
        m[4] * n[0] + m[5] * n[2] + n[4],
        m[4] * n[1] + m[5] * n[3] + n[5],
    )


def _measure_font(font: Any) -> Widths | None:
    """Return what splits a string into glyphs with their widths, in parts of the size; None if unknown."""
    if font.get("/Subtype") == "/Type0":
        if font.get("/Encoding") != "/Identity-H":
            return None
        descendant = font["/DescendantFonts"].get_object()[0].get_object()
        table = dict(_read_cid_widths(descendant.get("/W", [])))
        default = float(descendant.get("/DW", 1000)) / 1000
        return lambda text: [
            (code, table.get(int.from_bytes(code, "big"), default))
            for code in (text[start : start + 2] for start in range(0, len(text), 2))
        ]
    unit = float(font["/FontMatrix"][0]) if "/FontMatrix" in font else 0.001
    numbers = [float(width.get_object()) * unit for width in font.get("/Widths", [])]
    first = int(font.get("/FirstChar", 0))
    known = dict(enumerate(numbers, start=first))
    default = 0.0 if known else math.nan
    return lambda text: [(bytes([code]), known.get(code, default)) for code in text]


def _read_cid_widths(array: Any) -> Iterator[tuple[int, float]]:
    """Read `/W`: a first code with a list of widths, or a first code, a last code and one width."""
    items = iter([item.get_object() for item in array.get_object()] if array else [])
    spent = 0
    for first in items:
        following = next(items)
        if isinstance(following, list):
            yield from enumerate((float(width.get_object()) / 1000 for width in following), start=first)
        else:
            width = float(next(items)) / 1000
            spent += max(0, min(following, 0xFFFF) - first)
            if spent > _MOST_WIDTHS:
                return
            yield from ((code, width) for code in range(first, min(following, 0xFFFF) + 1))


def _write(shown: list[_Run | tuple[list[Any], bytes]]) -> Iterator[tuple[list[Any], bytes]]:
    """Yield operators for what was shown: the place of each line, and its strings with marks for gaps."""
    line: list[_Run] = []
    for each in [*shown, None]:
        gap = _measure_gap(line[-1], each) if line and isinstance(each, _Run) else None
        if gap is None:
            yield from _write_line(line, _measure_spacing(line))
            line = []
        else:
            code, after = line[-1].glyphs[-1]
            line[-1].glyphs[-1] = (code, after + gap)
        if isinstance(each, _Run):
            line.append(each)
        elif each is not None:
            yield each


def _measure_gap(last: _Run, run: _Run) -> float | None:
    """Return the gap between two runs, in parts of the size; None if they are not on one line, or unknown."""
    size = min(last.size, run.size)
    if last.end is None or not size or abs(run.matrix[1]) > 0.1 * abs(run.matrix[0]):
        return None
    gap = (run.matrix[4] - last.end[0]) / size
    raised = abs(run.matrix[5] - last.end[1])
    return gap if gap > _OVERLAP and raised <= _SAME_LINE * size else None


def _write_line(line: list[_Run], spacing: float) -> Iterator[tuple[list[Any], bytes]]:
    from pypdf.generic import ArrayObject

    last: tuple[Any, ...] | None = None
    for run in line:
        place = (*run.matrix[:4], line[0].matrix[4], run.matrix[5])
        if (run.font, place) != last:
            # All runs begin where the line does: pypdf adds no space where nothing moves.
            last = (run.font, place)
            yield run.font, b"Tf"
            yield list(place), b"Tm"
        items: list[bytes | str] = []
        codes: list[bytes] = []
        for code, gap in run.glyphs:
            codes.append(code)
            if gap - spacing > _BETWEEN_WORDS:
                items += [b"".join(codes), GAP]
                codes = []
        yield [ArrayObject([*items, b"".join(codes)])], b"TJ"


def _measure_spacing(line: list[_Run]) -> float:
    """Return the letter spacing of a line, which three quarters of its gaps reach; 0 for a short line."""
    gaps = [gap for run in line for _, gap in run.glyphs]
    if len(gaps) < _FEWEST_GLYPHS:
        return 0.0
    usual = quantiles(gaps, n=4)[0]  # not the median: the dots of a table of contents are set apart
    return usual if usual < _WIDEST_SPACING else 0.0
