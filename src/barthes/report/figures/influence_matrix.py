"""The influence matrix as a heat map: which later sentence loses how much when one is removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from barthes.errors import NarrativeError
from barthes.models.language_model import FloatArray
from barthes.report.escaping import clean
from barthes.report.figures.canvas import GAINS, LOSES, PAGE, WIDTH, new_figure, ramp
from barthes.report.page.wording import name_title
from barthes.salience.influence import Influence
from barthes.salience.profile import Profile

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_influence"]


def draw_influence(
    profile: Profile, *, width: float = WIDTH, height: float | None = None, title: str | None = None
) -> Figure:
    """Blue where the later sentence loses, red where it gains; sizes in centimetres.

    A story read whole is a triangle. Of one read in windows only a band is known: there the rows count how
    many sentences ahead the later one is.

    Raises:
        NarrativeError: The method does not tell what depends on what.
    """
    if profile.influences is None or not any(len(column) for column in profile.influences.columns):
        raise NarrativeError(
            f"the method {profile.method!r} does not tell which sentence depends on which.",
            where=profile.narrative.title or None,
            remedy="Score with sd, va or paa; of a JSON file, with --influence.",
        )
    columns = profile.influences.columns
    reach = max(map(len, columns))
    band = reach < len(columns) / 3
    values = _ahead(profile.influences, reach) if band else profile.influences.to_array()
    known = np.abs(values[~np.isnan(values)])
    most = float(np.quantile(known, 0.98)) or 1.0
    with new_figure(width=width, height=height or (5.5 if band else 0.85 * width)) as figure:
        axes = figure.add_subplot()
        image = axes.imshow(
            values,
            cmap=ramp(GAINS, PAGE, LOSES),
            vmin=-most,
            vmax=most,
            aspect="auto" if band else "equal",
            origin="lower" if band else "upper",
            extent=(0.5, len(columns) + 0.5, 0.5, reach + 0.5)
            if band
            else (0.5, len(columns) + 0.5, len(columns) + 0.5, 0.5),
            interpolation="nearest" if len(columns) < 500 else "antialiased",
        )
        axes.set_xlabel("removed sentence")
        axes.set_ylabel("sentences ahead" if band else "later sentence")
        axes.set_title(name_title(profile.narrative.title) if title is None else clean(title))
        bar = figure.colorbar(image, ax=axes, fraction=0.04, pad=0.02, extend="both")
        bar.set_label("loss (nats per token)")
        bar.outline.set_linewidth(0.4)
    return figure


def _ahead(influence: Influence, reach: int) -> FloatArray:
    """Shape (reach, n): what the sentence so many ahead loses; NaN where nothing is known."""
    values = np.full((reach, len(influence.columns)), np.nan)
    for j, column in enumerate(influence.columns):
        values[: len(column), j] = column
    return values
