"""Results for assistants: short, with units, and sentences numbered from 1 as in tables and reports."""

from __future__ import annotations

import math
from collections.abc import Iterable

from pydantic import BaseModel, Field

from barthes.cutting.shortened import Cut, Shortened
from barthes.report.comparison import Comparison, Kind, Pair
from barthes.report.wording import excerpt, name_unit
from barthes.salience.profile import Profile, ScoredUnit
from barthes.web.score_options import LimitsView, MethodView, ModelView

_NUMBER = "Position in the story, counted from 1."


class ScoredPassage(BaseModel):
    """A sentence, event, paragraph, scene or chapter with its score."""

    number: int = Field(description=_NUMBER)
    text: str = Field(description="The sentence; of longer units, their first words.")
    salience: float | None = Field(description="In `score_unit`; higher is more salient.")
    rank: int | None = Field(description="1 for the most salient; null if it is not ranked.")
    uncertain: bool = Field(description="Whether its place in the top tenth is uncertain.")
    reason: str | None = Field(description="Why it is not ranked.")
    event: str | None = Field(description="The predicate, if events are scored.")


class ScoreResult(BaseModel):
    """The most salient units of a story."""

    story: str
    method: str
    model: str | None
    unit: str = Field(description="What was scored: sentence, event, paragraph, scene or chapter.")
    score_unit: str = Field(
        description="The unit of the scores, such as nats per token; empty if they have none."
    )
    total: int = Field(description="Number of units in the story.")
    top: list[ScoredPassage] = Field(description="The most salient first.")
    unranked: list[ScoredPassage]
    notes: list[str]


class PassageLoss(BaseModel):
    """A sentence and what it loses."""

    number: int = Field(description=_NUMBER)
    text: str
    loss: float = Field(description="Loss of log-likelihood; negative if it becomes likelier.")


class Explanation(BaseModel):
    """What depends on a sentence, and on what it depends."""

    story: str
    method: str
    model: str | None
    score_unit: str = Field(description="The unit of the score and of all losses.")
    sentence: ScoredPassage
    low: float | None = Field(description="5th percentile of the bootstrapped score.")
    high: float | None = Field(description="95th percentile.")
    later: list[PassageLoss] = Field(description="Later sentences that lose most without it.")
    later_total: int = Field(description="Number of later sentences that were read.")
    earlier: list[PassageLoss] = Field(
        description="Earlier sentences without which it loses most; each with the loss of this sentence."
    )
    notes: list[str]


class ComparedPassage(BaseModel):
    """A sentence in both drafts, or in one of them."""

    kind: Kind
    change: float | None = Field(description="Gain in `change_unit`; null if it is missing in one draft.")
    before: ScoredPassage | None
    after: ScoredPassage | None


class ComparisonResult(BaseModel):
    """What gained and lost salience between two drafts."""

    before: str
    after: str
    method: str
    model: str | None
    unit: str
    change_unit: str
    counts: dict[Kind, int] = Field(description="Number of units of each kind.")
    spearman: float | None = Field(description="Rank correlation of the scores of units in both drafts.")
    gained: list[ComparedPassage]
    lost: list[ComparedPassage]
    added: list[ComparedPassage] = Field(description="The most salient first.")
    removed: list[ComparedPassage] = Field(description="The most salient first.")
    notes: list[str]


class SuggestedCut(BaseModel):
    """A unit that can be cut."""

    number: int = Field(description=_NUMBER)
    text: str
    words: int
    order: int = Field(description="1 for the first cut.")
    cost: float = Field(description="What this cut adds to the cost, in nats; negative if the rest gains.")
    missed_by: list[PassageLoss] = Field(description="Kept units that lose most by it, in nats.")


class CutResult(BaseModel):
    """A shortened story."""

    story: str
    model: str
    unit: str
    words_before: int
    words: int = Field(description="Number of words that are left.")
    target: int
    cost_unit: str
    cost: float = Field(description="What the rest loses by all cuts.")
    cost_per_token: float
    cuts: list[SuggestedCut] = Field(description="In the order of the story.")
    text: str | None = Field(description="The shortened story, if asked for.")
    notes: list[str]


class MethodList(BaseModel):
    """The methods on offer."""

    methods: list[MethodView] = Field(description="The first is the default.")


class ModelList(BaseModel):
    """The language models on offer, and the limits of the server."""

    models: list[ModelView] = Field(description="The first is the default.")
    limits: LimitsView


def describe_scores(profile: Profile, *, top: int) -> ScoreResult:
    """Return the most salient units of a profile."""
    return ScoreResult(
        story=profile.narrative.title,
        method=profile.method,
        model=profile.model,
        unit=profile.unit,
        score_unit=name_unit(profile),
        total=len(profile.units),
        top=[_describe(profile, unit) for unit in profile.top(top)],
        unranked=[_describe(profile, unit) for unit in profile.units if unit.reason],
        notes=list(profile.notes),
    )


def describe_influence(profile: Profile, index: int, *, top: int) -> Explanation:
    """Return what depends on a sentence of a profile that has influences, and on what it depends."""
    columns = () if profile.influences is None else profile.influences.columns
    later = [(index + 1 + k, float(loss)) for k, loss in enumerate(columns[index])]
    earlier = [(j, float(columns[j][index - j - 1])) for j in range(index) if index - j - 1 < len(columns[j])]
    scored = profile.units[index]
    return Explanation(
        story=profile.narrative.title,
        method=profile.method,
        model=profile.model,
        score_unit=name_unit(profile),
        sentence=_describe(profile, scored),
        low=scored.low,
        high=scored.high,
        later=_describe_losses(profile, later)[:top],
        later_total=len(later),
        earlier=_describe_losses(profile, earlier)[:top],
        notes=list(profile.notes),
    )


def describe_comparison(comparison: Comparison, *, top: int) -> ComparisonResult:
    """Return the largest changes between two drafts."""
    before, after = comparison.before, comparison.after

    def describe(pairs: Iterable[Pair]) -> list[ComparedPassage]:
        return [
            ComparedPassage(
                kind=pair.kind,
                change=pair.change,
                before=None if pair.before is None else _describe(before, pair.before),
                after=None if pair.after is None else _describe(after, pair.after),
            )
            for pair in list(pairs)[:top]
        ]

    def choose(kind: Kind) -> list[Pair]:
        found = [pair for pair in comparison.pairs if pair.kind is kind]
        return sorted(found, key=lambda pair: getattr(pair.after or pair.before, "rank", None) or math.inf)

    return ComparisonResult(
        before=before.narrative.title,
        after=after.narrative.title,
        method=after.method,
        model=after.model,
        unit=after.unit,
        change_unit=name_unit(after),
        counts={kind: comparison.count(kind) for kind in Kind},
        spearman=comparison.spearman,
        gained=describe(comparison.gained()),
        lost=describe(comparison.lost()),
        added=describe(choose(Kind.ADDED)),
        removed=describe(choose(Kind.REMOVED)),
        notes=list(dict.fromkeys([*before.notes, *after.notes])),
    )


def describe_cut(shortened: Shortened, *, with_text: bool) -> CutResult:
    """Return the cuts of a shortened story."""
    narrative = shortened.narrative

    def describe(each: Cut) -> SuggestedCut:
        return SuggestedCut(
            number=each.sentence.index + 1,
            text=excerpt(each.sentence, narrative.unit),
            words=each.words,
            order=each.order,
            cost=each.cost,
            missed_by=[
                PassageLoss(number=index + 1, text=excerpt(narrative[index], narrative.unit), loss=lost)
                for index, lost in each.payers
            ],
        )

    return CutResult(
        story=narrative.title,
        model=shortened.model,
        unit=narrative.unit,
        words_before=shortened.words_before,
        words=shortened.words,
        target=shortened.target,
        cost_unit="nats",
        cost=shortened.cost,
        cost_per_token=shortened.cost_per_token,
        cuts=[describe(each) for each in shortened.cuts],
        text=shortened.text if with_text else None,
        notes=list(shortened.notes),
    )


def _describe(profile: Profile, scored: ScoredUnit) -> ScoredPassage:
    return ScoredPassage(
        number=scored.index + 1,
        text=excerpt(scored.sentence, "sentence" if profile.unit == "event" else profile.unit),
        salience=scored.salience if math.isfinite(scored.salience) else None,
        rank=scored.rank,
        uncertain=scored.index in profile.uncertain,
        reason=scored.reason,
        event=scored.trigger or None,
    )


def _describe_losses(profile: Profile, losses: Iterable[tuple[int, float]]) -> list[PassageLoss]:
    """Return losses of sentences by index, the largest first; unknown ones are left out."""
    known = sorted((pair for pair in losses if math.isfinite(pair[1])), key=lambda pair: (-pair[1], pair[0]))
    unit = profile.narrative.unit
    return [
        PassageLoss(number=k + 1, text=excerpt(profile.narrative[k], unit), loss=loss) for k, loss in known
    ]
