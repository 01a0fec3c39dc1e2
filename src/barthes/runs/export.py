"""Write the results of a run as one table, row by row: a corpus need not fit into memory."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from barthes.files import replaced
from barthes.report.exports.parquet import check_installed
from barthes.runs.results import RunResults

_ROWS = 50_000  # of a row group: the same rows give the same bytes
_INTEGERS = frozenset({"index", "sentence", "start", "end", "rank", "window"})
_NUMBERS = frozenset({"salience", "low", "high", "stability"})


def export_run(results: RunResults, out: Path, *, format: str) -> None:  # noqa: A002 - the option's name
    """Write the results to a file atomically; a named pipe or a device gets them as they come.

    Args:
        results: Of a run.
        out: The file.
        format: One of `EXPORT_FORMATS`.

    Raises:
        OutputError: It cannot be written, or pyarrow, which Parquet needs, is not installed.
        ReadingError: A result cannot be read.
    """
    if format == "parquet":
        check_installed()
    with replaced(out) as file:
        export_to_stream(results, file, format=format)


def export_to_stream(results: RunResults, stream: BinaryIO, *, format: str) -> None:  # noqa: A002
    """Write the results to a stream of bytes."""
    EXPORT_FORMATS[format](results, stream)


def _write_csv(results: RunResults, stream: BinaryIO) -> None:
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="", write_through=False)
    try:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(results.columns)
        writer.writerows(results.rows(one_line=True))
    finally:
        text.flush()
        text.detach()  # or the stream would be closed with it


def _write_jsonl(results: RunResults, stream: BinaryIO) -> None:
    for plain in results.profiles():
        stream.write(json.dumps(plain, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n")


def _write_parquet(results: RunResults, stream: BinaryIO) -> None:
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    kinds = dict.fromkeys(_INTEGERS, pa.int64()) | dict.fromkeys(_NUMBERS, pa.float64())
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in results.columns])
    rows = results.rows()
    with ParquetWriter(stream, schema) as writer:
        while group := list(islice(rows, _ROWS)):
            columns = [
                pa.array(column, type=kind)
                for column, kind in zip(zip(*group, strict=True), schema.types, strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))


EXPORT_FORMATS: dict[str, Callable[[RunResults, BinaryIO], None]] = {
    "parquet": _write_parquet,
    "csv": _write_csv,
    "jsonl": _write_jsonl,
}
"""How the results of a run can be written."""
