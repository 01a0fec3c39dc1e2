"""Draw scores as bars: the curve of a profile, and two profiles mirrored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from barthes.errors import NarrativeError
from barthes.models.language_model import FloatArray
from barthes.report.comparison import Comparison
from barthes.report.escaping import clean
from barthes.report.figures import canvas
from barthes.report.page.comparison_document import format_spearman, name_sides
from barthes.report.scale import limit_bars, scale_profile
from barthes.report.wording import name_axis, name_story, name_unit
from barthes.salience.profile import Profile

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BAR: dict[str, Any] = {"width": 0.72, "linewidth": 0}


def draw_curve(
    profile: Profile, *, top: int = 5, width: float = canvas.WIDTH, title: str | None = None
) -> Figure:
    """Draw salience along the story: a bar per unit and a smoothed line; the width in centimetres.

    The `top` most salient units are in full colour and numbered. Bars far above or below the others are cut,
    with a gap and the score beside them. Units that are not ranked are grey.
    """
    with canvas.new_figure(width=width, height=5.5) as figure:
        axes = figure.add_subplot()
        _paint(axes, profile, top)
        axes.set_title(name_story(profile.narrative) if title is None else clean(title))
    return figure


def draw_curves(
    profile: Profile,
    *,
    against: Profile | None = None,
    width: float = canvas.WIDTH,
    title: str | None = None,
) -> Figure:
    """Draw surprise and salience along the story under each other; the width in centimetres.

    `against` adds the scores of another method; those of ``pmi`` are called preparation: how much likelier
    what precedes a unit makes it.

    Raises:
        NarrativeError: The profile has no surprise.
    """
    if profile.surprise is None:
        raise NarrativeError(
            f"the method {profile.method!r} does not compute surprise.",
            where=profile.narrative.title or None,
            remedy="Score sentences or longer units with sd, or with a sum with it.",
        )
    shown = [profile] if against is None else [profile, against]
    with canvas.new_figure(width=width, height=3.0 * (len(shown) + 1)) as figure:
        first, *grid = figure.subplots(len(shown) + 1, sharex=True)
        first.set_title(name_story(profile.narrative) if title is None else clean(title))
        _paint_surprise(first, profile.surprise)
        for axes, each in zip(grid, shown, strict=True):
            _paint(axes, each, top=0)
            name = "salience" if each is profile else "preparation" if each.method == "pmi" else each.method
            unit = name_unit(each)
            axes.set_ylabel(f"{clean(name)}\n{unit}" if 0 < len(unit) < 20 else clean(name))
            bottom, top = axes.get_ylim()
            axes.set_ylim(bottom - 0.15 * (top - bottom) * (bottom < 0), top)  # room for labels below bars
        for axes in grid[:-1]:
            axes.set_xlabel("")
    return figure


def draw_comparison(
    comparison: Comparison, *, width: float = canvas.WIDTH, title: str | None = None
) -> Figure:
    """Draw bars up for the first profile and down for the second, each scaled to its own range.

    Each column is a sentence; missing sentences are shaded. Bars above the full range are cut, with a gap and
    the score beside them. The width in centimetres.
    """
    heading, *heads = name_sides(comparison)
    with canvas.new_figure(width=width, height=7.0) as figure:
        axes = figure.add_subplot()
        _paint_side(axes, comparison, "before", sign=1, colour=canvas.SALIENT)
        _paint_side(axes, comparison, "after", sign=-1, colour=canvas.LOSES)
        axes.axhline(0, color=canvas.INK, linewidth=0.6)
        axes.set_xlim(0.2, len(comparison.pairs) + 0.8)
        axes.set_ylim(-1.15, 1.15)
        axes.set_yticks([-1, 0, 1], labels=["full", "0", "full"])
        axes.set_xlabel("sentence, paired")
        axes.text(0.01, 0.97, heads[0], transform=axes.transAxes, color=canvas.SALIENT, va="top")
        axes.text(0.01, 0.03, heads[1], transform=axes.transAxes, color=canvas.LOSES, va="bottom")
        rho = format_spearman(comparison)
        note = "" if rho is None else f"   Spearman’s ρ = {rho}"
        axes.set_title((heading if title is None else clean(title)) + note)
    return figure


def _paint_surprise(axes: Axes, surprise: Sequence[float | None]) -> None:
    places = np.array([k + 1 for k, each in enumerate(surprise) if each is not None])
    values = np.array([each for each in surprise if each is not None])
    axes.bar(places, values, color=canvas.PALE_LOSES, **_BAR)
    _draw_trend(axes, places, values)
    axes.set_ylabel("surprise\nnats per token")


def _paint(axes: Axes, profile: Profile, top: int) -> None:
    scores = np.asarray(profile.scores, dtype=np.float64)
    places = np.arange(1, len(scores) + 1)
    scale = scale_profile(profile)
    ranked = np.array([k not in profile.unranked for k in range(len(scores))])
    low, high = limit_bars(scores[ranked].tolist(), scale)
    best = [scored.index for scored in profile.top(top)]
    colours = np.where(ranked, canvas.PALE_SALIENT, canvas.UNRANKED).astype(object)
    colours[best] = canvas.SALIENT
    axes.bar(places, np.clip(scores, low, high), color=list(colours), **_BAR)
    _draw_trend(axes, places[ranked], np.clip(scores[ranked], low, high))
    axes.axhline(0, color=canvas.MUTED, linewidth=0.6)
    above, below = (np.flatnonzero(cut).tolist() for cut in (scores > high, scores < low))
    _draw_gaps(axes, above, high - 0.04 * (high - low))
    _draw_gaps(axes, below, low + 0.04 * (high - low))
    figures = {k: scale.format(float(scores[k])) for k in (*above, *below)}
    numbers = {k: f"{k + 1}: {figures[k]}" if k in above else f"{k + 1}" for k in best}
    highest_first = {k: figures[k] for k in sorted(above, key=lambda k: -scores[k])}
    _label_bars(axes, highest_first | numbers, np.clip(scores, 0, high), first=best)
    lowest_first = {k: figures[k] for k in sorted(below, key=lambda k: scores[k])}
    _label_bars(axes, lowest_first, np.clip(scores, low, 0), under=True)
    axes.set_xlim(0.2, len(scores) + 0.8)
    margin = 0.12 if below else 0.05
    axes.set_ylim(low - margin * (high - low) if low < 0 else None, high + 0.1 * (high - low))
    axes.set_xlabel(profile.unit)
    axes.set_ylabel(name_axis(profile))


def _paint_side(axes: Axes, comparison: Comparison, side: str, *, sign: int, colour: str) -> None:
    """Draw the bars of one side; heights are from 0 to 1, a little below 0 for negative scores."""
    scale = scale_profile(getattr(comparison, side))
    units = {place: getattr(pair, side) for place, pair in enumerate(comparison.pairs)}
    known = {place: unit for place, unit in units.items() if unit is not None}
    span = scale.high - scale.low or 1.0
    heights = np.zeros(len(units))
    for place, unit in known.items():
        heights[place] = sign * np.clip((unit.salience - scale.low) / span, -0.1, 1.0)
    colours = [canvas.UNRANKED if unit and unit.rank is None else colour for unit in units.values()]
    axes.bar(np.arange(1, len(units) + 1), heights, color=colours, **_BAR)
    half = (0.5, 1.0) if sign > 0 else (0.0, 0.5)
    for place in units.keys() - known.keys():
        axes.axvspan(place + 0.5, place + 1.5, *half, color=canvas.MISSING, linewidth=0)
    cut = {place: unit.salience for place, unit in known.items() if scale.cuts(unit.salience)}
    _draw_gaps(axes, cut, 0.95 * sign)
    labels = {place: scale.format(cut[place]) for place in sorted(cut, key=lambda place: -cut[place])}
    _label_bars(axes, labels, heights, under=sign < 0)


def _draw_trend(axes: Axes, places: FloatArray, values: FloatArray) -> None:
    """Draw a line through the values of a longer story, smoothed with a Gaussian of 1/45 of its length."""
    from scipy.ndimage import gaussian_filter1d

    if len(values) <= 8:
        return
    width = max(1.0, len(values) / 45)
    sums, weights = (
        gaussian_filter1d(each, width, mode="constant", radius=int(np.ceil(2.5 * width)))
        for each in (values, np.ones_like(values))
    )
    axes.plot(places, sums / weights, color=canvas.INK, linewidth=0.9, alpha=0.7)


def _draw_gaps(axes: Axes, places: Iterable[int], height: float) -> None:
    """Draw a gap at `height` into bars that are cut."""
    for k in places:
        axes.plot([k + 0.5, k + 1.5], [height] * 2, color=canvas.PAGE, linewidth=1.5)


def _label_bars(
    axes: Axes,
    labels: Mapping[int, str],
    ends: FloatArray,
    *,
    first: Sequence[int] = (),
    under: bool = False,
) -> None:
    """Label the ends of bars: those of `first`, then the others in their order.

    A label that would overlap an earlier one is left out. Labels stay inside the figure.
    """
    wide = {k for k, words in labels.items() if len(words) > 3}
    kept: list[int] = []
    for k in dict.fromkeys([*first, *labels]):
        near = [other for other in kept if abs(k - other) <= 0.1 * len(ends)]
        if any({k, other} <= wide or abs(k - other) <= 0.025 * len(ends) for other in near):
            continue
        kept.append(k)
        share = (k + 0.5) / len(ends)
        side = "center" if k not in wide or 0.06 < share < 0.94 else "left" if share < 0.5 else "right"
        offset, anchor = (-1.5, "top") if under else (1.5, "baseline")
        axes.annotate(
            labels[k],
            (k + 1, ends[k]),
            (0, offset),
            textcoords="offset points",
            ha=side,
            va=anchor,
            fontsize=6.5,
        )
