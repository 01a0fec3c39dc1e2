"""Load profiles from files of `Profile.save` or `barthes score --format json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from barthes.errors import ReadingError
from barthes.models.language_model import FloatArray
from barthes.narrative import SPAN_UNITS
from barthes.salience.profile import Profile

_WIDEST_GAP = 10_000_000  # characters between two sentences


def is_result(path: Path) -> bool:
    """Return whether a file, by its extension, holds scores and not a story."""
    return path.suffix.lower() in (".json", ".jsonl")


def load_result(path: Path) -> Profile:
    """Load the profile of one story's sentences, or of its paragraphs, scenes or chapters.

    The JSON of `barthes score` lacks the text between sentences: it becomes white space of the same length.

    Raises:
        ReadingError: The file cannot be read, or has several stories, events or incomplete scores.
    """
    content = _parse(path)
    if "events" in content:
        problem = "has scores of events, not of sentences."
        raise ReadingError(problem, where=path, remedy="Score the story's sentences.")
    if "spans" in content and "influences" in content:
        return Profile.load(path)
    try:
        return Profile.from_saved(_complete(content))
    except (LookupError, TypeError, ValueError, OverflowError) as error:
        remedy = "Write the scores of all its sentences as JSON, with the influence matrix."
        raise ReadingError("has no readable scores.", where=path, remedy=remedy) from error


def _parse(path: Path) -> dict[str, Any]:
    remedy = "Give the JSON of one story."
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ReadingError(f"cannot be read ({error.strerror}).", where=path) from error
    except (ValueError, RecursionError) as error:
        raise ReadingError("is not the JSON of one story.", where=path, remedy=remedy) from error
    if isinstance(content, list) and len(content) == 1:
        content = content[0]
    if not isinstance(content, dict):
        raise ReadingError("has several stories.", where=path, remedy=remedy)
    return content


def _complete(content: dict[str, Any]) -> dict[str, Any]:
    """Return printed scores as `Profile.save` would have written them."""
    unit = next((each for each in SPAN_UNITS if f"{each}s" in content), "sentence")
    rows = sorted(content[f"{unit}s"], key=lambda row: int(row["index"]))
    if [row["index"] for row in rows] != list(range(len(rows))):
        raise ValueError("some sentences are missing")
    text = ""
    for row in rows:
        if not 0 <= row["start"] - len(text) <= _WIDEST_GAP:
            raise ValueError("sentences overlap, or stand too far apart")
        text = text.ljust(row["start"]) + row["text"]
    matrix = content.get("influence")
    return content | {
        "unit": unit,
        f"{unit}s": rows,
        "text": text,
        "spans": [(row["start"], row["end"]) for row in rows],
        "language": "en",
        "source_notes": [],
        "passages": [
            (row["start"], row["end"], row["kind"], row["speaker"] or "") for row in rows if "kind" in row
        ],
        "influences": None if matrix is None else _find_columns(matrix),
    }


def _find_columns(matrix: list[list[float | None]]) -> list[FloatArray]:
    """Return the columns of an influence matrix below its diagonal, each as far as something is known."""
    dense = np.array(matrix, dtype=np.float64)  # None becomes NaN
    columns = [dense[j + 1 :, j] for j in range(len(dense))]
    return [column[: np.max(np.flatnonzero(~np.isnan(column)), initial=-1) + 1] for column in columns]
