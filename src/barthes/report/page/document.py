"""Describe a profile as a plain dict for the page's template.

The page's scripts get only the part `data`::

    {
      "unit":      "sentence" | "event" | "paragraph" | "scene" | "chapter",
      "span":      "sentence" | "paragraph" | "scene" | "chapter",      what depends on what
      "measure":   "nats per token",           the unit of the scores, or ""
      "sentences": 80,
      "units":     [0, 1, …],                  for each scored unit, the index of its sentence
      "names":     null | ["came", …],         the predicates of events
      "scores":    [0.0766, null, …],          one per unit
      "ranks":     [3, null, …],               1 is the most salient; null for all if they are too few
      "scale":     {"low": 0, "high": 0.08, "digits": 3},      no shade, full shade, decimals shown
      "unranked":  {"79": "nothing …"},        the units without a rank, each with the reason
      "importance": null | [12, …],            ranks for readers, one per unit
      "influence": null | {"columns", "pairs", "kept"},    see `describe_influence`
      "stability": null | {"low": [0.01, null, …], "high": […], "share": […],      null if too little follows
                    "uncertain": [0, …], "legend": "may not belong …"}
      "surprise":  null | [4.31, null, …],     nats per token
      "groups":    [{"unit": "chapter" | "scene", "starts": [0, 41, …],      their first units
                     "names": ["I. The ferry", …], "note": "Scenes were …",
                     "influence": null | {…}}]         between them, the mean over their sentences
      "passages":  ["Action", "Dialogue: MARY", …],       only in screenplays
    }
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from barthes.models.language_model import FloatArray
from barthes.narrative import BLANK_LINE, Narrative, Sentence
from barthes.report.escaping import clean
from barthes.report.exports.marks import find_marks, marks_within
from barthes.report.scale import Scale, scale_profile
from barthes.report.tables import choose
from barthes.report.wording import (
    UNCERTAIN,
    cite,
    describe_agreement,
    describe_settings,
    describe_summary,
    excerpt,
    is_ranked,
    name_story,
    name_unit,
)
from barthes.salience.influence import Influence
from barthes.salience.profile import Profile, ScoredUnit
from barthes.units import find_groups

MOST_LOSSES = 150_000
"""The largest number of losses in a page: about a megabyte, and fast to draw."""

_PLAIN = {"level": 0, "below": False, "reason": None}


def describe_profile(profile: Profile, *, title: str | None = None) -> dict[str, Any]:
    """Return everything that the page shows as plain lists, dicts, texts and numbers."""
    narrative = profile.narrative
    scale = scale_profile(profile)
    heading = name_story(narrative) if title is None else clean(title)
    units = _find_apart(profile)
    ranking = _list_ranking(profile, scale)
    is_uncertain = is_ranked(profile) and any(row["uncertain"] or row["readers_uncertain"] for row in ranking)
    paragraphs = set_paragraphs(narrative, units, lambda unit: _shade(profile, scale, unit))
    return {
        "title": heading,
        "language": narrative.language,
        "summary": describe_summary(profile),
        "agreement": describe_agreement(profile),
        "cite": cite(profile),
        "notes": [clean(note) for note in profile.notes],
        "paragraphs": _omit_title(paragraphs, heading),
        "ranking": ranking,
        "ranked": is_ranked(profile),
        "uncertain": UNCERTAIN if is_uncertain else "",
        "footnotes": [f"– not ranked: {reason}" for reason in dict.fromkeys(profile.unranked.values())]
        if is_ranked(profile)
        else [f"Too few {profile.unit}s to rank."],
        # A heading that equals the narrative's title says that the title is not a path.
        "settings": describe_settings(profile, story=title if title == narrative.title else None),
        "data": _describe_data(profile, scale),
    }


def _describe_data(profile: Profile, scale: Scale) -> dict[str, Any]:
    """Return what the page's scripts get."""
    narrative, units = profile.narrative, profile.units
    data: dict[str, Any] = {
        "unit": profile.unit,
        "span": narrative.unit,
        "measure": name_unit(profile),
        "sentences": len(narrative),
        "units": [unit.sentence.index for unit in units],
        "names": [clean(unit.trigger) for unit in units] if profile.unit == "event" else None,
        "scores": _round_all(profile.scores),
        "ranks": list(profile.ranks) if is_ranked(profile) else [None] * len(units),
        "scale": {"low": _round(scale.low), "high": _round(scale.high), "digits": scale.digits},
        "unranked": dict(profile.unranked),
        "importance": list(profile.importance.ranks) if profile.importance and is_ranked(profile) else None,
        "influence": describe_influence(profile.influences),
        "stability": None,
        "surprise": _round_all(profile.surprise),
        "groups": _describe_groups(profile),
    }
    if narrative.passages:
        data["passages"] = [_name_passage(unit.sentence) for unit in units]
    if (stability := profile.stability) is not None:
        data["stability"] = {
            "low": _round_all(stability.low),
            "high": _round_all(stability.high),
            "share": _round_all(stability.share),
            "uncertain": sorted(profile.uncertain),
            "legend": UNCERTAIN,
        }
    return data


def _shade(profile: Profile, scale: Scale, unit: int) -> dict[str, Any]:
    reason, score = profile.unranked.get(unit), profile.scores[unit]
    below = reason is None and score < 0 and profile.info.looks_ahead
    return {"level": 0 if reason else scale.level(score), "below": below, "reason": reason}


def _list_ranking(profile: Profile, scale: Scale) -> list[dict[str, Any]]:
    """Return the rows of the ranked list; bars are in proportion to the highest score."""
    highest = max((unit.salience for unit in profile.top()), default=scale.high)
    bars, uncertain = replace(scale, high=highest), profile.uncertain
    for_readers = [] if profile.importance is None else profile.importance.units
    doubtful = frozenset() if profile.importance is None else profile.importance.uncertain
    return [
        {
            "unit": unit.index,
            "rank": unit.rank,
            "readers": for_readers[unit.index].rank if for_readers else None,
            "readers_uncertain": unit.index in doubtful,
            "sentence": unit.sentence.index,
            "name": clean(unit.trigger),
            "shown": scale.format(unit.salience),
            "level": 0 if unit.reason else bars.level(unit.salience),
            "text": clean(excerpt(unit.sentence, profile.narrative.unit)),
            "reason": unit.reason,
            "uncertain": unit.index in uncertain,
        }
        for unit in choose(profile, in_story_order=not is_ranked(profile))
    ]


def describe_influence(influence: Influence | None, *, most: int = MOST_LOSSES) -> dict[str, Any] | None:
    """Return the influence matrix, small enough for a page.

    `columns[j]` has the losses of the sentences j + 1, j + 2, … when S_j is removed (None if unknown), in
    nats per token, to four digits. If there are more than `most`, `pairs[j]` has only the strongest losses as
    a flat list later, loss, later, loss …, at most `kept` per sentence.

    >>> describe_influence(Influence((np.array([0.5, np.nan]), np.array([1.0]), np.array([]))))
    {'columns': [[0.5, None], [1.0], []], 'pairs': None, 'kept': None}
    """
    if influence is None:
        return None
    columns = influence.columns
    if sum(map(len, columns)) <= most:
        plain = [[_round(value, digits=4) for value in column] for column in columns]
        return {"columns": plain, "pairs": None, "kept": None}
    kept = max(1, most // len(columns))
    pairs = [_find_strongest(j, column, kept) for j, column in enumerate(columns)]
    return {"columns": None, "pairs": pairs, "kept": kept}


def _name_passage(sentence: Sentence) -> str:
    """Return whether a sentence of a screenplay is action or dialogue, and who speaks it."""
    return clean(": ".join(filter(None, [sentence.kind.capitalize(), sentence.speaker])))


def _describe_groups(profile: Profile) -> list[dict[str, Any]]:
    """Return the chapters and scenes to which the page can zoom, the longer ones first."""
    sentences = [scored.sentence.index for scored in profile.units]
    return [
        {
            "unit": groups.unit,
            "starts": [bisect_left(sentences, start) for start in groups.starts],
            "names": list(map(clean, groups.names)),
            "note": groups.note,
            "influence": describe_influence(profile.influences and profile.influences.average(groups.starts)),
        }
        for groups in find_groups(profile.narrative)
    ]


def set_paragraphs(
    narrative: Narrative, units: Sequence[ScoredUnit], shade: Callable[[int], dict[str, Any]]
) -> list[list[dict[str, Any]]]:
    """Return the story's paragraphs, each a list of pieces in the order of the text.

    The units are in text order and do not overlap.

    A piece has `text` or, for a sentence, `sentence` (its index) and `parts`: its text split at the
    boundaries of units, each part with `unit` (an index or None) and the result of `shade` for that unit.
    Paragraphs end at blank lines; other white space becomes one space.

    >>> story = Narrative("It rained.\\n\\nA wolf came.", ((0, 10), (12, 24)))
    >>> [[piece["sentence"] for piece in paragraph] for paragraph in set_paragraphs(story, [], dict)]
    [[0], [1]]
    """
    paragraphs: list[list[dict[str, Any]]] = [[]]
    for sentence, gap in zip(narrative, narrative.gaps, strict=False):
        _add_gap(paragraphs, gap)
        inside = marks_within(units, sentence.start, sentence.end)
        parts = _cut(narrative.text, sentence.start, sentence.end, inside)
        shaded = [part | (_PLAIN if part["unit"] is None else shade(part["unit"])) for part in parts]
        paragraphs[-1].append({"sentence": sentence.index, "parts": shaded})
    _add_gap(paragraphs, narrative.gaps[-1])
    return [
        paragraph for paragraph in paragraphs if any("sentence" in p or p["text"].strip() for p in paragraph)
    ]


def _omit_title(paragraphs: list[list[dict[str, Any]]], heading: str) -> list[list[dict[str, Any]]]:
    """Return the paragraphs without a first one that only repeats the heading and is not a sentence."""
    first = [" ".join(piece.get("text", "").split()) for piece in paragraphs[0]]
    return paragraphs[1:] if first == [heading] else paragraphs


def _add_gap(paragraphs: list[list[dict[str, Any]]], gap: str) -> None:
    """Add the text between two sentences: a space, the end of a paragraph, or other text."""
    for place, text in enumerate(BLANK_LINE.split(gap)):
        if place:
            paragraphs.append([])
        if text.strip() or (text and paragraphs[-1]):
            paragraphs[-1].append({"text": clean(text)})


def _cut(text: str, start: int, end: int, units: Sequence[ScoredUnit]) -> Iterator[dict[str, Any]]:
    for unit in units:
        if unit.start > start:
            yield {"text": _set_lines(text[start : unit.start]), "unit": None}
        yield {"text": _set_lines(text[unit.start : unit.end]), "unit": unit.index}
        start = unit.end
    if start < end:
        yield {"text": _set_lines(text[start:end]), "unit": None}


def _set_lines(text: str) -> str:
    """Return clean text with a blank line between the paragraphs of a longer unit."""
    return "\n\n".join(map(clean, BLANK_LINE.split(text)))


def _find_strongest(j: int, column: FloatArray, kept: int) -> list[float | int | None]:
    size = np.where(np.isfinite(column), np.abs(column), -1.0)
    places = np.sort(np.argsort(-size, kind="stable")[:kept])
    return [item for i in places if size[i] >= 0 for item in (j + 1 + int(i), _round(column[i], digits=4))]


def _find_apart(profile: Profile) -> list[ScoredUnit]:
    """Return the units in text order, without those that overlap an earlier one."""
    units: list[ScoredUnit] = []
    for unit in find_marks(profile):
        if unit.start < unit.end <= unit.sentence.end and (not units or unit.start >= units[-1].end):
            units.append(unit)
    return units


def _round(value: float | None, *, digits: int = 6) -> float | None:
    """Round to significant digits; None for None, infinite values and NaN, which JSON lacks."""
    return float(f"{value:.{digits}g}") if value is not None and math.isfinite(value) else None


def _round_all(values: Sequence[float | None] | None) -> list[float | None] | None:
    return None if values is None else list(map(_round, values))
