"""Write profiles as TSV, CSV, JSON and JSON Lines.

JSON keeps the text of a sentence as in the source; TSV and CSV put it on one line.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from barthes.narrative import SPAN_UNITS
from barthes.salience.profile import Profile, ScoredUnit

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
    for scored in choose(profile, top=top, order=order):
        row = scored.to_row() | {"story": profile.narrative.title}
        writer.writerow([row.get(column) for column in columns])
    return out.getvalue()


def to_plain(
    profile: Profile, *, top: int | None = None, order: str = "story", influence: bool = False
) -> dict[str, Any]:
    """Return the profile as plain lists and dicts, with the chosen units only."""
    plain = profile.to_dict(influence=influence)
    plain[f"{profile.unit}s"] = [scored.to_dict() for scored in choose(profile, top=top, order=order)]
    return plain


def to_json(plain: Sequence[dict[str, Any]], *, several: bool) -> str:
    """Return a list of plain profiles if `several` were requested (some may have failed), else an object."""
    content = list(plain) if several else plain[0]
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def to_jsonl(plain: dict[str, Any]) -> str:
    """Return one object on one line."""
    return json.dumps(plain, ensure_ascii=False, allow_nan=False) + "\n"
