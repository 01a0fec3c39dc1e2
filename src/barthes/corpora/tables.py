"""Tables in plain text: rows under a header, with tabs, commas or semicolons between their cells."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from barthes.errors import ReadingError

__all__ = ["Row", "has_columns", "parse_table"]

_TAB = "\t"
_DELIMITERS = (_TAB, ",", ";")
_WIDEST = 100  # characters of a header that are shown
_LINE_END = re.compile(r"[\r\n]")


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of a row by column, the line that it starts on, and what is wrong with its shape."""

    line: int
    cells: dict[str, str]
    malformed: str = ""


def has_columns(text: str, columns: Sequence[str]) -> bool:
    """Whether the first line of a text is a header that names all of these columns.

    >>> has_columns("Story,Label,Sentence\\n", ["story", "sentence", "label"])
    True
    """
    return _find_delimiter(text, columns) is not None


def parse_table(text: str, columns: Sequence[str], *, where: str | Path, remedy: str) -> list[Row]:
    """The rows of a table that has these columns, in any order and case, beside others.

    Rows without a word in them are passed over. Cells with commas, line breaks or quotation marks in them
    are quoted as spreadsheets do; with tabs between cells, quotation marks are text unless they are doubled
    as spreadsheets do: ``"Stop!" she cried.`` is a sentence.

    Raises:
        ReadingError: The header does not name the columns, or names one twice; or quotes do not match.
    """
    delimiter = _find_delimiter(text, columns)
    if delimiter is None:
        problem = f"its first line is no header that names the columns {', '.join(columns)}"
        raise ReadingError(f"{problem}; {_tell_header(text)}.", where=where, remedy=remedy)
    quoted = delimiter != _TAB or _is_quoted(text)
    lines = _parse(text, delimiter, quoted=quoted)
    rows: list[Row] = []
    try:
        names = [name.strip().strip('"').strip().lower() for name in next(lines)[1]]
        _check_header(names, columns, where, remedy)
        for line, cells in lines:
            if any(cell.strip() for cell in cells):
                rows.append(_build_row(line, names, cells))
    except csv.Error as error:
        quoting = "Double quotation marks inside a cell and put others around it, or use tabs."
        raise ReadingError(f"is not a table: {error}.", where=where, remedy=quoting) from error
    return rows


def _build_row(line: int, names: list[str], cells: list[str]) -> Row:
    wrong = f"it has {len(cells)} cells under a header of {len(names)}" if len(cells) != len(names) else ""
    return Row(line, dict(zip(names, cells, strict=False)), wrong)


def _check_header(names: list[str], columns: Sequence[str], where: str | Path, remedy: str) -> None:
    counts = Counter(names)
    for name in columns:
        if counts[name] != 1:
            problem = f"its header names the column {name} {'twice' if counts[name] else 'nowhere'}."
            raise ReadingError(problem, where=where, remedy=remedy)


def _find_delimiter(text: str, columns: Sequence[str]) -> str | None:
    header = _first_line(text)
    for delimiter in _DELIMITERS:
        names = {name.strip().strip('"').strip().lower() for name in header.split(delimiter)}
        if names.issuperset(columns):
            return delimiter
    return None


def _first_line(text: str) -> str:
    return _LINE_END.split(text.lstrip("\r\n"), maxsplit=1)[0]


def _tell_header(text: str) -> str:
    """What the first line has in place of the columns that are asked for.

    >>> _tell_header("title,label\\nwolf,1\\n")
    'it has: title, label'
    """
    header = _first_line(text)
    names = [name.strip() for name in header.split(max(_DELIMITERS, key=header.count))]
    shown = ", ".join(name for name in names if name)
    return f"it has: {shown if len(shown) <= _WIDEST else shown[:_WIDEST] + ' …'}" if shown else "it is empty"


def _is_quoted(text: str) -> bool:
    """Whether a table with tabs is quoted as spreadsheets and pandas do it, or its quotes are just text.

    A quotation that opens in one sentence and closes in another must not swallow the rows between: then
    there would be a tab in a cell, which no table of sentences has.
    """
    try:
        rows = [cells for _, cells in _parse(text, _TAB, quoted=True)]
    except csv.Error:
        return False
    cells = [cell for row in rows for cell in row]
    if any(_TAB in cell for cell in cells):
        return False
    return text.lstrip().startswith('"') or '""' in text or any("\n" in cell for cell in cells)


def _parse(text: str, delimiter: str, *, quoted: bool) -> Iterator[tuple[int, list[str]]]:
    """The line on which each row starts, and its cells; blank lines are passed over."""
    source = io.StringIO(text, newline="")
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    reader = csv.reader(source, delimiter=delimiter, quoting=quoting, strict=True)
    line = 1
    try:
        for cells in reader:
            if cells:
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise csv.Error(f"{error}, in the row of line {line}") from error
