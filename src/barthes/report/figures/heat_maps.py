"""Draw the scores of a profile as a strip of shades, and its influence matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from barthes.errors import NarrativeError
from barthes.models.language_model import FloatArray
from barthes.report.escaping import clean
from barthes.report.figures.canvas import GAINS, LOSES, PAGE, SALIENT, WIDTH, new_figure, ramp
from barthes.report.scale import scale_profile
from barthes.report.wording import name_axis, name_story
from barthes.salience.profile import Profile

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage


def draw_strip(
    profiles: Profile | Sequence[Profile], *, width: float = WIDTH, title: str | None = None
) -> Figure:
    """Draw each profile as a band of cells, one per unit; the width in centimetres."""
    shown = list(profiles) if isinstance(profiles, Sequence) else [profiles]
    names = [name_axis(profile) for profile in shown]
    alike = len(set(names)) == 1
    height = 1.7 + 1.1 * len(shown) + (0 if alike else 0.5 * (len(shown) - 1))
    with new_figure(width=width, height=height) as figure:
        grid = figure.subplots(len(shown), 1, squeeze=False)[:, 0]
        for axes, profile, name in zip(grid, shown, names, strict=True):
            _paint_strip(axes, profile)
            heading = name_story(profile.narrative) if title is None else clean(title)
            axes.set_title(f"{heading} ({clean(profile.method)})" if len(shown) > 1 else heading)
            if not alike:  # each band has a unit of its own
                axes.set_xlabel(f"shade: {name}")
        grid[-1].set_xlabel(f"{shown[-1].unit}; shade: {names[-1]}")
    return figure


def _paint_strip(axes: Axes, profile: Profile) -> None:
    scale = scale_profile(profile)
    scores = [np.nan if k in profile.unranked else score for k, score in enumerate(profile.scores)]
    extent = (0.5, len(scores) + 0.5, 0, 1)
    high = scale.high if scale.high > scale.low else scale.low + 1
    image = _paint(axes, np.array([scores]), (PAGE, SALIENT), scale.low, high, aspect="auto", extent=extent)
    axes.set_yticks([])
    axes.spines[["top", "right"]].set_visible(True)
    bar = axes.figure.colorbar(image, ax=axes, fraction=0.03, pad=0.01, aspect=6, extend="max")
    bar.outline.set_linewidth(0.4)
    bar.set_ticks([scale.low, scale.high], labels=[f"{scale.low:.3g}", f"{scale.high:.3g}"])


def _paint(
    axes: Axes, values: FloatArray, colours: tuple[str, ...], low: float, high: float, **options: Any
) -> AxesImage:
    """Paint values as cells: those at `low` in the first of the colours, those at `high` in the last."""
    smoothing = "nearest" if values.shape[1] < 500 else "antialiased"
    return axes.imshow(values, cmap=ramp(*colours), vmin=low, vmax=high, interpolation=smoothing, **options)


def draw_influence(profile: Profile, *, width: float = WIDTH, title: str | None = None) -> Figure:
    """Draw which later sentence loses (blue) or gains (red) when one is removed; the width in centimetres.

    A story that was read at once gives a triangle. For one read in windows only a band is known; its rows are
    distances in sentences.

    Raises:
        NarrativeError: The profile has no influence matrix.
    """
    if len(profile.narrative) == 1:
        raise NarrativeError(
            "a story of a single sentence has no influence matrix: no sentence follows.",
            where=profile.narrative.title or None,
        )
    if profile.influences is None or not any(len(column) for column in profile.influences.columns):
        raise NarrativeError(
            f"the method {profile.method!r} does not compute which sentence depends on which.",
            where=profile.narrative.title or None,
            remedy="Score with sd, va or paa; a JSON file must hold the influence matrix.",
        )
    columns = profile.influences.columns
    reach = max(map(len, columns))
    band = reach < len(columns) / 3
    values = profile.influences.to_array()
    if band:  # row i: what the sentence i + 1 ahead loses
        values = np.full((reach, len(columns)), np.nan)
        for j, column in enumerate(columns):
            values[: len(column), j] = column
    known = np.abs(values[~np.isnan(values)])
    most = float(np.quantile(known, 0.98)) or 1.0
    right = len(columns) + 0.5
    placed: dict[str, Any] = {"aspect": "equal", "origin": "upper", "extent": (0.5, right, right, 0.5)}
    if band:
        placed = {"aspect": "auto", "origin": "lower", "extent": (0.5, right, 0.5, reach + 0.5)}
    with new_figure(width=width, height=5.5 if band else 0.85 * width) as figure:
        axes = figure.add_subplot()
        image = _paint(axes, values, (GAINS, PAGE, LOSES), -most, most, **placed)
        axes.set_xlabel("removed sentence")
        axes.set_ylabel("sentences ahead" if band else "later sentence")
        axes.set_title(name_story(profile.narrative) if title is None else clean(title))
        bar = figure.colorbar(image, ax=axes, fraction=0.04, pad=0.02, extend="both")
        bar.set_label("loss (nats per token)")
        bar.outline.set_linewidth(0.4)
    return figure
