"""Profiles as plain dicts.

::

    Profile ── to_dict ───────▶ {"story", "method", …, "sentences": [{"index", "salience", …}, …]}
            ── to_saved_dict ─▶ the same with the text of the story         (files of `Profile.save`)
            ◀─ from_dict ────── either of the two                   (`barthes.salience.deserialization`)

The JSON of `barthes score`, tables, exports, results of runs and saved profiles are all written from these
dicts. `docs/reference/output.md` documents the fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from barthes.annotation.events import Annotation, Argument, SentenceAnnotation
from barthes.models.embedded import describe_weights
from barthes.salience.influence import to_lists
from barthes.version import __version__

if TYPE_CHECKING:
    from barthes.salience.profile import Profile, ScoredUnit

LAST_SENTENCE = "nothing follows the last sentence"
"""Why the last sentence and its events are not ranked (`Profile.unranked`)."""

SKIPPED = "skipped"
"""Why passages of `Narrative.skipped` are not ranked."""


def to_dict(
    profile: Profile, *, units: Iterable[ScoredUnit] | None = None, influence: bool = False
) -> dict[str, Any]:
    """Return a profile as plain lists and dicts, as `barthes score --format json` prints it.

    Args:
        profile: The profile.
        units: The units to include; by default all in story order.
        influence: Whether to include the influence matrix; profiles of events have none.
    """
    shown = profile.units if units is None else units
    content: dict[str, Any] = {
        "story": profile.narrative.title,
        "method": profile.method,
        "model": profile.model,
        "precision": profile.precision,
        "weights": describe_weights(profile.model),
        "unit": profile.unit,
        "window": profile.window,
        "notes": list(profile.notes),
        f"{profile.unit}s": [unit_to_dict(unit) for unit in shown],
    }
    if profile.trust is not None:
        content["trust"] = profile.trust.to_dict()
    if profile.importance is not None:
        content["importance"] = _describe_importance(profile.importance)
    if influence and profile.unit != "event":
        matrix = profile.influence
        content["influence"] = None if matrix is None else to_lists(matrix)
    return content


def unit_to_dict(unit: ScoredUnit) -> dict[str, Any]:
    """Return a scored unit as in JSON."""
    span = {"start": unit.start, "end": unit.end}
    score: dict[str, Any] = {"salience": unit.salience, "rank": unit.rank}
    if unit.reason is not None:
        score["reason"] = unit.reason
    text: dict[str, str | None] = {"text": unit.sentence.text}
    if unit.sentence.kind:
        text |= {"kind": unit.sentence.kind, "speaker": unit.sentence.speaker or None}
    if unit.event is not None:
        arguments = [_argument_to_dict(unit, argument) for argument in unit.event.arguments]
        event = {"trigger": unit.trigger, "frame": unit.event.frame, "arguments": arguments}
        other = _importance_to_dict(unit)
        return {
            "index": unit.index,
            "sentence": unit.sentence.index,
            **span,
            **event,
            **score,
            **other,
            **text,
        }
    figures = {"low": unit.low, "high": unit.high, "stability": unit.stability, "surprise": unit.surprise}
    return {"index": unit.index, **span, **text, **score, **figures, **_importance_to_dict(unit)}


def _describe_importance(profile: Profile) -> dict[str, Any]:
    """Return what the scores of `Profile.importance` come from; the scores themselves are with the units."""
    kept = ("method", "model", "precision", "window", "notes", "trust")
    content = to_dict(profile, units=())
    return {name: content[name] for name in kept if name in content}


def _importance_to_dict(unit: ScoredUnit) -> dict[str, Any]:
    if (other := unit.importance) is None:
        return {}
    figures = {"low": other.low, "high": other.high, "stability": other.stability}
    return {"importance": {"score": other.salience, "rank": other.rank, **figures}}


def _argument_to_dict(unit: ScoredUnit, argument: Argument) -> dict[str, Any]:
    offset = unit.sentence.start
    pieces = [unit.sentence.text[start - offset : end - offset] for start, end in argument.spans]
    text = " ".join(" … ".join(pieces).split())
    return {"role": argument.role, "spans": [list(span) for span in argument.spans], "text": text}


def flatten(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the dict of a unit as the row of a table; ``arg0`` and ``arg1`` replace the list of arguments.

    Of the importance to readers, the score and the rank are kept.

    >>> flatten({"arguments": [{"role": "ARG0", "text": "the wolf"}], "salience": 0.5})
    {'salience': 0.5, 'arg0': 'the wolf', 'arg1': ''}
    """
    flat = dict(row)
    if "arguments" in row:
        arguments = flat.pop("arguments")
        for role in ("ARG0", "ARG1"):
            flat[role.lower()] = "; ".join(each["text"] for each in arguments if each["role"] == role)
    if "importance" in row:
        other = row["importance"]
        flat |= {"importance": other["score"], "importance_rank": other["rank"]}
    return flat


def to_saved_dict(profile: Profile) -> dict[str, Any]:
    """Return a profile with the text of its story and all that `from_dict` needs to build an equal one."""
    narrative = profile.narrative
    content = to_dict(profile) | {"looks_ahead": profile.info.looks_ahead}
    if profile.unit == "event":
        found = [[event for k, event in profile.events if k == i] for i in range(len(narrative))]
        annotation = Annotation(tuple(SentenceAnnotation((), tuple(events)) for events in found))
        content["annotation"] = annotation.to_dict()
    else:
        content["influences"] = None if profile.influences is None else profile.influences.to_lists()
    content |= {
        "barthes": __version__,
        "text": narrative.text,
        "spans": [list(span) for span in narrative.spans],
        "language": narrative.language,
        "source_notes": list(narrative.notes),
        "chapter_starts": [list(chapter) for chapter in narrative.chapters],
    }
    optional = {
        "left_out": [list(span) for span in narrative.left_out],
        "heading": narrative.heading,
        "author": narrative.author,
        "passages": [list(passage) for passage in narrative.passages],
        "skipped": [list(span) for span in narrative.skipped],
        "kept": [list(span) for span in narrative.kept],
    }
    return content | {name: value for name, value in optional.items() if value}
