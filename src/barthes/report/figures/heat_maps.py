"""Draw the scores of a profile as a strip of shades, and its influence matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from barthes.errors import NarrativeError
from barthes.report.escaping import clean
from barthes.report.figures.canvas import GAINS, LOSES, PAGE, SALIENT, WIDTH, new_figure, ramp
from barthes.report.scale import scale_profile
from barthes.report.wording import name_axis, name_story
from barthes.salience.profile import Profile

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_strip(
    profiles: Profile | Sequence[Profile],
    *,
    width: float = WIDTH,
    height: float | None = None,
    title: str | None = None,
) -> Figure:
    """Draw each profile as a band of cells, one per unit; sizes in centimetres."""
    shown = list(profiles) if isinstance(profiles, Sequence) else [profiles]
    several = len(shown) > 1
    names = [name_axis(profile) for profile in shown]
    alike = len(set(names)) == 1
    natural = 1.7 + 1.1 * len(shown) + (0 if alike else 0.5 * (len(shown) - 1))
    with new_figure(width=width, height=height or natural) as figure:
        grid = figure.subplots(len(shown), 1, squeeze=False)[:, 0]
        for axes, profile, name in zip(grid, shown, names, strict=True):
            scale = scale_profile(profile)
            image = axes.imshow(
                np.array(
                    [[np.nan if k in profile.unranked else score for k, score in enumerate(profile.scores)]]
                ),
                aspect="auto",
                cmap=ramp(PAGE, SALIENT),
                vmin=scale.low,
                vmax=scale.high if scale.high > scale.low else scale.low + 1,
                extent=(0.5, len(profile.scores) + 0.5, 0, 1),
                interpolation="nearest" if len(profile.scores) < 500 else "antialiased",
            )
            axes.set_yticks([])
            axes.spines[["top", "right"]].set_visible(True)
            heading = name_story(profile.narrative) if title is None else clean(title)
            axes.set_title(f"{heading} ({clean(profile.method)})" if several else heading)
            if not alike:  # each band has a unit of its own
                axes.set_xlabel(f"shade: {name}")
            bar = figure.colorbar(image, ax=axes, fraction=0.03, pad=0.01, aspect=6, extend="max")
            bar.outline.set_linewidth(0.4)
            bar.set_ticks([scale.low, scale.high], labels=[f"{scale.low:.3g}", f"{scale.high:.3g}"])
        grid[-1].set_xlabel(f"{shown[-1].unit}; shade: {names[-1]}")
    return figure


def draw_influence(
    profile: Profile, *, width: float = WIDTH, height: float | None = None, title: str | None = None
) -> Figure:
    """Draw which later sentence loses (blue) or gains (red) when one is removed; sizes in centimetres.

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
    with new_figure(width=width, height=height or (5.5 if band else 0.85 * width)) as figure:
        axes = figure.add_subplot()
        image = axes.imshow(
            values,
            cmap=ramp(GAINS, PAGE, LOSES),
            vmin=-most,
            vmax=most,
            aspect="auto" if band else "equal",
            origin="lower" if band else "upper",
            extent=(0.5, right, 0.5, reach + 0.5) if band else (0.5, right, right, 0.5),
            interpolation="nearest" if len(columns) < 500 else "antialiased",
        )
        axes.set_xlabel("removed sentence")
        axes.set_ylabel("sentences ahead" if band else "later sentence")
        axes.set_title(name_story(profile.narrative) if title is None else clean(title))
        bar = figure.colorbar(image, ax=axes, fraction=0.04, pad=0.02, extend="both")
        bar.set_label("loss (nats per token)")
        bar.outline.set_linewidth(0.4)
    return figure
