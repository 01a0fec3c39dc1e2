"""The loss curve as a picture: the blocks of each step, and the held-out stories before, now and then."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

__all__ = ["CURVE", "draw_curve"]

CURVE = "loss.png"
"""The name of the picture; beside it is one in SVG."""

Points = Sequence[Sequence[float]]
"""Pairs of a step and a loss, nats a token."""


def draw_curve(losses: Points, held_out: Points, folder: Path) -> str | None:
    """Write ``loss.png`` and ``loss.svg``; without matplotlib give a note that says how to install it.

    Args:
        losses: Of each step on its own blocks, which differ in how hard they are.
        held_out: Of the held-out stories; at step 0 by the base.
        folder: Where to write.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return "No loss curve was drawn: that takes matplotlib (pip install 'barthes[figures]')."
    with rc_context({"svg.hashsalt": "barthes", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7, 4), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        axes.plot(
            *zip(*losses, strict=True),
            color="#888888",
            linewidth=1,
            label="the blocks of each step, in training",
        )
        if held_out:
            axes.plot(
                *zip(*held_out, strict=True),
                color="#b03030",
                marker="o",
                label="stories held out (0: before)",
            )
        axes.set(xlabel="step", ylabel="loss (nats a token)")
        axes.locator_params(axis="x", integer=True)
        axes.legend(frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
        figure.savefig(folder / CURVE, dpi=150, metadata={"Software": None})
        figure.savefig(folder / "loss.svg", metadata={"Date": None, "Creator": None})
    return None
