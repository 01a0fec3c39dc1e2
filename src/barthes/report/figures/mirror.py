"""Two profiles, one above the line and one below it, sentence by sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from barthes.models.language_model import FloatArray
from barthes.report.comparison import Comparison
from barthes.report.escaping import clean
from barthes.report.figures.canvas import FAINT, INK, LOSES, PAGE, SALIENT, WIDTH, mix, new_figure
from barthes.report.figures.curve import annotate_bar, apart
from barthes.report.page.comparison_page import describe_comparison
from barthes.report.page.scale import Scale, scale_profile
from barthes.salience.profile import ScoredUnit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_comparison"]


def draw_comparison(
    comparison: Comparison, *, width: float = WIDTH, height: float = 7.0, title: str | None = None
) -> Figure:
    """Bars up for the first, down for the second, each scaled to its own range; sizes in centimetres.

    A column is a sentence; where one of the two does not have it, its place is left empty and marked. Bars
    past the full range are cut, which a gap in them and the figure beside them show.
    """
    document = describe_comparison(comparison)
    scales = scale_profile(comparison.before), scale_profile(comparison.after)
    before, after = (
        _heights([getattr(pair, side) for pair in comparison.pairs], scale)
        for side, scale in zip(("before", "after"), scales, strict=True)
    )
    places = np.arange(1, len(comparison.pairs) + 1)
    with new_figure(width=width, height=height) as figure:
        axes = figure.add_subplot()
        for heights, sign, colour in ((before, 1, SALIENT), (after, -1, LOSES)):
            low, high = (0.5, 1.0) if sign > 0 else (0.0, 0.5)
            for place in places[np.isnan(heights)]:
                colour_of_none = mix(PAGE, FAINT, 0.6)
                axes.axvspan(place - 0.5, place + 0.5, ymin=low, ymax=high, color=colour_of_none, linewidth=0)
            axes.bar(places, sign * np.nan_to_num(heights), width=0.72, color=colour, linewidth=0)
        for side, scale, sign in (("before", scales[0], 1), ("after", scales[1], -1)):
            _mark_cut(axes, [getattr(pair, side) for pair in comparison.pairs], scale, sign)
        axes.axhline(0, color=INK, linewidth=0.6)
        axes.set_xlim(0.2, len(places) + 0.8)
        axes.set_ylim(-1.15, 1.15)
        axes.set_yticks([-1, 0, 1], labels=["full", "0", "full"])
        axes.set_xlabel("sentence, paired")
        axes.text(0.01, 0.97, document["heads"][0], transform=axes.transAxes, color=SALIENT, va="top")
        axes.text(0.01, 0.03, document["heads"][1], transform=axes.transAxes, color=LOSES, va="bottom")
        rho = document["spearman"]
        told = "" if rho is None else f"   Spearman’s ρ = {rho}"
        axes.set_title((document["title"] if title is None else clean(title)) + told)
    return figure


def _mark_cut(axes: Axes, side: list[ScoredUnit | None], scale: Scale, sign: int) -> None:
    found = {
        k: each.salience for k, each in enumerate(side) if each is not None and scale.cuts(each.salience)
    }
    for k in found:
        axes.plot([k + 0.5, k + 1.5], [sign * 0.95] * 2, color=PAGE, linewidth=1.5)
    for k in apart(sorted(found, key=lambda k: -found[k]), len(side), wide=found):
        annotate_bar(axes, k, sign, scale.format(found[k]), len(side), under=sign < 0)


def _heights(side: list[ScoredUnit | None], scale: Scale) -> FloatArray:
    """From 0 to 1, a little below 0 for negative scores; NaN where there is no sentence."""
    span = scale.high - scale.low or 1.0
    heights = [np.nan if each is None else (each.salience - scale.low) / span for each in side]
    return np.clip(np.array(heights, dtype=np.float64), -0.1, 1.0)
