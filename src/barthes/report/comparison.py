"""Compare two profiles: two drafts of a story, or two methods on one story."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from barthes.errors import BarthesError
from barthes.report.alignment import align
from barthes.salience.profile import Profile, ScoredUnit


class Kind(StrEnum):
    """The kind of a change."""

    SAME = "same"
    CHANGED = "changed"
    MOVED = "moved"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence before and after; one of them is None if it was added or removed.

    Attributes:
        change: The gain in salience, in the unit of the scores if the profiles are comparable, otherwise in
            standing. None if one of the two is missing or not ranked.
        noise: The half-width of the change's 90 % bootstrap interval; 0 for methods without bootstrap samples
            and for changes in standing. None if too little follows one of the two to tell.
    """

    before: ScoredUnit | None
    after: ScoredUnit | None
    kind: Kind
    change: float | None
    noise: float | None = None

    @property
    def is_clear(self) -> bool:
        """Whether the change is larger than its noise."""
        return self.change is not None and self.noise is not None and abs(self.change) > self.noise

    @property
    def reason(self) -> str | None:
        """Why one of the two is not ranked; None if what there is of them is ranked."""
        return next((side.reason for side in (self.before, self.after) if side and side.reason), None)

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON shows."""
        before, after = (None if side is None else side.to_dict() for side in (self.before, self.after))
        return {
            "kind": self.kind.value,
            "change": self.change,
            "noise": self.noise,
            "before": before,
            "after": after,
        }


@dataclass(frozen=True)
class Comparison:
    """The sentences of two profiles in pairs.

    Attributes:
        pairs: In the order of the second text; removed sentences come where they were.
        comparable: Whether both profiles have the same method and model. If not, sentences are compared by
            standing: 1 for the first rank, 0 for the last.
    """

    before: Profile
    after: Profile
    pairs: tuple[Pair, ...]
    comparable: bool

    def gained(self, n: int | None = None) -> tuple[Pair, ...]:
        """Return the pairs that gained clearly, the most first."""
        return self._rank_by_change(1)[:n]

    def lost(self, n: int | None = None) -> tuple[Pair, ...]:
        """Return the pairs that lost clearly, the most first."""
        return self._rank_by_change(-1)[:n]

    def count(self, kind: Kind) -> int:
        """Return how many pairs are of that kind."""
        return sum(pair.kind is kind for pair in self.pairs)

    @property
    def spearman(self) -> float | None:
        """Spearman's ρ between the scores of the sentences that both rank; None where it is not defined."""
        shared = [pair for pair in self.pairs if pair.reason is None]
        both = [(p.before.salience, p.after.salience) for p in shared if p.before and p.after]
        if len({a for a, _ in both}) < 2 or len({b for _, b in both}) < 2:
            return None
        from scipy.stats import spearmanr

        return float(spearmanr(*zip(*both, strict=True)).statistic)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain lists and dicts."""
        return {
            "before": _describe(self.before),
            "after": _describe(self.after),
            "change_in": "score" if self.comparable else "standing",
            "spearman": self.spearman,
            "pairs": [pair.to_dict() for pair in self.pairs],
        }

    def _rank_by_change(self, sign: int) -> tuple[Pair, ...]:
        found = [(sign * (pair.change or 0.0), pair) for pair in self.pairs if pair.is_clear]
        return tuple(pair for size, pair in sorted(found, key=lambda each: -each[0]) if size > 0)


def compare(before: Profile, after: Profile) -> Comparison:
    """Pair the sentences of two profiles and compute what each gained or lost.

    >>> from barthes import Length, Narrative
    >>> first = Length().score(Narrative.from_sentences(["A wolf came.", "It rained.", "The end."]))
    >>> second = Length().score(Narrative.from_sentences(["A big bad wolf came.", "The end."]))
    >>> [(pair.kind.value, pair.change) for pair in compare(first, second).pairs]
    [('changed', 2.0), ('removed', None), ('same', 0.0)]
    """
    if before.unit != after.unit:
        problem = f"one file has scores of {before.unit}s, the other of {after.unit}s."
        raise BarthesError(problem, remedy="Compare scores of the same unit.")
    if before.unit == "event":
        raise BarthesError("scores of events cannot be compared.", remedy="Score the story's sentences.")
    comparable = (before.method, before.model) == (after.method, after.model)
    has_noise = comparable and before.stability is not None and after.stability is not None
    old, new = (profile.scores if comparable else _compute_standings(profile) for profile in (before, after))
    texts = [[str(unit.sentence) for unit in profile.units] for profile in (before, after)]
    pairs = []
    for k, i, moved in align(*texts, long=before.unit != "sentence"):
        was, now = None if k is None else before.units[k], None if i is None else after.units[i]
        change = None
        if was and now and was.rank is not None and now.rank is not None:
            change = new[now.index] - old[was.index]
        noise = _find_noise(was, now) if has_noise else 0.0
        pairs.append(Pair(was, now, _find_kind(was, now, moved), change, noise))
    return Comparison(before, after, tuple(pairs), comparable)


def _find_noise(was: ScoredUnit | None, now: ScoredUnit | None) -> float | None:
    """Return the half-width of the interval of a difference between two scores; None if one has none.

    The scores are resampled independently. They share most of what follows, so this is rather too wide.
    """
    widths = []
    for side in (was, now):
        if side is None or side.low is None or side.high is None:
            return None
        widths.append((side.high - side.low) / 2)
    return math.hypot(*widths)


def _find_kind(was: ScoredUnit | None, now: ScoredUnit | None, moved: bool) -> Kind:
    if was is None or now is None:
        return Kind.ADDED if was is None else Kind.REMOVED
    if moved:
        return Kind.MOVED
    return Kind.SAME if str(was.sentence) == str(now.sentence) else Kind.CHANGED


def _compute_standings(profile: Profile) -> list[float]:
    """Return 1 for the first rank, 0 for the last and for unranked units, and even steps between them."""
    last = len(profile.top())
    return [1.0 if last == 1 else (last - (rank or last)) / (last - 1) for rank in profile.ranks]


def _describe(profile: Profile) -> dict[str, Any]:
    plain = profile.to_dict()
    return {key: plain[key] for key in ("story", "method", "model", "precision", "window", "notes")}
