"""Combination of methods: their scores, brought to [0, 1] within the story, added up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from barthes.errors import NarrativeError
from barthes.models.language_model import FloatArray
from barthes.narrative import Narrative
from barthes.salience.method import Method, Progress, silent
from barthes.salience.profile import Profile
from barthes.salience.resampling import DRAWS, weigh_parts
from barthes.salience.stability import Stability

__all__ = ["Combination", "add_scaled", "scale_to_unit"]

T = TypeVar("T")

# Scores of size 1 and closer together than this differ by rounding alone; scikit-learn draws the same line.
_ROUNDING = 10 * float(np.finfo(np.float64).eps)


class Combination(Method):
    """The sum over the methods of their min-max normalised scores; from 0 to the number of methods.

    Combinations inside combinations are taken apart: ``(a + b) + c`` is ``a + b + c``, each of the
    three with the same weight.

    Args:
        methods: At least one.

    >>> from barthes.baselines import Length, Position
    >>> story = Narrative.from_sentences(["The old wolf came.", "It rained.", "The wolf left."])
    >>> method = Length() + Position()
    >>> method.name, method.score(story).scores
    ('length+position', (1.0, 0.5, 1.5))
    """

    def __init__(self, *methods: Method) -> None:
        if not methods:
            raise ValueError("a combination needs at least one method")
        self.methods: tuple[Method, ...] = tuple(
            part
            for method in methods
            for part in (method.methods if type(method) is type(self) else (method,))
        )

    @property
    def name(self) -> str:
        """The names of the methods, joined by ``+``; those of other sums in brackets."""
        return "+".join(
            f"({method.name})" if isinstance(method, Combination) else method.name for method in self.methods
        )

    @property
    def model_name(self) -> str | None:
        """The name of the first language model among the methods, or None."""
        return _first(method.model_name for method in self.methods)

    def score(self, narrative: Narrative, *, progress: Progress = silent) -> Profile:
        """The sum of the normalised scores; window and influence are those of the method that has them.

        Raises:
            NarrativeError: A method gave a score that is infinite or not a number.
        """
        reports = self._share(progress)
        profiles = [
            method.score(narrative, progress=report)
            for method, report in zip(self.methods, reports, strict=True)
        ]
        total = self.add_up([_finite_scores(profile) for profile in profiles])
        notes = dict.fromkeys(note for profile in profiles for note in profile.notes)
        return Profile(
            narrative,
            tuple(total.tolist()),
            method=self.name,
            model=_first(profile.model for profile in profiles),
            precision=_first(profile.precision for profile in profiles),
            window=_first(profile.window for profile in profiles),
            notes=tuple(notes),
            influences=_first(profile.influences for profile in profiles),
            stability=self._resample(profiles),
        )

    def add_up(self, parts: Sequence[FloatArray]) -> FloatArray:
        """The scores of the sum from those of the methods, by `add_scaled`."""
        return add_scaled(parts)

    def scale(self, scores: FloatArray) -> FloatArray:
        """The scores of one method as they go into the sum."""
        return scale_to_unit(scores)

    def complete(self, total: FloatArray) -> FloatArray:
        """The scores of the sum from what its parts add up to, for one draw a row."""
        return total

    def _resample(self, profiles: Sequence[Profile]) -> Stability | None:
        """The sum with each part drawn anew, if it can be, and weighted at random.

        None where nothing varies: for one method alone that has no draws.
        """
        drawn = [None if profile.stability is None else profile.stability.draws for profile in profiles]
        if len(profiles) == 1 and drawn[0] is None:
            return None
        total = np.zeros((DRAWS, len(profiles[0].scores)))
        for profile, draws, weights in zip(
            profiles, drawn, weigh_parts([method.name for method in self.methods]), strict=True
        ):
            if draws is None:
                total += np.outer(weights, self.scale(np.asarray(profile.scores, dtype=np.float64)))
            else:
                for row, draw, weight in zip(total, draws, weights, strict=True):
                    row += weight * self.scale(draw)
        return Stability.from_draws(self.complete(total), drawn=_join_drawn(profiles))

    def _share(self, progress: Progress) -> list[Progress]:
        """One report a method. Where there are models, only they take time worth reporting."""
        slow = [method.model_name is not None for method in self.methods]
        if not any(slow):
            slow = [True] * len(slow)
        shared = _SharedProgress(progress, parts=sum(slow))
        places = np.cumsum(slow) - 1
        return [
            shared.report(int(place)) if counts else silent
            for place, counts in zip(places, slow, strict=True)
        ]


def _join_drawn(profiles: Sequence[Profile]) -> npt.NDArray[np.bool_] | None:
    """Where one part at least could be drawn in earnest, or does not depend on what follows; None for all."""
    known = [None if profile.stability is None else profile.stability.drawn for profile in profiles]
    masks = [mask for mask in known if mask is not None]
    return np.any(masks, axis=0) if len(masks) == len(known) else None


class _SharedProgress:
    """Joins the reports of several equal parts into one that only ever goes up.

    The first total that is reported becomes the unit of every part, so that one part alone is passed on
    as it is.
    """

    def __init__(self, progress: Progress, *, parts: int) -> None:
        self._progress = progress
        self._parts = parts
        self._unit = 0
        self._done = 0

    def report(self, place: int) -> Progress:
        def report(done: int, total: int) -> None:
            self._unit = self._unit or max(total, 1)
            share = min(done / total, 1.0) if total > 0 else 1.0
            self._done = max(self._done, round((place + share) * self._unit))
            self._progress(self._done, self._parts * self._unit)

        return report


def add_scaled(parts: Sequence[Sequence[float] | FloatArray]) -> FloatArray:
    """The sum of the scores of several methods, each brought to [0, 1].

    >>> add_scaled([[0.0, 5.0, 10.0], [3.0, 1.0, 2.0]]).tolist()
    [1.0, 0.5, 1.5]
    """
    total: FloatArray = np.sum([scale_to_unit(scores) for scores in parts], axis=0)
    return total


def scale_to_unit(scores: Sequence[float] | FloatArray) -> FloatArray:
    """(σ − min σ) / (max σ − min σ): the lowest score becomes 0, the highest 1; equal scores become 0.

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


def _first(values: Iterable[T | None]) -> T | None:
    return next((value for value in values if value is not None), None)


def _finite_scores(profile: Profile) -> FloatArray:
    scores = np.asarray(profile.scores, dtype=np.float64)
    wrong = np.flatnonzero(~np.isfinite(scores))
    if wrong.size:
        raise NarrativeError(
            f"the method {profile.method!r} gave sentence {wrong[0] + 1} the score {scores[wrong[0]]}, "
            "which cannot be combined with others.",
            where=profile.narrative.title or None,
            remedy=f"Score with {profile.method!r} alone, or with another model.",
        )
    return scores
