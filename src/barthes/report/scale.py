"""Map scores to shades."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from barthes.salience.profile import Profile

_FULL = 0.95
"""The quantile with the full shade: a few outliers must not leave all other sentences pale."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Shades that grow in proportion to the score from `low` (none) to `high` (full).

    >>> [Scale(0.0, 2.0).level(score) for score in (-1.0, 0.5, 2.0, 9.0)]
    [0, 25, 100, 100]
    """

    low: float
    high: float

    def level(self, score: float | None) -> int:
        """Return the shade of a score from 0 to 100; 0 for None."""
        return round(100 * min(max(self._place(score), 0.0), 1.0))

    def cuts(self, score: float | None) -> bool:
        """Return whether a score is above the full shade, so that its bar is cut."""
        return self._place(score) > 1.001

    def _place(self, score: float | None) -> float:
        """Return where a score lies: 0 at `low`, 1 at `high`; 0 if it is unknown or all scores are equal."""
        if score is None or not math.isfinite(score) or self.high <= self.low:
            return 0.0
        return (score - self.low) / (self.high - self.low)

    @property
    def digits(self) -> int:
        """The number of decimals with which to show scores of this size.

        >>> Scale(0.0, 0.08).digits, Scale(0.0, 0.008).digits, Scale(0.0, 30.0).digits
        (3, 4, 1)
        """
        size = max(abs(self.high), abs(self.low))
        if size == 0 or not math.isfinite(size):
            return 2
        return min(max(1 - math.floor(math.log10(size)), 1), 6)

    def format(self, score: float | None) -> str:
        """Format a score with its sign.

        >>> Scale(0.0, 0.08).format(-0.0123), Scale(0.0, 0.08).format(None)
        ('−0.012', '')
        """
        if score is None or not math.isfinite(score):
            return ""
        text = f"{abs(score):.{self.digits}f}"
        return f"{'−' if score < 0 and float(text) else '+'}{text}"


def scale_of(scores: Sequence[float | None], *, from_zero: bool) -> Scale:
    """Return the scale of a story's scores, as far as they are known.

    Args:
        scores: None for sentences that are not scored yet or not ranked.
        from_zero: Whether 0 has a meaning (no loss, an average sentence); negative scores get no shade.

    >>> scale_of([0.5, -0.25, None, 0.1], from_zero=True)
    Scale(low=0.0, high=0.5)
    """
    known = sorted(score for score in scores if score is not None and math.isfinite(score))
    if not known:
        return Scale(0.0, 0.0)
    high = known[math.ceil(_FULL * len(known)) - 1]
    low = 0.0 if from_zero and high > 0 else known[0]
    return Scale(low, high)


def limit_bars(scores: Sequence[float], scale: Scale) -> tuple[float, float]:
    """Return where bars end at the bottom and the top of a curve; longer ones are cut, with a gap.

    Bars begin at 0. Cut is what lies beyond the lowest tenth or the full shade by more than 0.6 of what lies
    between them. The script `curve.js` of the page does the same.

    >>> limit_bars([0.1] * 30 + [1.0, 9.0, -9.0], Scale(0.0, 1.0))
    (-0.6, 1.6)
    >>> limit_bars([0.1] + [-0.5] * 20, Scale(0.0, 0.1))
    (-0.5, 0.1)
    """
    known = sorted(scores)
    if not known:
        return 0.0, 0.0
    low = min(0.0, scale.low, known[min(max(1, len(known) // 10), len(known) - 1)])
    high = max(0.0, scale.high)
    reach = 0.6 * (high - low)
    return max(min(0.0, known[0]), low - reach), min(max(0.0, known[-1]), high + reach)


def scale_profile(profile: Profile) -> Scale:
    """Return the scale of a profile: from zero where 0 has a meaning, else from the lowest score."""
    is_single = profile.model is not None and profile.info.kind == "single"
    has_zero = is_single and (profile.info.looks_ahead or profile.info.centred)
    ranked = [None if k in profile.unranked else score for k, score in enumerate(profile.scores)]
    return scale_of(ranked, from_zero=has_zero)
