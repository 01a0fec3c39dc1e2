"""Tables of texts: TSV, CSV, JSON Lines and Parquet, read row by row."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from barthes.errors import ReadingError

__all__ = ["TABLE_SUFFIXES", "Columns", "is_table", "read_rows"]

TABLE_SUFFIXES = (".tsv", ".csv", ".jsonl", ".parquet")
"""Endings, in lower case, of files that hold a text a row."""

_WIDEST = 40  # characters of a column's name that are shown
_LISTED = 20  # columns that are named
_BATCH = 256  # rows of a Parquet file in memory at once


@dataclass(frozen=True, slots=True)
class Columns:
    """What the columns of a table are called.

    Attributes:
        id: The one with the name of each text.
        text: The one with the text itself.
    """

    id: str = "id"
    text: str = "text"


def is_table(path: Path) -> bool:
    """Whether a file holds a text a row, by its ending."""
    return path.suffix.lower() in TABLE_SUFFIXES


def read_rows(path: Path, columns: Columns = Columns()) -> Iterator[tuple[str, str]]:  # noqa: B008 - frozen
    """The id and the text of each row.

    Raises:
        ReadingError: The file cannot be read, has no such column, or a row has no id or text; it names the
            row. A text that is null is an empty one.
    """
    rows = {".jsonl": _read_jsonl, ".parquet": _read_parquet}.get(path.suffix.lower(), _read_delimited)
    try:
        for number, row in rows(path, columns):
            yield _pick(row, columns.id, path, number), _pick_text(row, columns.text, path, number)
    except UnicodeDecodeError as error:
        raise ReadingError("it is not UTF-8.", where=path, remedy="Save it as UTF-8.") from error
    except OSError as error:
        cause = error.strerror or error
        raise ReadingError(f"it cannot be read ({cause}).", where=path, remedy="Check its name.") from error


def _read_delimited(path: Path, columns: Columns) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows of TSV and CSV, whose first line names the columns; numbers are those of lines."""
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    before = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # a novel is longer than the usual 128 kB
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, delimiter=delimiter)
            _check_columns(reader.fieldnames or [], columns, path)
            for row in reader:
                yield reader.line_num, row
    except csv.Error as error:
        raise ReadingError(f"it is no table ({error}).", where=path, remedy="Quote its fields.") from error
    finally:
        csv.field_size_limit(before)


def _read_jsonl(path: Path, columns: Columns) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line.rstrip())
            except (ValueError, RecursionError) as error:
                raise _refuse(path, number, f"is not JSON ({_explain(error)})") from error
            if not isinstance(row, dict):
                raise _refuse(path, number, "is no JSON object")
            yield number, row


def _read_parquet(path: Path, columns: Columns) -> Iterator[tuple[int, dict[str, Any]]]:
    from barthes.report.exports.parquet import check_installed

    check_installed()
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(path) as file:
            _check_columns(file.schema_arrow.names, columns, path)
            number = 0
            for batch in file.iter_batches(batch_size=_BATCH, columns=[columns.id, columns.text]):
                for row in batch.to_pylist():
                    number += 1
                    yield number, row
    except pa.ArrowException as error:
        raise ReadingError(
            f"it is no Parquet file ({error}).", where=path, remedy="Write it anew."
        ) from error


def _check_columns(found: Any, columns: Columns, path: Path) -> None:
    for option, name in (("--id-column", columns.id), ("--text-column", columns.text)):
        if name not in found:
            raise ReadingError(
                f"it has no column {name!r}; {_list_columns(found)}.",
                where=path,
                remedy=f"Name it with {option}.",
            )


def _list_columns(found: Iterable[Any]) -> str:
    names = [str(name)[:_WIDEST] for name in islice(found, _LISTED + 1)]
    return f"there are: {', '.join(names[:_LISTED]) or 'none'}{' …' if len(names) > _LISTED else ''}"


def _pick(row: dict[str, Any], name: str, path: Path, number: int) -> str:
    value = row.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str):
        return value
    if value is not None:
        raise _refuse(path, number, f"has a {name!r} that is no text")
    raise _refuse(path, number, f"has no {name!r}" + ("" if name in row else f"; {_list_columns(row)}"))


def _pick_text(row: dict[str, Any], name: str, path: Path, number: int) -> str:
    """A text that is null is empty, as a cell of CSV is: it costs itself, and not the corpus."""
    return "" if name in row and row[name] is None else _pick(row, name, path, number)


def _explain(error: Exception) -> str:
    """What is wrong with a line; Python would call it line 1, whichever it is."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg}, column {error.colno}"
    return "nested too deep" if isinstance(error, RecursionError) else str(error)


def _refuse(path: Path, number: int, problem: str) -> ReadingError:
    """A row whose id is unsure stops everything: the results of the others must not get other names later."""
    kind = "row" if path.suffix.lower() == ".parquet" else "line"
    return ReadingError(
        f"{kind} {number} {problem}.",
        where=path,
        remedy="Correct it, leave it out, or name the columns with --id-column and --text-column.",
    )
