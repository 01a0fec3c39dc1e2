"""Salience along the story: a bar for each sentence and a smoothed line."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING

import numpy as np

from barthes.models.language_model import FloatArray
from barthes.report.escaping import clean
from barthes.report.figures.canvas import INK, MUTED, PAGE, SALIENT, WIDTH, mix, new_figure
from barthes.report.page.scale import scale_profile
from barthes.report.page.wording import name_title, name_unit
from barthes.report.tables import AnyProfile

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["annotate_bar", "apart", "draw_curve", "name_axis", "smooth"]


def draw_curve(
    profile: AnyProfile, *, top: int = 5, width: float = WIDTH, height: float = 5.5, title: str | None = None
) -> Figure:
    """The curve, with the `top` most salient in full colour and numbered; sizes in centimetres.

    Bars far above or below the others (the last sentences of a story, which few others follow) are cut, which
    a gap in them and the figure beside them show.
    """
    with new_figure(width=width, height=height) as figure:
        axes = figure.add_subplot()
        _paint(axes, profile, top)
        axes.set_title(name_title(profile.narrative.title) if title is None else clean(title))
    return figure


def _paint(axes: Axes, profile: AnyProfile, top: int) -> None:
    scores = np.asarray(profile.scores, dtype=np.float64)
    places = np.arange(1, len(scores) + 1)
    scale = scale_profile(profile)
    span = scale.high - scale.low or 1.0
    high = max(0.0, min(float(scores.max()), scale.high + 0.6 * span))
    low = max(min(float(scores.min()), 0.0, scale.low), scale.low - 0.3 * span)
    best = [scored.place for scored in profile.top(top)]
    colours = np.full(len(scores), mix(PAGE, SALIENT, 0.45), dtype=object)
    colours[best] = SALIENT
    axes.bar(places, np.clip(scores, low, high), width=0.72, color=list(colours), linewidth=0)
    if len(scores) > 8:
        axes.plot(places, smooth(np.clip(scores, low, high)), color=INK, linewidth=0.9, alpha=0.7)
    axes.axhline(0, color=MUTED, linewidth=0.6)
    above, below = (np.flatnonzero(cut).tolist() for cut in (scores > high, scores < low))
    for cut, edge in [*((k, high) for k in above), *((k, low) for k in below)]:
        axes.plot([cut + 0.5, cut + 1.5], [0.95 * edge] * 2, color=PAGE, linewidth=1.5)
    highest_first = sorted(set(above) - set(best), key=lambda k: -scores[k])
    for k in apart([*best, *highest_first], len(scores), wide=above):
        words = [str(k + 1)] * (k in best) + [scale.format(float(scores[k]))] * (k in above)
        annotate_bar(axes, k, min(float(scores[k]), high), ": ".join(words), len(scores))
    for k in apart(sorted(below, key=lambda k: scores[k]), len(scores), wide=below):
        annotate_bar(axes, k, low, scale.format(float(scores[k])), len(scores), under=True)
    axes.set_xlim(0.2, len(scores) + 0.8)
    axes.set_ylim(
        low - (0.12 if below else 0.05) * (high - low) if low < 0 else None, high + 0.1 * (high - low)
    )
    axes.set_xlabel(profile.unit)
    axes.set_ylabel(name_axis(profile))


def annotate_bar(axes: Axes, k: int, height: float, words: str, count: int, *, under: bool = False) -> None:
    """Words at the end of the k-th of `count` bars, which do not leave the figure at either side."""
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


def apart(places: Sequence[int], count: int, *, wide: Container[int] = ()) -> list[int]:
    """The places, best first, without those so near to a better one that their labels would collide.

    >>> apart([10, 11, 50], 100), apart([10, 15, 50], 100, wide={10, 15})
    ([10, 50], [10, 50])
    """
    kept: list[int] = []
    for place in places:
        if all(
            abs(place - other) > (0.1 if place in wide and other in wide else 0.025) * count for other in kept
        ):
            kept.append(place)
    return kept


def smooth(scores: Sequence[float] | FloatArray) -> FloatArray:
    """A Gaussian mean over the neighbours, so wide that a story has about thirty waves at most.

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


def name_axis(profile: AnyProfile) -> str:
    """What a salience axis is called."""
    unit = name_unit(profile)
    return f"salience ({unit})" if unit == "nats per token" else unit or f"salience ({clean(profile.method)})"
