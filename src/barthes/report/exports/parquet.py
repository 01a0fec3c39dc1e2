"""Export profiles as one Parquet table, for pandas, Polars, R or DuckDB."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, BinaryIO

from barthes.errors import OutputError
from barthes.formats import FileFormat
from barthes.report.tables import COLUMNS, UNCERTAINTY, choose
from barthes.salience.profile import Profile
from barthes.salience.serialization import flatten

ABOUT = ("method", "model", "precision", "window")
"""The columns about the method, after those of the sentence or event."""

_WHOLE = frozenset({"index", "sentence", "start", "end", "rank", "window"})
_REAL = frozenset({"salience", *UNCERTAINTY})
_ROW_GROUP = 50_000  # rows that are in memory at once


def to_parquet(profiles: Iterable[Profile], *, top: int | None = None, rank_by: str = "cost") -> bytes:
    """Return one row per sentence or event: the columns of TSV, with method, model and so on after the text.

    Unlike TSV, it is for programs: scores are exact, units count from 0 (``index``), and the text keeps its
    line breaks.

    Args:
        profiles: All of sentences, or all of events.
        top: Only the most salient of each story.
        rank_by: Which rank decides: ``cost`` or ``readers``.

    Raises:
        OutputError: pyarrow is not installed.
        ValueError: There is no profile, or some are of sentences and others of events.
    """
    rows: list[dict[str, Any]] = []
    units: set[str] = set()
    for profile in profiles:
        units.add(profile.unit)
        about = {name: getattr(profile, name) for name in ABOUT} | {"story": profile.narrative.title}
        rows += [
            flatten(scored.to_dict()) | about | {"text": scored.sentence.text}
            for scored in choose(profile, top=top, rank_by=rank_by, in_story_order=True)
        ]
    if len(units) != 1:
        raise ValueError(f"a table holds profiles of one unit, not of {sorted(units) or 'none'}")
    columns = list_columns(units.pop())
    check_installed()
    buffer = io.BytesIO()
    write_rows(([row[name] for name in columns] for row in rows), columns, buffer)
    return buffer.getvalue()


def list_columns(unit: str) -> list[str]:
    """Return the columns of a table with the scores of a unit."""
    own = ["index" if name == "number" else name for name in COLUMNS[unit]]
    return [*own, "text", *ABOUT, *(() if unit == "event" else UNCERTAINTY)]


def write_rows(rows: Iterable[Sequence[Any]], columns: Sequence[str], stream: BinaryIO) -> None:
    """Write rows with these columns as a table; they need not fit into memory."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    kinds = dict.fromkeys(_WHOLE, pa.int64()) | dict.fromkeys(_REAL, pa.float64())
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in columns])
    left = iter(rows)
    with ParquetWriter(stream, schema) as writer:
        while group := list(islice(left, _ROW_GROUP)):
            values = dict(zip(columns, zip(*group, strict=True), strict=True))
            writer.write_table(pa.Table.from_pydict(values, schema=schema))


def check_installed() -> None:
    """Raise OutputError if pyarrow is not installed."""
    if importlib.util.find_spec("pyarrow") is None:
        problem = "Parquet needs pyarrow, which is not installed."
        raise OutputError(problem, remedy="Install it with: pip install pyarrow")


def _write(profiles: Iterable[Profile], stream: BinaryIO, **options: Any) -> None:
    stream.write(to_parquet(profiles, **options))


PARQUET = FileFormat(
    name="parquet",
    purpose="one table, for pandas, Polars, R or DuckDB",
    suffixes=(".parquet",),
    write=_write,
    options=frozenset({"top", "rank_by"}),
    is_binary=True,
    check_installed=check_installed,
)
