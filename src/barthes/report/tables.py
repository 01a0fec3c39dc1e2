"""Profiles as TSV, CSV, JSON and JSON Lines.

JSON keeps the text of a sentence exactly as it stands in the source; TSV and CSV put it on one line
(`start` and `end` lead back to the source). Salience is in nats per token for sentence deletion, and
higher is more salient.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from barthes.salience.profile import Profile, ScoredSentence

__all__ = ["COLUMNS", "choose", "to_json", "to_jsonl", "to_plain", "to_rows"]

COLUMNS = ("story", "index", "start", "end", "salience", "rank", "text")


def choose(profile: Profile, *, top: int | None, order: str) -> list[ScoredSentence]:
    """The sentences to show: the `top` most salient (or all), by `rank` or in `story` order."""
    chosen = profile.top(top)
    return list(chosen) if order == "rank" else sorted(chosen, key=lambda scored: scored.sentence.index)


def to_rows(
    profile: Profile, *, delimiter: str, top: int | None = None, order: str = "story", header: bool = True
) -> str:
    """One row a sentence, with the columns of `COLUMNS`."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    if header:
        writer.writerow(COLUMNS)
    for scored in choose(profile, top=top, order=order):
        row = scored.to_dict() | {"story": profile.narrative.title, "text": str(scored.sentence)}
        writer.writerow([row[column] for column in COLUMNS])
    return out.getvalue()


def to_plain(
    profile: Profile, *, top: int | None = None, order: str = "story", influence: bool = False
) -> dict[str, Any]:
    """The profile as plain lists and dicts, with the chosen sentences only."""
    plain = profile.to_dict(influence=influence)
    plain["sentences"] = [scored.to_dict() for scored in choose(profile, top=top, order=order)]
    return plain


def to_json(plain: Sequence[dict[str, Any]]) -> str:
    """One story as an object, several as a list of objects."""
    content = plain[0] if len(plain) == 1 else list(plain)
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def to_jsonl(plain: dict[str, Any]) -> str:
    """One object on one line."""
    return json.dumps(plain, ensure_ascii=False, allow_nan=False) + "\n"
