"""The formats TSV, CSV, JSON and JSON Lines.

JSON keeps the text of a sentence as in the source; TSV and CSV put it on one line.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, TextIO

from barthes.formats import FileFormat, write_each
from barthes.narrative import SPAN_UNITS
from barthes.salience.profile import Profile, ScoredUnit
from barthes.salience.serialization import flatten, to_dict

COLUMNS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(SPAN_UNITS, ("story", "index", "start", "end", "salience", "rank", "text")),
    "event": (
        *("story", "index", "sentence", "start", "end", "salience", "rank"),
        *("trigger", "arg0", "arg1", "text"),
    ),
}
"""The columns of a table, by unit."""

UNCERTAINTY: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(SPAN_UNITS, ("low", "high", "stability")),
    "event": (),
}
"""The columns after all others; empty cells where no bootstrap samples were drawn."""

PASSAGE = ("kind", "speaker")
"""The last columns of units other than events; empty cells outside screenplays."""


def choose(profile: Profile, *, top: int | None, order: str) -> Sequence[ScoredUnit]:
    """Return the units to show: the `top` most salient (or all), by `rank` or in `story` order.

    Units without a rank come after all others, and not at all with `top`.
    """
    units = profile.top(top)
    if top is None:
        units += tuple(scored for scored in profile.units if scored.rank is None)
    return units if order == "rank" else sorted(units, key=lambda scored: scored.index)


def to_rows(
    profile: Profile, *, delimiter: str, top: int | None = None, order: str = "story", header: bool = True
) -> str:
    """Return one row per unit, with the columns of `COLUMNS`, `UNCERTAINTY` and `PASSAGE`."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    columns = COLUMNS[profile.unit] + UNCERTAINTY[profile.unit]
    columns += () if profile.unit == "event" else PASSAGE
    if header:
        writer.writerow(columns)
    for unit in choose(profile, top=top, order=order):
        row = flatten(unit.to_dict()) | {"story": profile.narrative.title, "text": str(unit.sentence)}
        writer.writerow([row.get(column) for column in columns])
    return out.getvalue()


def to_plain(
    profile: Profile, *, top: int | None = None, order: str | None = None, influence: bool = False
) -> dict[str, Any]:
    """Return the profile as plain lists and dicts, with the chosen units only."""
    return to_dict(profile, units=choose(profile, top=top, order=order or "story"), influence=influence)


def _write_rows(
    profiles: Iterable[Profile],
    stream: TextIO,
    *,
    delimiter: str,
    top: int | None = None,
    order: str | None = None,
) -> None:
    for place, profile in enumerate(profiles):
        rows = to_rows(profile, delimiter=delimiter, top=top, order=order or "story", header=place == 0)
        stream.write(rows)


def _write_json(
    profiles: Iterable[Profile], stream: TextIO, *, several: bool = False, **options: Any
) -> None:
    """Write a list if `several` stories were asked for (some may have failed), else an object."""
    plain = [to_plain(profile, **options) for profile in profiles]
    content = plain if several else plain[0]
    stream.write(json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def _to_line(profile: Profile, **options: Any) -> str:
    return json.dumps(to_plain(profile, **options), ensure_ascii=False, allow_nan=False) + "\n"


TSV = FileFormat(
    name="tsv",
    purpose="a table with a row per sentence",
    suffixes=(".tsv",),
    write=partial(_write_rows, delimiter="\t"),
    options=frozenset({"top", "order"}),
)
CSV = FileFormat(
    name="csv",
    purpose="a table for spreadsheets",
    suffixes=(".csv",),
    write=partial(_write_rows, delimiter=","),
    options=frozenset({"top", "order"}),
)
JSON = FileFormat(
    name="json",
    purpose="everything, for programs",
    suffixes=(".json",),
    write=_write_json,
    options=frozenset({"top", "order", "influence", "several"}),
    with_notes=True,
)
JSONL = FileFormat(
    name="jsonl",
    purpose="JSON with a story per line",
    suffixes=(".jsonl",),
    write=write_each(_to_line),
    options=frozenset({"top", "order", "influence"}),
    with_notes=True,
)
