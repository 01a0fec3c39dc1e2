"""Combinations of methods: scaled sums, rank sums, and means with a prior for late sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from barthes.errors import NarrativeError
from barthes.models.language_model import FloatArray
from barthes.narrative import Narrative
from barthes.salience.method import Method, Progress, silent
from barthes.salience.method_info import MethodInfo, MethodKind
from barthes.salience.profile import Profile
from barthes.salience.stability import DRAWS, Stability, weigh_parts

T = TypeVar("T")

SHORT = 5
"""Sentences up to which the position weighs as much as all methods together; SHORT / n in longer stories."""

# Scores of size 1 that are closer than this differ only by rounding; scikit-learn uses the same threshold.
_ROUNDING = 10 * float(np.finfo(np.float64).eps)


class Combination(Method):
    """The sum over the methods of their min-max normalised scores; from 0 to the number of methods.

    ``(a + b) + c`` is ``a + b + c``, with equal weights; a combination of another kind cannot be part of it.

    Args:
        methods: At least one.

    Raises:
        ValueError: There is no method, or one of them is a combination of another kind.

    >>> from barthes.baselines import Length, Position
    >>> story = Narrative.from_sentences(["The old wolf came.", "It rained.", "The wolf left."])
    >>> method = Length() + Position()
    >>> method.name, method.score(story).scores
    ('length+position', (1.0, 0.5, 1.5))
    """

    kind: ClassVar[MethodKind] = "sum"

    def __init__(self, *methods: Method) -> None:
        if not methods:
            raise ValueError("a combination needs at least one method")
        self.methods: tuple[Method, ...] = tuple(
            part
            for method in methods
            for part in (method.methods if type(method) is type(self) else (method,))
        )
        for part in self.methods:
            if isinstance(part, Combination):
                raise ValueError(f"{part.name!r} cannot be combined: it is a combination of another kind")

    @property
    def info(self) -> MethodInfo:
        """The description of the combination, made from those of its parts."""
        return MethodInfo.combine(self.kind, [method.info for method in self.methods])

    @property
    def model_name(self) -> str | None:
        """The name of the first language model of its methods, or None."""
        return _first(method.model_name for method in self.methods)

    def score(self, narrative: Narrative, *, progress: Progress = silent) -> Profile:
        """Score with each method and combine the profiles; see `combine`."""
        parts = zip(self.methods, self.share_progress(progress), strict=True)
        return self.combine([method.score(narrative, progress=report) for method, report in parts])

    def combine(self, profiles: Sequence[Profile]) -> Profile:
        """Return the profile of the combination from the profiles of its methods, in their order.

        Raises:
            NarrativeError: A score is infinite or NaN.
            ValueError: The profiles score different units, or events.
        """
        if {profile.unit for profile in profiles} != {profiles[0].narrative.unit}:
            raise ValueError("only scores of the same sentences, or longer units, can be combined")
        total = self.add_up([_finite_scores(profile) for profile in profiles])
        return Profile(
            profiles[0].narrative,
            tuple(total.tolist()),
            self.name,
            info=self.info,
            unit=profiles[0].unit,
            model=_first(profile.model for profile in profiles),
            precision=_first(profile.precision for profile in profiles),
            window=_first(profile.window for profile in profiles),
            notes=tuple(dict.fromkeys(note for profile in profiles for note in profile.notes)),
            influences=_first(profile.influences for profile in profiles),
            surprise=_first(profile.surprise for profile in profiles),
            stability=self._resample(profiles),
        )

    def add_up(self, parts: Sequence[Sequence[float] | FloatArray]) -> FloatArray:
        """Return the scores of the combination from those of its methods."""
        total: FloatArray = np.sum([self.scale(scores) for scores in parts], axis=0)
        return self.complete(total)

    def scale(self, scores: Sequence[float] | FloatArray) -> FloatArray:
        """Scale the scores of one method for the sum."""
        return scale_to_unit(scores)

    def complete(self, total: FloatArray) -> FloatArray:
        """Return the scores of the combination from the sum of its scaled parts (last axis: sentences)."""
        return total

    def share_progress(self, progress: Progress) -> list[Progress]:
        """Return a progress callback for each method; the overall progress never decreases.

        If any method uses a model, only those that do are counted, all with the same weight. The first total
        reported is the unit, so that the progress of a single method is passed on unchanged.
        """
        slow = [method.model_name is not None for method in self.methods]
        shown = slow if any(slow) else [True] * len(slow)
        unit = most = 0

        def make(place: int) -> Progress:
            def report(done: int, total: int) -> None:
                nonlocal unit, most
                unit = unit or max(total, 1)
                share = min(done / total, 1.0) if total > 0 else 1.0
                most = max(most, round((place + share) * unit))
                progress(most, sum(shown) * unit)

            return report

        return [make(sum(shown[:k])) if counts else silent for k, counts in enumerate(shown)]

    def _resample(self, profiles: Sequence[Profile]) -> Stability | None:
        """Bootstrap the sum with random weights of its parts and the draws of those that have some.

        Return None for a single method without draws: nothing varies.
        """
        drawn = [None if profile.stability is None else profile.stability.draws for profile in profiles]
        if len(profiles) == 1 and drawn[0] is None:
            return None
        total = np.zeros((DRAWS, len(profiles[0].scores)))
        part_weights = weigh_parts([method.name for method in self.methods])
        for profile, draws, weights in zip(profiles, drawn, part_weights, strict=True):
            if draws is None:
                total += np.outer(weights, self.scale(np.asarray(profile.scores, dtype=np.float64)))
            else:
                for row, draw, weight in zip(total, draws, weights, strict=True):
                    row += weight * self.scale(draw)
        unranked = {k for profile in profiles for k in profile.unranked}
        return Stability.from_draws(self.complete(total), drawn=_join_drawn(profiles), unranked=unranked)


class RankSum(Combination):
    """The sum over the methods of the sentences' ranks (1 for the lowest score), divided by their number.

    Unlike the min-max sum of `Combination`, it ignores the distances between scores, so that one outlier does
    not compress the rest.

    Args:
        methods: At least two.

    >>> from barthes.baselines import Length, Position
    >>> story = Narrative.from_sentences(["The old wolf came.", "It rained.", "It snowed.", "The wolf left."])
    >>> method = RankSum(Length(), Position())
    >>> method.name, method.score(story).scores              # lengths 4, 2, 2, 3 have ranks 4, 1.5, 1.5, 3
    ('ranks:length+position', (1.25, 0.875, 1.125, 1.75))
    """

    kind: ClassVar[MethodKind] = "ranks"

    def __init__(self, *methods: Method) -> None:
        super().__init__(*methods)
        if len(self.methods) < 2:
            raise ValueError("a rank sum needs at least two methods")

    def add_up(self, parts: Sequence[Sequence[float] | FloatArray]) -> FloatArray:
        """Return the sum of the ranks, divided by the number of sentences; in (0, number of methods]."""
        # Ranks are multiples of ½, so their sums are exact; dividing first would break ties by rounding.
        total: FloatArray = np.sum([rank_from_lowest(scores) for scores in parts], axis=0)
        return total / len(total)

    def scale(self, scores: Sequence[float] | FloatArray) -> FloatArray:
        """Return the ranks by one method, divided by the number of sentences."""
        return rank_from_lowest(scores) / len(scores)


class PlacedSum(Combination):
    """The mean of the methods' min-max normalised scores, plus min(1, 5 / n) · (k - 1) / (n - 1) for S_k.

    Readers of a five-sentence story find its end most important; in longer stories salient events are spread
    out, and the position says little. From 0 to 2.

    Args:
        methods: At least one.

    >>> from barthes.baselines import Length
    >>> story = Narrative.from_sentences(["The old wolf came.", "It rained.", "The wolf left."])
    >>> method = PlacedSum(Length())
    >>> method.name, method.score(story).scores
    ('placed:length', (1.0, 0.5, 1.5))
    """

    kind: ClassVar[MethodKind] = "placed"

    def complete(self, total: FloatArray) -> FloatArray:
        """Return the mean of the parts plus the position prior."""
        return total / len(self.methods) + weigh_places(total.shape[-1])


def weigh_places(sentences: int) -> FloatArray:
    """Return the position prior of n sentences: evenly spaced from 0 to 1, or to SHORT / n in a longer story.

    >>> weigh_places(5).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    >>> weigh_places(50).max().item()
    0.1
    """
    return np.linspace(0.0, min(1.0, SHORT / sentences), sentences)


def scale_to_unit(scores: Sequence[float] | FloatArray) -> FloatArray:
    """Return (σ − min σ) / (max σ − min σ), in [0, 1]; 0 if all scores are equal.

    >>> scale_to_unit([-1.0, 0.0, 3.0]).tolist()
    [0.0, 0.25, 1.0]
    >>> scale_to_unit([2.0, 2.0]).tolist()
    [0.0, 0.0]
    """
    values = np.asarray(scores, dtype=np.float64)
    values = values / max(1.0, float(np.abs(values).max()))  # so that no range is infinite
    low, high = values.min(), values.max()
    if high - low < _ROUNDING:
        return np.zeros_like(values)
    scaled: FloatArray = (values - low) / (high - low)
    return scaled


def rank_from_lowest(scores: Sequence[float] | FloatArray) -> FloatArray:
    """Return the rank of each score, 1 for the lowest; ties have their mean rank.

    >>> rank_from_lowest([-1.0, 0.5, 0.5, 9.0]).tolist()
    [1.0, 2.5, 2.5, 4.0]
    """
    values = np.asarray(scores, dtype=np.float64)
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: FloatArray = np.cumsum(counts) - (counts - 1) / 2
    return ranks[places]


def _join_drawn(profiles: Sequence[Profile]) -> npt.NDArray[np.bool_] | None:
    """Return which sentences at least one part could resample; None if one part could resample all."""
    known = [None if profile.stability is None else profile.stability.drawn for profile in profiles]
    masks = [mask for mask in known if mask is not None]
    return np.any(masks, axis=0) if len(masks) == len(known) else None


def _first(values: Iterable[T | None]) -> T | None:
    return next((value for value in values if value is not None), None)


def _finite_scores(profile: Profile) -> FloatArray:
    scores = np.asarray(profile.scores, dtype=np.float64)
    wrong = np.flatnonzero(~np.isfinite(scores))
    if wrong.size:
        raise NarrativeError(
            f"the method {profile.method!r} gave sentence {wrong[0] + 1} the score {scores[wrong[0]]}, "
            "which cannot be combined with other scores.",
            where=profile.narrative.title or None,
            remedy=f"Score with {profile.method!r} alone, or with another model.",
        )
    return scores
