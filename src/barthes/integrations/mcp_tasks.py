"""What the tools of the MCP server do in the worker.

Answers are short and name their units; sentences are numbered from 1, as in tables and reports.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from barthes.errors import BarthesError
from barthes.jobs.story import StorySource
from barthes.jobs.worker import Worker
from barthes.narrative import Narrative
from barthes.report.wording import excerpt, name_unit

if TYPE_CHECKING:
    from barthes.report.comparison import Pair
    from barthes.salience.profile import Profile, ScoredUnit

Answer = dict[str, Any]


def score_story(worker: Worker, *, story: StorySource, top: int, **chosen: Any) -> Answer:
    """Return the most salient units of a story; `chosen` are method, unit and model."""
    profile = worker.score(worker.read(story), **chosen)
    return {
        **_describe(profile),
        "total": len(profile.units),
        "top": [_describe_unit(profile, each) for each in profile.top(top)],
        "unranked": [_describe_unit(profile, each) for each in profile.units if each.reason],
    }


def explain_sentence(worker: Worker, *, story: StorySource, number: int, top: int, **chosen: Any) -> Answer:
    """Return what depends on a sentence, counted from 1, and on what it depends."""
    narrative = worker.read(story)
    if not 1 <= number <= len(narrative):
        problem = f"there is no sentence {number}; the story has {len(narrative):,}."
        remedy = "Sentences are counted from 1, as score_story numbers them."
        raise BarthesError(problem, remedy=remedy, option="number")
    profile = worker.score(narrative, **chosen)
    if profile.influences is None:
        problem = f"the method {profile.method!r} does not measure what later sentences lose."
        raise BarthesError(problem, remedy="Choose sd, va or paa.", option="method")
    columns, index = profile.influences.columns, number - 1
    later = [(number + k, float(loss)) for k, loss in enumerate(columns[index])]
    earlier = [(j, float(columns[j][index - j - 1])) for j in range(index) if index - j - 1 < len(columns[j])]
    scored = profile.units[index]
    return {
        **_describe(profile),
        "sentence": _describe_unit(profile, scored),
        "low": scored.low,
        "high": scored.high,
        "later": _describe_losses(narrative, later)[:top],
        "later_total": len(later),
        "earlier": _describe_losses(narrative, earlier)[:top],
    }


def compare_drafts(worker: Worker, *, drafts: Sequence[StorySource], top: int, **chosen: Any) -> Answer:
    """Return what gained and lost salience between two drafts."""
    from barthes.report.comparison import Kind, compare

    def report(done: int, total: int, half: int) -> None:
        worker.report_progress(half * total + done, 2 * total)

    stories = [worker.read(draft) for draft in drafts]
    before, after = (
        worker.score(story, **chosen, progress=partial(report, half=half))
        for half, story in enumerate(stories)
    )
    comparison = compare(before, after)

    def describe(pairs: Iterable[Pair]) -> list[Answer]:
        return [
            {
                "kind": pair.kind.value,
                "change": pair.change,
                "before": None if pair.before is None else _describe_unit(before, pair.before),
                "after": None if pair.after is None else _describe_unit(after, pair.after),
            }
            for pair in list(pairs)[:top]
        ]

    def choose(kind: Kind) -> list[Pair]:
        found = [pair for pair in comparison.pairs if pair.kind is kind]
        return sorted(found, key=lambda pair: getattr(pair.after or pair.before, "rank", None) or math.inf)

    return {
        **_describe(after),
        "notes": list(dict.fromkeys([*before.notes, *after.notes])),
        "before": before.narrative.title,
        "after": after.narrative.title,
        "change_unit": name_unit(after),
        "counts": {kind.value: comparison.count(kind) for kind in Kind},
        "spearman": comparison.spearman,
        "gained": describe(comparison.gained()),
        "lost": describe(comparison.lost()),
        "added": describe(choose(Kind.ADDED)),
        "removed": describe(choose(Kind.REMOVED)),
    }


def suggest_cuts(
    worker: Worker, *, story: StorySource, keep: Sequence[int], model: str, with_text: bool, **target: Any
) -> Answer:
    """Return a shortened story; `target` are to, words and unit, the numbers to keep are counted from 1."""
    from barthes.cutting.cut import cut

    short = cut(
        worker.read(story),
        keep=[number - 1 for number in keep],
        model=worker.prepare_model(model),
        cache=worker.cache,
        progress=worker.report_progress,
        **target,
    )
    narrative = short.narrative
    cuts = [
        {
            "number": each.sentence.index + 1,
            "text": excerpt(each.sentence, narrative.unit),
            "words": each.words,
            "order": each.order,
            "cost": each.cost,
            "missed_by": _describe_losses(narrative, each.missed_by),
        }
        for each in short.cuts
    ]
    text = short.text if with_text else None
    return short.to_dict() | {"cost_unit": "nats", "cuts": cuts, "text": text, "protected": sorted(keep)}


def _describe(profile: Profile) -> Answer:
    return {
        "story": profile.narrative.title,
        "method": profile.method,
        "model": profile.model,
        "unit": profile.unit,
        "score_unit": name_unit(profile),
        "notes": list(profile.notes),
    }


def _describe_unit(profile: Profile, scored: ScoredUnit) -> Answer:
    return {
        "number": scored.index + 1,
        "text": excerpt(scored.sentence, "sentence" if profile.unit == "event" else profile.unit),
        "salience": scored.salience if math.isfinite(scored.salience) else None,
        "rank": scored.rank,
        "importance_rank": None if scored.importance is None else scored.importance.rank,
        "uncertain": scored.index in profile.uncertain,
        "reason": scored.reason,
        "event": scored.trigger or None,
    }


def _describe_losses(narrative: Narrative, losses: Iterable[tuple[int, float]]) -> list[Answer]:
    """Return losses of sentences by index, the largest first; unknown ones are left out."""
    known = sorted((pair for pair in losses if math.isfinite(pair[1])), key=lambda pair: (-pair[1], pair[0]))
    return [
        {"number": index + 1, "text": excerpt(narrative[index], narrative.unit), "loss": loss}
        for index, loss in known
    ]
