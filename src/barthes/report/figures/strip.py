"""A heat strip: the story as one band, a cell for each sentence; several stand one below another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from barthes.report.escaping import clean
from barthes.report.figures.canvas import PAGE, SALIENT, WIDTH, new_figure, ramp
from barthes.report.figures.curve import name_axis
from barthes.report.page.scale import scale_profile
from barthes.report.page.wording import name_title
from barthes.report.tables import AnyProfile

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_strip"]


def draw_strip(
    profiles: AnyProfile | Sequence[AnyProfile],
    *,
    width: float = WIDTH,
    height: float | None = None,
    title: str | None = None,
) -> Figure:
    """One band a profile, each from its own first to its last sentence; sizes in centimetres."""
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
                np.array([profile.scores]),
                aspect="auto",
                cmap=ramp(PAGE, SALIENT),
                vmin=scale.low,
                vmax=scale.high if scale.high > scale.low else scale.low + 1,
                extent=(0.5, len(profile.scores) + 0.5, 0, 1),
                interpolation="nearest" if len(profile.scores) < 500 else "antialiased",
            )
            axes.set_yticks([])
            axes.spines[["top", "right"]].set_visible(True)
            heading = name_title(profile.narrative.title) if title is None else clean(title)
            axes.set_title(f"{heading} ({clean(profile.method)})" if several else heading)
            if not alike:  # each band has a unit of its own
                axes.set_xlabel(f"shade: {name}")
            bar = figure.colorbar(image, ax=axes, fraction=0.03, pad=0.01, aspect=6, extend="max")
            bar.outline.set_linewidth(0.4)
            bar.set_ticks([scale.low, scale.high], labels=[f"{scale.low:.3g}", f"{scale.high:.3g}"])
        grid[-1].set_xlabel(f"{shown[-1].unit}; shade: {names[-1]}")
    return figure
