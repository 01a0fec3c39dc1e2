"""Load profiles from disk: what `Profile.save` wrote, or `barthes score --format json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from barthes.errors import ReadingError
from barthes.narrative import Narrative
from barthes.salience.influence import Influence
from barthes.salience.profile import Profile
from barthes.salience.saving import check_kinds
from barthes.salience.stability import Stability

__all__ = ["is_result", "load_result"]

_WIDEST_GAP = 10_000_000  # characters between two sentences that were left out: all of them make no more


def is_result(path: Path) -> bool:
    """Return whether a file, by its extension, holds scores and not a story."""
    return path.suffix.lower() in (".json", ".jsonl")


def load_result(path: Path) -> Profile:
    """Load the profile of one story's sentences.

    JSON printed by the command line lacks the text between sentences: it becomes white space, and offsets
    stay.

    Raises:
        ReadingError: It cannot be read, or is of several stories, of events, or not complete.
    """
    content = _parse(path)
    if "events" in content:
        problem = "holds scores of events, and sentences are needed."
        raise ReadingError(problem, where=path, remedy="Score the story's sentences.")
    if "spans" in content and "influences" in content:
        return Profile.load(path)
    try:
        return _build(content)
    except (LookupError, TypeError, ValueError, OverflowError) as error:
        remedy = "Write the scores of all its sentences as JSON, with the influence matrix."
        raise ReadingError("holds no scores that can be read.", where=path, remedy=remedy) from error


def _parse(path: Path) -> dict[str, Any]:
    remedy = "Give the JSON of one story."
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ReadingError(f"cannot be read ({error.strerror}).", where=path) from error
    except (ValueError, RecursionError) as error:
        raise ReadingError("is no JSON of one story.", where=path, remedy=remedy) from error
    if isinstance(content, list) and len(content) == 1:
        content = content[0]
    if not isinstance(content, dict):
        raise ReadingError("holds several stories.", where=path, remedy=remedy)
    return content


def _build(content: dict[str, Any]) -> Profile:
    check_kinds(content)
    rows = sorted(content["sentences"], key=lambda row: int(row["index"]))
    if [row["index"] for row in rows] != list(range(len(rows))):
        raise ValueError("some sentences are missing")
    text = ""
    for row in rows:
        if not 0 <= row["start"] - len(text) <= _WIDEST_GAP:
            raise ValueError("sentences overlap, or stand too far apart")
        text = text.ljust(row["start"]) + row["text"]
    narrative = Narrative(text, tuple((row["start"], row["end"]) for row in rows), title=content["story"])
    return Profile(
        narrative,
        tuple(float(row["salience"]) for row in rows),
        method=content["method"],
        model=content["model"],
        precision=content["precision"],
        window=content["window"],
        notes=tuple(content["notes"]),
        influences=_band(content.get("influence")),
        stability=Stability.from_rows(rows),
    )


def _band(matrix: list[list[float | None]] | None) -> Influence | None:
    """Return the columns of an influence matrix, each as far as something is known."""
    if matrix is None:
        return None
    dense = np.array(matrix, dtype=np.float64)  # None becomes NaN
    columns = []
    for j in range(len(dense)):
        below = dense[j + 1 :, j]
        known = np.flatnonzero(~np.isnan(below))
        columns.append(below[: known[-1] + 1] if known.size else below[:0])
    return Influence(tuple(columns))
