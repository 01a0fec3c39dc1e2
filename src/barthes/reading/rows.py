"""Files of corpora: their text, tables with tabs, commas or semicolons between cells, JSON and JSON Lines."""

from __future__ import annotations

import codecs
import csv
import io
import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from barthes.errors import ReadingError, UnknownEncodingError
from barthes.reading.encoding import decode
from barthes.reading.source import STANDARD_INPUT, read_bytes

_SAVE = "Save it in UTF-8."
_TAB = "\t"
_DELIMITERS = (_TAB, ",", ";")
_MAX_SHOWN = 100  # characters of a header in an error message
_LARGEST_CELL = 2**31 - 1  # characters; a novel exceeds the default of 131,072
_LINE_END = re.compile(r"[\r\n]")


class MalformedError(ValueError):
    """A row or an item that cannot be parsed; the message says what is wrong with it."""


def read_corpus_text(path: str | Path, *, remedy: str) -> str:
    """Read the text of one file, in UTF-8 or in UTF-16 with a byte order mark; errors say the `remedy`.

    Raises:
        ReadingError: It does not exist, is a folder, too large, or not text in these encodings.
    """
    path = Path(path)
    if path.is_dir():
        raise ReadingError("this is a folder, not a file.", where=path, remedy=remedy)
    return _decode(read_corpus_bytes(path, remedy=remedy), path)


def read_corpus_bytes(path: Path, *, remedy: str) -> bytes:
    """Read one file; errors say the `remedy`.

    Raises:
        ReadingError: It does not exist, or cannot be read.
    """
    # A corpus may be read repeatedly, but a pipe only once: "-" is an ordinary file name here.
    source = f"{os.curdir}{os.sep}-" if str(path) == STANDARD_INPUT else path
    try:
        return read_bytes(source)
    except ReadingError as error:
        # The format is not the problem if the name is mistyped.
        missing = isinstance(error.__cause__, FileNotFoundError)
        raise ReadingError(error.problem, where=path, remedy=error.remedy if missing else remedy) from error


def _decode(data: bytes, path: Path) -> str:
    """Decode UTF-8 or UTF-16; the encoding is not guessed, because results depend on it."""
    try:
        text, note = decode(data, where=path)
    except UnknownEncodingError as error:
        raise UnknownEncodingError(error.problem, where=path, remedy=_SAVE) from error
    if note and not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise UnknownEncodingError(f"line {line} is not UTF-8.", where=path, remedy=_SAVE) from error
    return text


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table or a line of a JSON Lines file."""

    line: int  # the number of its (first) line, from 1
    cells: dict[str, Any]  # by column or key, as far as they can be read
    malformed: str = ""  # what is wrong with it; empty if nothing is

    def check(self) -> dict[str, Any]:
        """Return the cells; raise MalformedError if something is wrong with the row."""
        if self.malformed:
            raise MalformedError(self.malformed)
        return self.cells


class JsonObject(dict[str, Any]):
    """A JSON object; `repeated` holds the keys that occur more than once (the last value is kept)."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        counts = Counter(key for key, _ in pairs)
        self.repeated: tuple[str, ...] = tuple(key for key, count in counts.items() if count > 1)


def parse_json(text: str) -> Any:
    """Parse a JSON text, objects as `JsonObject`; raise MalformedError if it cannot be read.

    >>> parse_json('{"a": 1, "a": 2}').repeated
    ('a',)
    """
    try:
        return json.loads(text, object_pairs_hook=JsonObject)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise MalformedError(f"it is not JSON: {error.msg} at {place}") from error
    except ValueError as error:  # a number of thousands of digits
        raise MalformedError(f"it is not JSON that can be read: {error}") from error
    except RecursionError as error:
        raise MalformedError("it is nested too deeply") from error


def check_object(value: object) -> JsonObject:
    """Return a parsed value; raise MalformedError unless it is an object whose keys are unique."""
    if not isinstance(value, JsonObject):
        raise MalformedError("it is not a JSON object")
    if value.repeated:
        raise MalformedError(f"it gives the key {value.repeated[0]!r} twice")
    return value


def parse_json_lines(text: str) -> Iterator[Row]:
    """Parse the lines of a JSON Lines file that are not blank; only a line feed ends a line.

    >>> [(row.line, row.cells, row.malformed) for row in parse_json_lines('{"a": 1}\\n\\n[2]')]
    [(1, {'a': 1}, ''), (3, {}, 'it is not a JSON object')]
    """
    lines = enumerate(text.split("\n"), start=1)
    return (_parse_line(number, line) for number, line in lines if line.strip())


def _parse_line(number: int, line: str) -> Row:
    value = None
    try:
        value = parse_json(line)
        return Row(number, check_object(value))
    except MalformedError as error:
        cells = value if isinstance(value, JsonObject) else {}
        return Row(number, cells, str(error).replace("line 1, ", ""))


def has_columns(text: str, columns: Sequence[str]) -> bool:
    """Return whether the first line of a text is a header with all of these columns.

    >>> has_columns("Story,Label,Sentence\\n", ["story", "sentence", "label"])
    True
    """
    return _find_delimiter(text, columns) is not None


def parse_table(text: str, columns: Sequence[str], *, where: str | Path, remedy: str) -> list[Row]:
    """Parse a table that has these columns, in any order and case, and perhaps others; skip blank rows.

    Cells with commas, line breaks or quotation marks are quoted as spreadsheets do. In a table with tabs,
    quotation marks are text unless they are doubled as spreadsheets do: ``"Stop!" she cried.`` is a sentence.

    Raises:
        ReadingError: The header lacks a column or has it twice, or quotation marks do not match.
    """
    delimiter = _find_delimiter(text, columns)
    if delimiter is None:
        problem = f"its first line is not a header with the columns {', '.join(columns)}"
        raise ReadingError(f"{problem}; {_describe_header(text)}.", where=where, remedy=remedy)
    lines = _parse(text, delimiter, quoted=delimiter != _TAB or _is_quoted(text))
    try:
        names = _parse_names(next(lines)[1])
        for name in columns:
            if names.count(name) != 1:
                problem = f"its header names the column {name} {'twice' if name in names else 'nowhere'}."
                raise ReadingError(problem, where=where, remedy=remedy)
        return [_build_row(line, names, cells) for line, cells in lines if any(map(str.strip, cells))]
    except csv.Error as error:
        quoting = "Double quotation marks inside a cell and put others around it, or use tabs."
        raise ReadingError(f"is not a table: {error}.", where=where, remedy=quoting) from error


def _build_row(line: int, names: list[str], cells: list[str]) -> Row:
    wrong = f"it has {len(cells)} cells under a header of {len(names)}" if len(cells) != len(names) else ""
    return Row(line, dict(zip(names, cells, strict=False)), wrong)


def _find_delimiter(text: str, columns: Sequence[str]) -> str | None:
    header = _first_line(text)
    found = (each for each in _DELIMITERS if {*columns} <= {*_parse_names(header.split(each))})
    return next(found, None)


def _parse_names(cells: Sequence[str]) -> list[str]:
    return [name.strip().strip('"').strip().lower() for name in cells]


def _first_line(text: str) -> str:
    return _LINE_END.split(text.lstrip("\r\n"), maxsplit=1)[0]


def _describe_header(text: str) -> str:
    """Return what the first line has instead of the expected columns.

    >>> _describe_header("title,label\\nwolf,1\\n")
    'it has: title, label'
    """
    header = _first_line(text)
    names = [name.strip() for name in header.split(max(_DELIMITERS, key=header.count))]
    shown = ", ".join(filter(None, names))
    shown = shown if len(shown) <= _MAX_SHOWN else shown[:_MAX_SHOWN] + " …"
    return f"it has: {shown}" if shown else "it is empty"


def _is_quoted(text: str) -> bool:
    """Return whether the cells of a table with tabs are quoted, as spreadsheets and pandas write them.

    A quotation that opens in one sentence and closes in another must not swallow the rows between: a
    cell would contain a tab, which no sentence does.
    """
    try:
        cells = [cell for _, row in _parse(text, _TAB, quoted=True) for cell in row]
    except csv.Error:
        return False
    if any(_TAB in cell for cell in cells):
        return False
    return text.lstrip().startswith('"') or '""' in text or any("\n" in cell for cell in cells)


def _parse(text: str, delimiter: str, *, quoted: bool) -> Iterator[tuple[int, list[str]]]:
    """Yield the first line and the cells of each row; skip blank lines."""
    source = io.StringIO(text, newline="")
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    csv.field_size_limit(_LARGEST_CELL)
    reader = csv.reader(source, delimiter=delimiter, quoting=quoting, strict=True)
    line = 1
    try:
        for cells in reader:
            if cells:
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise csv.Error(f"{error}, in the row of line {line}") from error
