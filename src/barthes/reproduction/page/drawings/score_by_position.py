"""The score of every sentence against its position; salient sentences have a shape of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barthes.reproduction.page.drawings.canvas import draw, plain_axes
from barthes.reproduction.page.drawings.drawing import Drawing
from barthes.reproduction.page.drawings.palette import MUTED, PAGE, PAPER
from barthes.reproduction.page.positions import PlacedScore, place_scores
from barthes.reproduction.page.wording import name_method

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_score_by_position"]


def draw_score_by_position(scores: dict[str, Any]) -> Drawing | None:
    """One panel a method; None without scores."""
    placed = place_scores(scores)
    if not placed:
        return None
    names = ", ".join(map(name_method, placed))
    return draw(
        lambda figure: _paint(figure, placed),
        key="score-by-position",
        height=3.7,
        title="Score of each sentence against its position in the tale",
        description=f"One panel for each of {names}; across, the relative position of a sentence, "
        "upwards, its score scaled to between 0 and 1 within the tale. The means by fifths of the tale are "
        "in the table of this section.",
        caption="Score of each sentence, scaled within its tale, against its position. "
        "Triangles: sentences with a salient event; small circles: all others.",
    )


def _paint(figure: Figure, placed: dict[str, list[PlacedScore]]) -> None:
    grid = figure.subplots(1, len(placed), sharex=True, sharey=True, squeeze=False)
    for axes, (method, points) in zip(grid.flat, placed.items(), strict=True):
        _scatter(axes, points, salient=False)
        _scatter(axes, points, salient=True)
        axes.set_title(name_method(method), loc="left", fontsize=8.5)
        axes.set_xlabel("position in the tale (0 first, 1 last)")
        plain_axes(axes, grid="both")
    grid.flat[0].set_ylabel("score, scaled within the tale")
    handles, labels = grid.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper left", ncols=2)


def _scatter(axes: Axes, points: list[PlacedScore], *, salient: bool) -> None:
    chosen = [point for point in points if point.salient is salient]
    axes.plot(
        [point.position for point in chosen],
        [point.score for point in chosen],
        "^" if salient else "o",
        color=PAPER if salient else MUTED,
        alpha=1.0 if salient else 0.55,
        markersize=5.0 if salient else 2.8,
        markeredgecolor=PAGE if salient else "none",
        markeredgewidth=0.4 if salient else 0.0,
        label="salient" if salient else "others",
    )
