"""Compare two profiles: two drafts of a story, or two methods on one story."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from typing import Any

from barthes.errors import BarthesError
from barthes.report.alignment import Match, align
from barthes.salience.influence import Influence
from barthes.salience.profile import Profile, ScoredUnit

MOST_EFFECTS = 3
"""How many units are named that a change helped or harmed."""

Effects = tuple[tuple[int, float], ...]
"""Indices of units in the second draft, with what they gained; see `Pair`."""

_LEAST = 0.0005  # nats per token; less is shown as 0


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
        effects: What the change did to the rest: the units that gained or lost most support by it, as pairs
            of index in the second draft and nats per token. Negative for what misses a removed unit. Only
            units that are the same in both drafts, up to the next change: beyond it, that change may be the
            cause. Empty if it did not change, or if the support is not known.
        noise: The half-width of the change's 90 % bootstrap interval; 0 for methods without bootstrap samples
            and for changes in standing. None if too little follows one of the two to tell.
    """

    before: ScoredUnit | None
    after: ScoredUnit | None
    kind: Kind
    change: float | None
    effects: Effects = ()
    noise: float | None = None

    @property
    def is_clear(self) -> bool:
        """Whether the change is larger than its noise."""
        return self.change is not None and self.noise is not None and abs(self.change) > self.noise

    @property
    def surprise_change(self) -> float | None:
        """How much more surprising it is in the second draft, nats per token; None if unknown."""
        known = [None if side is None else side.surprise for side in (self.before, self.after)]
        return None if known[0] is None or known[1] is None else known[1] - known[0]

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
            "surprise_change": self.surprise_change,
            "effects": [{"index": index, "change": change} for index, change in self.effects],
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
    texts = [[str(unit.sentence) for unit in profile.units] for profile in (before, after)]
    matches = align(*texts, long=before.unit != "sentence")
    effects = _list_effects_of(matches, texts, (before.influences, after.influences))
    old, new = (profile.scores if comparable else _compute_standings(profile) for profile in (before, after))
    pairs = []
    noise: float | None
    for (k, i, moved), found in zip(matches, effects, strict=True):
        was, now = None if k is None else before.units[k], None if i is None else after.units[i]
        change = None
        if was and now and was.rank is not None and now.rank is not None:
            change = new[now.index] - old[was.index]
        noise = 0.0
        if comparable and before.stability is not None and after.stability is not None:
            noise = _find_noise(was, now)
        kind = _find_kind(was, now, moved)
        pairs.append(Pair(was, now, kind, change, found if comparable else (), noise))
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


@dataclass(frozen=True)
class _Draft:
    """The influence within a draft, and its units that are the same: their indices in the other draft."""

    influence: Influence
    same: Mapping[int, int]

    def find_same(self, place: int) -> int:
        """Return the first unit from a place on that is the same; the place itself if there is none."""
        return next((k for k in range(place, len(self.influence.columns)) if k in self.same), place)

    def find_change(self, place: int) -> int:
        """Return the first unit from a place on that is not the same."""
        return next(k for k in count(place) if k not in self.same)

    def list_losses(self, index: int | None, end: int) -> Iterable[tuple[int, float]]:
        """Return what each unit before `end` loses without one; nothing for a unit that is not there."""
        return () if index is None else enumerate(self.influence.columns[index][: end - index - 1], index + 1)


def _list_effects_of(
    matches: Sequence[Match], texts: Sequence[Sequence[str]], influences: Sequence[Influence | None]
) -> list[Effects]:
    """Return the effects of each match; none for units that are the same."""
    if influences[0] is None or influences[1] is None:
        return [()] * len(matches)
    same = {
        k: i
        for k, i, moved in matches
        if k is not None and i is not None and not moved and texts[0][k] == texts[1][i]
    }
    first = _Draft(influences[0], same)
    second = _Draft(influences[1], {i: k for k, i in same.items()})
    effects: list[Effects] = []
    old = new = 0  # behind the last unit, where one that a draft does not have would stand
    for k, i, moved in matches:
        old = old if k is None or moved else k + 1
        new = new if i is None else i + 1
        after = old if k is None else k + 1
        effects.append(() if k in same else _find_effects(first, second, (k, i), (after, new)))
    return effects


def _find_effects(
    first: _Draft, second: _Draft, changed: tuple[int | None, int | None], after: tuple[int, int]
) -> Effects:
    """Return the units that gained or lost most by a change.

    Only those count between which and the change nothing else changed in either draft; `after` is where what
    follows the change begins.
    """
    k, i = changed
    old, new = after
    # What replaces a unit that is missing is no other change.
    old_end = first.find_change(first.find_same(old) if k is None else old)
    new_end = second.find_change(second.find_same(new) if i is None else new)
    gains: defaultdict[int, float] = defaultdict(float)
    for index, loss in first.list_losses(k, old_end):
        gains[first.same[index]] -= loss
    for index, loss in second.list_losses(i, new_end):
        gains[index] += loss
    known = [
        (index, float(gain))
        for index, gain in gains.items()
        if index < new_end and second.same[index] < old_end and gain and math.isfinite(gain)
    ]
    return tuple(sorted(known, key=lambda each: (-abs(each[1]), each[0]))[:MOST_EFFECTS])


def describe_effects(pair: Pair, unit: str) -> str:
    """Return in words what a change did to the rest; empty if nothing is known.

    >>> describe_effects(Pair(None, None, Kind.MOVED, None, ((4, 0.25), (7, -0.0625))), "scene")
    'second draft: scene 5 likelier by 0.250, scene 8 less likely by 0.062'
    """
    return _list_effects(pair.effects, unit)


def describe_shifts(comparison: Comparison) -> str:
    """Return in words which unchanged units became much likelier or less likely by all changes together.

    Empty if it is not known.
    """
    found = [
        (pair.after.index, -change)
        for pair in comparison.pairs
        if comparison.comparable and pair.kind is Kind.SAME and pair.after is not None
        if (change := pair.surprise_change) is not None
    ]
    most = sorted(found, key=lambda each: (-abs(each[1]), each[0]))[:MOST_EFFECTS]
    listed = _list_effects(most, comparison.after.unit)
    if not listed:
        return ""
    return (
        f"All changes together, {listed} (nats per token). Likelier means that a {comparison.after.unit} "
        "follows better from the text before it; gained and lost refer to its salience."
    )


def _list_effects(effects: Sequence[tuple[int, float]], unit: str) -> str:
    listed = ", ".join(
        f"{unit} {index + 1} {'likelier' if change > 0 else 'less likely'} by {abs(change):.3f}"
        for index, change in effects
        if abs(change) >= _LEAST
    )
    return f"second draft: {listed}" if listed else ""


def _compute_standings(profile: Profile) -> list[float]:
    """Return 1 for the first rank, 0 for the last and for unranked units, and even steps between them."""
    last = len(profile.top())
    return [1.0 if last == 1 else (last - (rank or last)) / (last - 1) for rank in profile.ranks]


def _describe(profile: Profile) -> dict[str, Any]:
    plain = profile.to_dict()
    return {key: plain[key] for key in ("story", "method", "model", "precision", "window", "notes")}
