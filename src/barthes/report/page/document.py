"""A profile as the plain dict that the page is made from.

The page's scripts get the part named `data`, and nothing else; a program that fills in scores as they come
hands them the same keys again (`scores`, `ranks`, `scale`, `influence`, `stability`)::

    {
      "unit":      "sentence" | "event",
      "measure":   "nats per token",           what the scores are measured in, or ""
      "sentences": 80,
      "units":     [0, 1, …],                  for each scored unit, the index of its sentence
      "names":     null | ["came", …],         for events, what they are called
      "scores":    [0.0766, null, …],          one a unit; null is not scored yet
      "ranks":     [3, null, …],               1 is the most salient
      "scale":     {"low": 0, "high": 0.08, "digits": 3},      no shade, full shade, decimals shown
      "remarks":   {"79": "The last …"},       what to know about single units
      "influence": null | {"columns", "pairs", "kept"},    see `describe_influence`
      "stability": null | {"low": […], "high": […], "share": […], "verdicts": ["sure", null, …],
                    "doubt": "doubtful: …"}
    }
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from barthes.narrative import Narrative
from barthes.report.doubt import explain_doubt, find_doubtful
from barthes.report.escaping import clean
from barthes.report.page.band import describe_influence
from barthes.report.page.paragraphs import Spans, set_paragraphs
from barthes.report.page.scale import Scale, scale_profile
from barthes.report.page.settings import describe_remarks, describe_settings, describe_standfirst
from barthes.report.page.wording import name_title, name_unit
from barthes.report.tables import AnyProfile
from barthes.salience.profile import Profile, rank_scores

__all__ = ["describe_profile", "describe_scores"]


def describe_profile(profile: AnyProfile, *, title: str | None = None) -> dict[str, Any]:
    """Everything that the page shows, as plain lists, dicts, texts and numbers."""
    narrative = profile.narrative
    scale = scale_profile(profile)
    events = profile.scored if profile.unit == "event" else None
    influence = None if profile.unit == "event" else describe_influence(profile.influences)
    data = {
        "unit": profile.unit,
        "measure": name_unit(profile),
        "sentences": len(narrative),
        "units": list(range(len(narrative))) if events is None else [each.sentence.index for each in events],
        "names": None if events is None else [clean(each.trigger) for each in events],
        **describe_scores(profile.scores, scale),
        "remarks": describe_remarks(profile),
        "influence": influence,
        "stability": None if profile.unit == "event" else _describe_stability(profile),
    }
    remarks = data["remarks"]
    # Who gives the narrative's own title as the heading says that it is no path.
    story = title if title == narrative.title else None
    return {
        "title": name_title(narrative.title) if title is None else clean(title),
        "language": narrative.language,
        "standfirst": describe_standfirst(profile),
        "notes": [clean(note) for note in profile.notes],
        "paragraphs": _shade(narrative, _spans(profile), data["scores"], scale, remarks),
        "ranking": _rank(profile, data["ranks"], scale, remarks),
        "footnotes": list(dict.fromkeys(remarks.values())),
        "settings": describe_settings(profile, story=story),
        "data": data,
    }


def describe_scores(scores: Sequence[float], scale: Scale) -> dict[str, Any]:
    """The keys that change while scores come in; NaN is not scored yet.

    >>> describe_scores([0.25, math.nan, 0.5], Scale(0.0, 0.5))["ranks"]
    [2, None, 1]
    """
    known = [k for k, score in enumerate(scores) if math.isfinite(score)]
    ranks: list[int | None] = [None] * len(scores)
    for k, rank in zip(known, rank_scores([scores[k] for k in known]), strict=True):
        ranks[k] = rank
    return {
        "scores": [_number(score) for score in scores],
        "ranks": ranks,
        "scale": {"low": _number(scale.low), "high": _number(scale.high), "digits": scale.digits},
    }


def _describe_stability(profile: Profile) -> dict[str, Any] | None:
    stability = profile.stability
    if stability is None:
        return None
    return {
        "low": list(map(_number, stability.low)),
        "high": list(map(_number, stability.high)),
        "share": list(map(_number, stability.share)),
        "verdicts": list(stability.judge(profile.ranks)),
        "doubt": explain_doubt(profile),
    }


def _spans(profile: AnyProfile) -> Spans:
    """Where the scored units stand in the text; an event that shares its words has no place of its own."""
    if profile.unit != "event":
        return [(start, end, k) for k, (start, end) in enumerate(profile.narrative.spans)]
    spans: list[tuple[int, int, int]] = []
    found = sorted((each.start, each.end, each.index) for each in profile.units)
    for start, end, index in found:
        if start < end and (not spans or start >= spans[-1][1]):
            spans.append((start, end, index))
    return spans


def _shade(
    narrative: Narrative,
    spans: Spans,
    scores: Sequence[float | None],
    scale: Scale,
    remarks: Mapping[int, str],
) -> list[list[dict[str, Any]]]:
    paragraphs = set_paragraphs(narrative, spans)
    for paragraph in paragraphs:
        for piece in paragraph:
            for part in piece.get("parts", ()):
                score = None if part["unit"] is None else scores[part["unit"]]
                part["level"] = scale.level(score)
                part["below"] = score is not None and score < 0
                part["remark"] = remarks.get(part["unit"], "")
    return paragraphs


def _rank(
    profile: AnyProfile, ranks: Sequence[int | None], scale: Scale, remarks: Mapping[int, str]
) -> list[dict[str, Any]]:
    """The rows of the ranked list; what is not scored yet comes last, in story order."""
    scored = profile.scored if profile.unit == "event" else profile.sentences
    order = sorted(range(len(scored)), key=lambda k: (ranks[k] is None, ranks[k] or 0, k))
    doubtful = find_doubtful(profile)
    return [
        _row(scored[k], ranks[k], scale) | {"remark": remarks.get(k, ""), "doubtful": k in doubtful}
        for k in order
    ]


def _row(scored: Any, rank: int | None, scale: Scale) -> dict[str, Any]:
    return {
        "unit": scored.place,
        "rank": rank,
        "sentence": scored.sentence.index,
        "name": clean(getattr(scored, "trigger", "")),
        "shown": scale.format(scored.salience),
        "level": scale.level(scored.salience),
        "cut": scale.cuts(scored.salience),
        "text": clean(scored.sentence.text),
    }


def _number(value: float) -> float | None:
    """A number to six digits, as JSON can say it."""
    return float(f"{value:.6g}") if math.isfinite(value) else None
