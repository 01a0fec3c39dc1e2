"""Average precision of each tale: one panel a method, every tale beside what random reaches on it."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

from barthes.reproduction.page.drawings.canvas import draw, plain_axes
from barthes.reproduction.page.drawings.drawing import Drawing
from barthes.reproduction.page.drawings.palette import MUTED, OURS, PAPER
from barthes.reproduction.page.main_results import story_names
from barthes.reproduction.page.numerals import as_number
from barthes.reproduction.page.wording import name_row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_precision_by_tale"]

_FEW = 9  # so many panels stand three in a line, more of them six: the figure then fits a printed page
_NAME = 28
_TITLE = 16


def draw_precision_by_tale(rows: list[dict[str, Any]]) -> Drawing | None:
    """Small multiples of the methods that were run; None where no tale has a figure."""
    run = [row for row in rows if row["per_story"] and row["method"] != "random"]
    if not run:
        return None
    chance = next((row["per_story"] or {} for row in rows if row["method"] == "random"), {})
    names = story_names(run)
    lines = math.ceil(len(run) / _panels_in_line(run))
    counts = "; ".join(f"{name_row(row)} {_count_better(_pair(row, chance, names))}" for row in run)
    return draw(
        lambda figure: _paint(figure, run, chance, names),
        key="precision-by-tale",
        height=0.9 + lines * (0.7 + 0.15 * len(names)),
        title="Average precision of each tale, one panel a method",
        description="In each panel one line a tale: a circle where the method is better than random on that "
        f"tale, a square where it is not. Tales above random: {counts}. The figures are in the table of "
        "average precision by tale.",
        caption="Average precision of each tale. Circles: better than random on that tale; squares: not "
        "better; the small upright stroke is random on the same tale.",
    )


def _panels_in_line(run: list[dict[str, Any]]) -> int:
    return 3 if len(run) <= _FEW else 6


def _pair(row: dict[str, Any], chance: dict[str, Any], names: list[str]) -> list[tuple[int, float, float]]:
    """Line, average precision and random's, for the tales that have both: no mark without its reference."""
    pairs = ((as_number(row["per_story"].get(name)), as_number(chance.get(name))) for name in names)
    return [
        (place, value, base)
        for place, (value, base) in enumerate(pairs)
        if value is not None and base is not None
    ]


def _count_better(pairs: list[tuple[int, float, float]]) -> str:
    return f"{sum(value > base for _, value, base in pairs)} of {len(pairs)}"


def _paint(figure: Figure, run: list[dict[str, Any]], chance: dict[str, Any], names: list[str]) -> None:
    across = _panels_in_line(run)
    grid = figure.subplots(math.ceil(len(run) / across), across, sharex=True, sharey=True, squeeze=False)
    panels = list(grid.flat)
    for axes, row in zip(panels, run, strict=False):
        _paint_panel(axes, row, chance, names)
    for axes in panels[len(run) :]:
        axes.remove()
    for axes in panels[max(len(run) - across, 0) : len(run)]:
        axes.set_xlabel("average precision")
    panels[0].set_yticks(range(len(names)), [_shorten(name) for name in names])
    panels[0].set_ylim(len(names) - 0.4, -0.6)
    panels[0].set_xlim(left=-0.02)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper left", ncols=3)


def _paint_panel(axes: Axes, row: dict[str, Any], chance: dict[str, Any], names: list[str]) -> None:
    axes.set_title(textwrap.fill(name_row(row), _TITLE), loc="left", fontsize=8.0)
    pairs = _pair(row, chance, names)
    for place, value, base in pairs:
        axes.hlines(place, base, value, color=MUTED, linewidth=0.8)
    _mark(axes, [(base, place) for place, _, base in pairs], "|", MUTED, "random")
    better = [(value, place) for place, value, base in pairs if value > base]
    _mark(axes, better, "o", OURS, "better than random")
    _mark(axes, [(value, place) for place, value, base in pairs if value <= base], "s", PAPER, "not better")
    plain_axes(axes)
    axes.tick_params(axis="x", labelbottom=True)
    axes.spines["left"].set_visible(False)


def _mark(axes: Axes, points: list[tuple[float, int]], marker: str, colour: str, label: str) -> None:
    values, places = [value for value, _ in points], [place for _, place in points]
    axes.plot(values, places, marker, color=colour, markersize=4, label=label)


def _shorten(name: str) -> str:
    return name if len(name) <= _NAME else name[: _NAME - 1].rstrip() + "…"
