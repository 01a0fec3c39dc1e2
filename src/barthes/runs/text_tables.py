"""Read tables of texts row by row: TSV, CSV, JSON Lines and Parquet."""

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

_SUFFIXES = (".tsv", ".csv", ".jsonl", ".parquet")
_REMEDY = "Correct it, leave it out, or name the columns of ids and texts."
_SHOWN_LENGTH = 40  # characters of a column's name in messages
_SHOWN_COLUMNS = 20
_PARQUET_BATCH = 256  # rows in memory at once

_Rows = Iterator[tuple[int, dict[str, Any]]]  # each with its line number, or row number for Parquet


@dataclass(frozen=True, slots=True)
class Columns:
    """The names of the columns with the id and the text of each row."""

    id: str = "id"
    text: str = "text"


def is_table(path: Path) -> bool:
    """Return whether a file holds one text per row, by its suffix."""
    return path.suffix.lower() in _SUFFIXES


def read_rows(path: Path, columns: Columns = Columns()) -> Iterator[tuple[str, str]]:  # noqa: B008 - frozen
    """Yield the id and the text of each row; a null text is empty.

    Raises:
        ReadingError: The file cannot be read or lacks a column, or a row has no id or text. The error names
            the row. One bad row rejects the table, so that the list of texts is never ambiguous.
    """
    rows = {".jsonl": _read_jsonl, ".parquet": _read_parquet}.get(path.suffix.lower(), _read_delimited)
    try:
        for number, row in rows(path, columns):
            if row.get(columns.text, 0) is None:
                row[columns.text] = ""
            yield _get_text(row, columns.id, path, number), _get_text(row, columns.text, path, number)
    except UnicodeDecodeError as error:
        raise ReadingError("it is not UTF-8.", where=path, remedy="Save it as UTF-8.") from error
    except OSError as error:
        cause = error.strerror or error
        raise ReadingError(f"it cannot be read ({cause}).", where=path, remedy="Check its name.") from error


def _read_delimited(path: Path, columns: Columns) -> _Rows:
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    before = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # a novel exceeds the default of 128 kB
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, delimiter=delimiter)
            _check_columns(reader.fieldnames or [], columns, path)
            for row in reader:
                yield reader.line_num, row
    except csv.Error as error:
        raise ReadingError(f"it is not a table ({error}).", where=path, remedy="Quote its fields.") from error
    finally:
        csv.field_size_limit(before)


def _read_jsonl(path: Path, columns: Columns) -> _Rows:
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            problem = f"line {number} is not a JSON object."
            try:
                row = json.loads(line.rstrip())
            except json.JSONDecodeError as error:  # its own message always says line 1
                row, problem = None, f"line {number} is not JSON ({error.msg}, column {error.colno})."
            except (ValueError, RecursionError):
                row, problem = None, f"line {number} is not JSON (too large or nested too deep)."
            if not isinstance(row, dict):
                raise ReadingError(problem, where=path, remedy=_REMEDY)
            yield number, row


def _read_parquet(path: Path, columns: Columns) -> _Rows:
    from barthes.report.exports.parquet import check_installed

    check_installed()
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(path) as file:
            _check_columns(file.schema_arrow.names, columns, path)
            batches = file.iter_batches(batch_size=_PARQUET_BATCH, columns=[columns.id, columns.text])
            yield from enumerate((row for batch in batches for row in batch.to_pylist()), start=1)
    except pa.ArrowException as error:
        problem = f"it is not a Parquet file ({error})."
        raise ReadingError(problem, where=path, remedy="Write it again.") from error


def _check_columns(found: Iterable[str], columns: Columns, path: Path) -> None:
    for name in (columns.id, columns.text):
        if name not in found:
            problem = f"it has no column {name!r}; {_list_columns(found)}."
            raise ReadingError(problem, where=path, remedy="Check, and name the columns of ids and texts.")


def _list_columns(found: Iterable[Any]) -> str:
    names = [str(name)[:_SHOWN_LENGTH] for name in islice(found, _SHOWN_COLUMNS + 1)]
    more = " …" if len(names) > _SHOWN_COLUMNS else ""
    return f"there are: {', '.join(names[:_SHOWN_COLUMNS]) or 'none'}{more}"


def _get_text(row: dict[str, Any], name: str, path: Path, number: int) -> str:
    value = row.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str):
        return value
    problem = f"has no {name!r}" if value is None else f"has a {name!r} that is not text"
    listed = "" if name in row else f"; {_list_columns(row)}"
    kind = "row" if path.suffix.lower() == ".parquet" else "line"
    raise ReadingError(f"{kind} {number} {problem}{listed}.", where=path, remedy=_REMEDY)
