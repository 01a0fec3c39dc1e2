"""Draw scores as bars: the curve of a profile, and two profiles mirrored."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from barthes.errors import NarrativeError
from barthes.models.language_model import FloatArray
from barthes.report.comparison import Comparison
from barthes.report.escaping import clean
from barthes.report.figures.canvas import (
    INK,
    LOSES,
    MISSING,
    MUTED,
    PAGE,
    PALE_LOSES,
    PALE_SALIENT,
    SALIENT,
    UNRANKED,
    WIDTH,
    new_figure,
)
from barthes.report.page.comparison_document import describe_comparison
from barthes.report.scale import Scale, limit_bars, scale_profile
from barthes.report.wording import name_axis, name_story, name_unit
from barthes.salience.profile import Profile, ScoredUnit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_curve(
    profile: Profile, *, top: int = 5, width: float = WIDTH, height: float = 5.5, title: str | None = None
) -> Figure:
    """Draw salience along the story: a bar per unit and a smoothed line; sizes in centimetres.

    The `top` most salient units are in full colour and numbered. Bars far above or below the others are cut,
    with a gap and the score beside them. Units that are not ranked are grey.
    """
    with new_figure(width=width, height=height) as figure:
        axes = figure.add_subplot()
        _paint(axes, profile, top)
        axes.set_title(name_story(profile.narrative) if title is None else clean(title))
    return figure


def draw_curves(
    profile: Profile,
    *,
    against: Profile | None = None,
    width: float = WIDTH,
    height: float | None = None,
    title: str | None = None,
) -> Figure:
    """Draw surprise and salience along the story under each other; sizes in centimetres.

    `against` adds the scores of another method; those of ``pmi``, or the
    profile's own preparation, are called preparation: how much likelier what precedes a unit makes it.

    Raises:
        NarrativeError: The profile has no surprise.
    """
    if profile.surprise is None:
        raise NarrativeError(
            f"the method {profile.method!r} does not compute surprise.",
            where=profile.narrative.title or None,
            remedy="Score sentences or longer units with sd, or with a sum with it.",
        )
    if against is None and profile.preparation is not None:
        prepared = profile.preparation
        against = replace(profile, method="pmi", scores=prepared, stability=None, influences=None)
    shown = [profile] if against is None else [profile, against]
    with new_figure(width=width, height=height or 3.0 * (len(shown) + 1)) as figure:
        first, *grid = figure.subplots(len(shown) + 1, sharex=True)
        first.set_title(name_story(profile.narrative) if title is None else clean(title))
        _paint_surprise(first, profile.surprise)
        for axes, each in zip(grid, shown, strict=True):
            _paint(axes, each, top=0)
            name = "salience" if each is profile else "preparation" if each.method == "pmi" else each.method
            axes.set_ylabel("\n".join(filter(None, [clean(name), _shorten(name_unit(each))])))
            bottom, top = axes.get_ylim()
            axes.set_ylim(bottom - 0.15 * (top - bottom) * (bottom < 0), top)  # room for labels below bars
        for axes in grid[:-1]:
            axes.set_xlabel("")
    return figure


def smooth(scores: Sequence[float] | FloatArray) -> FloatArray:
    """Smooth scores with a Gaussian whose width grows with the story.

    >>> smooth([1.0, 1.0, 1.0]).tolist()
    [1.0, 1.0, 1.0]
    """
    values = np.asarray(scores, dtype=np.float64)
    width = max(1.0, len(values) / 45)
    far = int(np.ceil(2.5 * width))
    kernel = np.exp(-0.5 * (np.arange(-far, far + 1) / width) ** 2)
    ones = np.ones_like(values)
    sums, weights = (np.convolve(each, kernel)[far : far + len(values)] for each in (values, ones))
    smoothed: FloatArray = sums / weights
    return smoothed


def _paint_surprise(axes: Axes, surprise: Sequence[float | None]) -> None:
    places = np.array([k + 1 for k, each in enumerate(surprise) if each is not None])
    values = np.array([each for each in surprise if each is not None])
    axes.bar(places, values, width=0.72, color=PALE_LOSES, linewidth=0)
    if len(values) > 8:
        axes.plot(places, smooth(values), color=INK, linewidth=0.9, alpha=0.7)
    axes.set_ylabel("surprise\nnats per token")


def _shorten(unit: str) -> str:
    """Return a unit that fits beside a low panel."""
    return unit if len(unit) < 20 else ""


def _paint(axes: Axes, profile: Profile, top: int) -> None:
    scores = np.asarray(profile.scores, dtype=np.float64)
    places = np.arange(1, len(scores) + 1)
    scale = scale_profile(profile)
    ranked = np.array([k not in profile.unranked for k in range(len(scores))])
    low, high = limit_bars(scores[ranked].tolist(), scale)
    best = [scored.index for scored in profile.top(top)]
    colours = np.where(ranked, PALE_SALIENT, UNRANKED).astype(object)
    colours[best] = SALIENT
    axes.bar(places, np.clip(scores, low, high), width=0.72, color=list(colours), linewidth=0)
    if len(scores) > 8:
        curve = smooth(np.clip(scores[ranked], low, high))
        axes.plot(places[ranked], curve, color=INK, linewidth=0.9, alpha=0.7)
    axes.axhline(0, color=MUTED, linewidth=0.6)
    above, below = (np.flatnonzero(cut).tolist() for cut in (scores > high, scores < low))
    _mark_cut(axes, above, high - 0.04 * (high - low))
    _mark_cut(axes, below, low + 0.04 * (high - low))
    highest_first = sorted(set(above) - set(best), key=lambda k: -scores[k])
    for k in _apart([*best, *highest_first], len(scores), wide=above):
        words = [str(k + 1)] * (k in best) + [scale.format(float(scores[k]))] * (k in above)
        _annotate_bar(axes, k, min(max(float(scores[k]), 0.0), high), ": ".join(words), len(scores))
    for k in _apart(sorted(below, key=lambda k: scores[k]), len(scores), wide=below):
        _annotate_bar(axes, k, low, scale.format(float(scores[k])), len(scores), under=True)
    axes.set_xlim(0.2, len(scores) + 0.8)
    axes.set_ylim(
        low - (0.12 if below else 0.05) * (high - low) if low < 0 else None, high + 0.1 * (high - low)
    )
    axes.set_xlabel(profile.unit)
    axes.set_ylabel(name_axis(profile))


def _annotate_bar(axes: Axes, k: int, height: float, words: str, count: int, *, under: bool = False) -> None:
    """Label the end of the k-th of `count` bars; labels stay inside the figure."""
    share = (k + 0.5) / count
    side = "center" if len(words) < 4 or 0.06 < share < 0.94 else "left" if share < 0.5 else "right"
    axes.annotate(
        words,
        (k + 1, height),
        (0, -1.5 if under else 1.5),
        textcoords="offset points",
        ha=side,
        va="top" if under else "baseline",
        fontsize=6.5,
    )


def _apart(places: Sequence[int], count: int, *, wide: Container[int] = ()) -> list[int]:
    """Drop places, given best first, whose labels would overlap that of a better one.

    >>> _apart([10, 11, 50], 100), _apart([10, 15, 50], 100, wide={10, 15})
    ([10, 50], [10, 50])
    """
    kept: list[int] = []
    for place in places:
        if all(
            abs(place - other) > (0.1 if place in wide and other in wide else 0.025) * count for other in kept
        ):
            kept.append(place)
    return kept


def draw_comparison(
    comparison: Comparison,
    *,
    width: float = WIDTH,
    height: float = 7.0,
    title: str | None = None,
) -> Figure:
    """Draw bars up for the first profile and down for the second, each scaled to its own range.

    Each column is a sentence; missing sentences are shaded. Bars above the full range are cut, with a gap and
    the score beside them. Sizes in centimetres.
    """
    document = describe_comparison(comparison)
    places = np.arange(1, len(comparison.pairs) + 1)
    with new_figure(width=width, height=height) as figure:
        axes = figure.add_subplot()
        for side, profile, sign, colour in (
            ("before", comparison.before, 1, SALIENT),
            ("after", comparison.after, -1, LOSES),
        ):
            scale = scale_profile(profile)
            units: list[ScoredUnit | None] = [getattr(pair, side) for pair in comparison.pairs]
            heights = _heights(units, scale)
            half = (0.5, 1.0) if sign > 0 else (0.0, 0.5)
            for place in places[np.isnan(heights)]:
                axes.axvspan(place - 0.5, place + 0.5, *half, color=MISSING, linewidth=0)
            colours = [UNRANKED if unit and unit.rank is None else colour for unit in units]
            axes.bar(places, sign * np.nan_to_num(heights), width=0.72, color=colours, linewidth=0)
            cut = {k: unit.salience for k, unit in enumerate(units) if unit and scale.cuts(unit.salience)}
            _mark_cut(axes, cut, 0.95 * sign)
            for k in _apart(sorted(cut, key=lambda k: -cut[k]), len(units), wide=cut):
                _annotate_bar(axes, k, sign, scale.format(cut[k]), len(units), under=sign < 0)
        axes.axhline(0, color=INK, linewidth=0.6)
        axes.set_xlim(0.2, len(places) + 0.8)
        axes.set_ylim(-1.15, 1.15)
        axes.set_yticks([-1, 0, 1], labels=["full", "0", "full"])
        axes.set_xlabel("sentence, paired")
        axes.text(0.01, 0.97, document["heads"][0], transform=axes.transAxes, color=SALIENT, va="top")
        axes.text(0.01, 0.03, document["heads"][1], transform=axes.transAxes, color=LOSES, va="bottom")
        rho = document["spearman"]
        note = "" if rho is None else f"   Spearman’s ρ = {rho}"
        axes.set_title((document["title"] if title is None else clean(title)) + note)
    return figure


def _mark_cut(axes: Axes, places: Iterable[int], height: float) -> None:
    """Mark bars that are cut with a gap at `height`."""
    for k in places:
        axes.plot([k + 0.5, k + 1.5], [height] * 2, color=PAGE, linewidth=1.5)


def _heights(units: Sequence[ScoredUnit | None], scale: Scale) -> FloatArray:
    """Return heights from 0 to 1, a little below 0 for negative scores; NaN where there is no sentence."""
    span = scale.high - scale.low or 1.0
    heights = [np.nan if unit is None else (unit.salience - scale.low) / span for unit in units]
    return np.clip(np.array(heights, dtype=np.float64), -0.1, 1.0)
