"""Drawing with matplotlib so that the same data give the same bytes, whatever the reader's settings."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from barthes.reproduction.page.drawings.drawing import Drawing
from barthes.reproduction.page.drawings.palette import FAINT, INK, MUTED
from barthes.reproduction.page.drawings.svg import embed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["WIDTH", "draw", "plain_axes"]

WIDTH = 9.0
"""Of every figure, in inches; the page scales it."""

_SETTINGS: dict[Any, Any] = {
    "axes.edgecolor": FAINT,
    "axes.labelcolor": MUTED,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.family": "DejaVu Sans",  # comes with matplotlib: the layout is the same on every machine
    "font.size": 8.0,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "text.color": INK,
    "text.parse_math": False,  # a dollar sign in the name of a tale is a dollar sign
    "xtick.color": MUTED,
    "ytick.color": FAINT,
    "ytick.labelcolor": INK,
}


def draw(
    paint: Callable[[Figure], None], *, key: str, height: float, title: str, description: str, caption: str
) -> Drawing:
    """A figure of this height (inches) that `paint` fills, as an SVG element."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    out = io.StringIO()
    with mpl.rc_context(), warnings.catch_warnings():
        # Writing that matplotlib's font lacks is laid out roughly and drawn with the reader's own fonts.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support .* natively")
        mpl.rcdefaults()
        mpl.rcParams.update({**_SETTINGS, "svg.hashsalt": key})
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        paint(figure)
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        figure.savefig(out, format="svg", transparent=True, metadata=nothing)
    return Drawing(key, caption, embed(out.getvalue(), key=key, title=title, description=description))


def plain_axes(axes: Axes, *, grid: str = "x") -> None:
    """Faint grid lines behind the marks, and no ticks on the axis of names."""
    axes.set_axisbelow(True)
    if grid == "x":
        axes.grid(axis="x", color=FAINT, linewidth=0.6)
        axes.tick_params(axis="y", length=0)
    else:
        axes.grid(color=FAINT, linewidth=0.6)
