"""The formats TSV, CSV, JSON and JSON Lines.

JSON has exact scores and the text of a sentence as in the source, and counts from 0 as programs do. TSV and
CSV are for people: rounded, on one line, counted from 1.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TextIO

from barthes.formats import FileFormat, write_each
from barthes.narrative import SPAN_UNITS
from barthes.salience.profile import Profile, ScoredUnit
from barthes.salience.serialization import flatten, to_dict

COLUMNS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(SPAN_UNITS, ("story", "number", "start", "end", "salience", "rank")),
    "event": ("story", "number", "sentence", "start", "end", "salience", "rank", "trigger", "arg0", "arg1"),
}
"""The first columns of a table, by unit; numbers count from 1."""

IMPORTANCE = ("importance", "importance_rank")
"""The next columns; empty where readers' importance is unknown."""

UNCERTAINTY = ("low", "high", "stability")
"""The columns after the text, except for events; empty where no bootstrap samples were drawn."""

PASSAGE = ("kind", "speaker")
"""The last columns of units other than events; empty cells outside screenplays."""

_DIGITS = {"bfloat16": 3, "float16": 3}  # decimals that the precision of the model carries
_MOST_DIGITS = 5


def choose(
    profile: Profile, *, top: int | None = None, rank_by: str = "cost", in_story_order: bool = False
) -> Sequence[ScoredUnit]:
    """Return the units to show: the `top` most salient (or all), by rank or in story order.

    With `rank_by` ``readers``, the ranks are those of `Profile.importance`, if it is known. Units without a
    rank come after all others, and not at all with `top`.
    """
    by_readers = rank_by == "readers" and profile.importance is not None
    ranking = profile.importance if by_readers and profile.importance is not None else profile
    units = [profile.units[unit.index] for unit in ranking.top(top)]
    if top is None:
        units += [profile.units[unit.index] for unit in ranking.units if unit.rank is None]
    return sorted(units, key=lambda unit: unit.index) if in_story_order else units


def to_rows(
    profile: Profile, *, delimiter: str, top: int | None = None, rank_by: str = "cost", header: bool = True
) -> str:
    """Return one row per unit in story order, see `make_readable`."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    columns = (*COLUMNS[profile.unit], *IMPORTANCE, "text")
    columns += () if profile.unit == "event" else UNCERTAINTY + PASSAGE
    if header:
        writer.writerow(columns)
    for unit in choose(profile, top=top, rank_by=rank_by, in_story_order=True):
        row = flatten(unit.to_dict()) | {"story": profile.narrative.title, "text": str(unit.sentence)}
        row = make_readable(row, profile.precision)
        writer.writerow([row.get(column) for column in columns])
    return out.getvalue()


def make_readable(row: Mapping[str, Any], precision: str | None) -> dict[str, Any]:
    """Return a row on one line, counted from 1, with scores rounded to what the model's precision carries.

    >>> make_readable({"index": 0, "salience": 0.123456789, "text": "A wolf\\ncame."}, "bfloat16")
    {'index': 0, 'salience': 0.123, 'text': 'A wolf came.', 'number': 1}
    """
    digits = _DIGITS.get(precision or "", _MOST_DIGITS)
    readable = {
        name: round(value, digits) if isinstance(value, float) else value for name, value in row.items()
    }
    readable |= {"number": row["index"] + 1, "text": " ".join(row["text"].split())}
    if "sentence" in row:
        readable["sentence"] = row["sentence"] + 1
    return readable


def to_plain(
    profile: Profile, *, top: int | None = None, rank_by: str = "cost", influence: bool = False
) -> dict[str, Any]:
    """Return the profile as plain lists and dicts, with the chosen units only, in story order."""
    units = choose(profile, top=top, rank_by=rank_by, in_story_order=True)
    return to_dict(profile, units=units, influence=influence)


def _write_rows(profiles: Iterable[Profile], stream: TextIO, *, delimiter: str, **options: Any) -> None:
    for place, profile in enumerate(profiles):
        stream.write(to_rows(profile, delimiter=delimiter, header=place == 0, **options))


def _write_json(
    profiles: Iterable[Profile], stream: TextIO, *, several: bool = False, **options: Any
) -> None:
    """Write a list if `several` stories were asked for (some may have failed), else an object."""
    plain = [to_plain(profile, **options) for profile in profiles]
    content = plain if several else plain[0]
    stream.write(json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def _to_line(profile: Profile, **options: Any) -> str:
    return json.dumps(to_plain(profile, **options), ensure_ascii=False, allow_nan=False) + "\n"


def _describe_format(name: str, purpose: str, delimiter: str) -> FileFormat:
    return FileFormat(
        name=name,
        purpose=purpose,
        suffixes=(f".{name}",),
        write=partial(_write_rows, delimiter=delimiter),
        options=frozenset({"top", "rank_by"}),
    )


TSV = _describe_format("tsv", "a table with a row per sentence", "\t")
CSV = _describe_format("csv", "a table for spreadsheets", ",")
JSON = FileFormat(
    name="json",
    purpose="everything, for programs",
    suffixes=(".json",),
    write=_write_json,
    options=frozenset({"top", "rank_by", "influence", "several"}),
    with_notes=True,
)
JSONL = FileFormat(
    name="jsonl",
    purpose="JSON with a story per line",
    suffixes=(".jsonl",),
    write=write_each(_to_line),
    options=frozenset({"top", "rank_by", "influence"}),
    with_notes=True,
)
