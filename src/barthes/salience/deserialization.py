"""Build profiles from the dicts of `barthes.salience.serialization`, and from files with them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from barthes.annotation.events import Annotation
from barthes.errors import ReadingError
from barthes.models.language_model import FloatArray
from barthes.narrative import SPAN_UNITS, Narrative, ScriptPassage
from barthes.salience.influence import Influence
from barthes.salience.serialization import LAST_SENTENCE, SKIPPED
from barthes.salience.stability import Stability
from barthes.salience.trust import Trust

if TYPE_CHECKING:
    from barthes.salience.method_info import MethodInfo
    from barthes.salience.profile import Profile

_NONE = type(None)
_TYPES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("text", "story", "heading", "author", "language", "method", "unit"), (str,)),
    **dict.fromkeys(("model", "precision"), (str, _NONE)),
    "window": (int, _NONE),
    "looks_ahead": (bool,),
    **dict.fromkeys(("notes", "source_notes"), (list,)),
}
_WIDEST_GAP = 10_000_000  # characters between two sentences


def from_dict(content: Any) -> Profile:
    """Build a profile from the result of `to_saved_dict` or, for sentences and longer units, of `to_dict`.

    `to_dict` has no text between sentences: white space of the same length takes its place.

    Raises:
        TypeError, LookupError, ValueError, OverflowError: The content is not that of a whole profile.
    """
    from barthes.salience.profile import Profile

    _check_types(content)
    if "text" not in content:
        content = _add_text(content)
    unit = content["unit"]
    rows = content[f"{unit}s"]
    annotation = Annotation.from_dict(content["annotation"]) if unit == "event" else ()
    known = content.get("influences")
    trust = content.get("trust")
    profile = Profile(
        _build_narrative(content),
        tuple(float(row["salience"]) for row in rows),
        method=content["method"],
        model=content["model"],
        precision=content["precision"],
        window=content["window"],
        notes=tuple(content["notes"]),
        influences=None if known is None else Influence.from_lists(known),
        unit=unit,
        stability=Stability.from_rows(rows),
        surprise=_read_figures(rows, "surprise"),
        events=tuple((k, event) for k, found in enumerate(annotation) for event in found.events),
        trust=None if trust is None else Trust.from_dict(trust),
        info=_find_info(content),
    )
    if "importance" not in content:
        return profile
    return replace(profile, importance=_read_importance(profile, content["importance"], rows))


def _read_importance(
    profile: Profile, header: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]
) -> Profile:
    """Return the profile of `Profile.importance`, of the same units."""
    from barthes.methods import describe_stored_method

    _check_types(header)
    figures = [row["importance"] for row in rows]
    method, model = header["method"], header["model"]
    return replace(
        profile,
        scores=tuple(float(each["score"]) for each in figures),
        method=method,
        model=model,
        precision=header["precision"],
        window=header["window"],
        notes=tuple(header["notes"]),
        influences=None,
        stability=Stability.from_rows(figures),
        surprise=None,
        trust=None if header.get("trust") is None else Trust.from_dict(header["trust"]),
        info=describe_stored_method(method, has_model=model is not None, unit=profile.unit),
    )


def load(path: Path) -> Profile:
    """Load a profile from a file of `Profile.save` or from the JSON of `barthes score` for one story.

    Raises:
        ReadingError: The file cannot be read, or has several stories or incomplete scores.
    """
    content = _read_json(path)
    try:
        return from_dict(content)
    except (LookupError, TypeError, ValueError, OverflowError, RecursionError) as error:
        if "events" in content and "text" not in content:
            problem, remedy = "has scores of events without the story's text.", "Save the profile instead."
        else:
            problem = "has no readable scores."
            remedy = "Write the scores of all its sentences as JSON, with the influence matrix."
        raise ReadingError(problem, where=path, remedy=remedy) from error


def _read_json(path: Path) -> dict[str, Any]:
    remedy = "Give the JSON of one story."
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ReadingError(f"cannot be read ({error.strerror}).", where=path) from error
    except (ValueError, RecursionError) as error:
        raise ReadingError("is not the JSON of one story.", where=path, remedy=remedy) from error
    if isinstance(content, list) and len(content) == 1:
        [content] = content
    if not isinstance(content, dict):
        raise ReadingError("is not the JSON of one story.", where=path, remedy=remedy)
    return content


def _check_types(content: Any) -> None:
    """Raise TypeError if a field of a profile has the wrong type."""
    if not isinstance(content, dict):
        raise TypeError(f"it is {content!r:.50}")
    for key, types in _TYPES.items():
        if key in content and not isinstance(content[key], types):
            raise TypeError(f"{key} is {content[key]!r:.50}")
    for key in ("notes", "source_notes"):
        if not all(isinstance(note, str) for note in content.get(key, ())):
            raise TypeError(f"{key} are {content[key]!r:.50}")


def _add_text(content: dict[str, Any]) -> dict[str, Any]:
    """Return printed scores with the fields of saved ones."""
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
        "skipped": [(row["start"], row["end"]) for row in rows if row.get("reason") == SKIPPED],
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


def _build_narrative(content: dict[str, Any]) -> Narrative:
    return Narrative(
        content["text"],
        tuple((start, end) for start, end in content["spans"]),
        title=content["story"],
        language=content["language"],
        notes=tuple(content["source_notes"]),
        unit="sentence" if content["unit"] == "event" else content["unit"],
        chapters=tuple((int(start), str(title)) for start, title in content.get("chapter_starts", ())),
        left_out=tuple((int(start), int(end)) for start, end in content.get("left_out", ())),
        passages=tuple(
            ScriptPassage(int(start), int(end), str(kind), str(speaker))
            for start, end, kind, speaker in content.get("passages", ())
        ),
        heading=content.get("heading", ""),
        author=content.get("author", ""),
        skipped=tuple((int(start), int(end)) for start, end in content.get("skipped", ())),
        kept=tuple((int(start), int(end)) for start, end in content.get("kept", ())),
    )


def _find_info(content: dict[str, Any]) -> MethodInfo:
    """Return the description of the method; of unknown ones, only whether they look ahead is known."""
    from barthes.methods import describe_stored_method

    unit, has_model = content["unit"], content["model"] is not None
    info = describe_stored_method(content["method"], has_model=has_model, unit=unit)
    if "looks_ahead" in content:
        return replace(info, looks_ahead=content["looks_ahead"])
    if any(row.get("reason") == LAST_SENTENCE for row in content[f"{unit}s"]):  # printed scores
        return replace(info, looks_ahead=True)
    return info


def _read_figures(rows: Sequence[Mapping[str, Any]], name: str) -> tuple[float | None, ...] | None:
    """Return a figure of each unit; None if no row has any.

    Raises:
        ValueError: A figure is infinite or not a number.
    """
    known = tuple(None if row.get(name) is None else float(row[name]) for row in rows)
    if not all(each is None or math.isfinite(each) for each in known):
        raise ValueError(f"a {name} is not finite")
    return None if set(known) <= {None} else known
