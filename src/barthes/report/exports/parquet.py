"""Export profiles as one Parquet table, for pandas, Polars, R or DuckDB."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Iterable
from typing import Any

from barthes.errors import OutputError
from barthes.report.tables import COLUMNS, UNCERTAINTY, choose
from barthes.salience.profile import Profile

_ABOUT = ("method", "model", "precision", "window")
_WHOLE = frozenset({"index", "sentence", "start", "end", "rank", "window"})
_REAL = frozenset({"salience", *UNCERTAINTY["sentence"]})


def to_parquet(profiles: Iterable[Profile], *, top: int | None = None, order: str = "story") -> bytes:
    """Return one row per sentence or event: the columns of TSV, with method, model and so on after the text.

    Unlike in TSV, the text keeps its line breaks.

    Args:
        profiles: All of sentences, or all of events.
        top: Only the most salient of each story.
        order: ``story`` or ``rank``.

    Raises:
        OutputError: pyarrow is not installed.
        ValueError: There is no profile, or some are of sentences and others of events.
    """
    rows: list[dict[str, Any]] = []
    units: set[str] = set()
    for profile in profiles:
        units.add(profile.unit)
        about = {name: getattr(profile, name) for name in _ABOUT} | {"story": profile.narrative.title}
        rows += [
            scored.to_row() | about | {"text": scored.sentence.text}
            for scored in choose(profile, top=top, order=order)
        ]
    if len(units) != 1:
        raise ValueError(f"a table holds profiles of one unit, not of {sorted(units) or 'none'}")
    unit = units.pop()
    check_installed()
    import pyarrow as pa
    from pyarrow.parquet import write_table

    kinds = {name: pa.int64() for name in _WHOLE} | {name: pa.float64() for name in _REAL}
    columns = (*COLUMNS[unit], *_ABOUT, *UNCERTAINTY[unit])
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in columns])
    buffer = io.BytesIO()
    write_table(pa.Table.from_pylist([{name: row[name] for name in columns} for row in rows], schema), buffer)
    return buffer.getvalue()


def check_installed() -> None:
    """Raise OutputError if pyarrow is not installed."""
    if importlib.util.find_spec("pyarrow") is None:
        problem = "Parquet needs pyarrow, which is not installed."
        raise OutputError(problem, remedy="Install it with: pip install pyarrow")
