"""MAP of each method with its interval, the paper's value as a second mark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barthes.reproduction.page.drawings.canvas import draw, plain_axes
from barthes.reproduction.page.drawings.drawing import Drawing
from barthes.reproduction.page.drawings.palette import INK, MUTED, OURS, PAPER
from barthes.reproduction.page.main_results import has_run
from barthes.reproduction.page.numerals import as_number, format_number
from barthes.reproduction.page.wording import name_row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_map_by_method"]


def draw_map_by_method(rows: list[dict[str, Any]]) -> Drawing | None:
    """One line a row of Table 2, in the order of the table; None without rows."""
    if not rows:
        return None
    run = [row for row in rows if has_run(row)]
    values = "; ".join(f"{name_row(row)} {format_number(row['ours'])}" for row in run) or "none"
    return draw(
        lambda figure: _paint(figure, rows),
        key="map-by-method",
        height=1.0 + 0.24 * len(rows),
        title="Mean average precision of each method",
        description=f"A dot with its interval for each method that was run, a diamond for the paper’s value. "
        f"Ours: {values}. The figures are in Table 2.",
        caption="Mean average precision of each method. Dots: ours, with the 95 % interval over tales. "
        "Diamonds: the paper. The dotted line is random (ours).",
    )


def _paint(figure: Figure, rows: list[dict[str, Any]]) -> None:
    axes = figure.add_subplot()
    _mark_ours(axes, rows)
    _mark_published(axes, rows)
    _mark_random(axes, rows)
    axes.set_yticks(
        range(len(rows)), [name_row(row) + ("" if has_run(row) else "  (not run)") for row in rows]
    )
    for label, row in zip(axes.get_yticklabels(), rows, strict=True):
        label.set_color(INK if has_run(row) else MUTED)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlabel("mean average precision")
    plain_axes(axes)
    axes.spines["left"].set_visible(False)
    figure.legend(loc="outside upper left", ncols=3)


def _mark_ours(axes: Axes, rows: list[dict[str, Any]]) -> None:
    run = [(row, place) for place, row in enumerate(rows) if has_run(row)]
    for row, place in run:
        if row["interval"]:
            axes.hlines(place, *row["interval"], color=OURS, linewidth=1.6)
    values, places = [row["ours"] for row, _ in run], [place for _, place in run]
    axes.plot(values, places, "o", color=OURS, markersize=4.5, zorder=4, label="ours")


def _mark_published(axes: Axes, rows: list[dict[str, Any]]) -> None:
    known = [
        (value, place) for place, row in enumerate(rows) if (value := as_number(row["paper"])) is not None
    ]
    values, places = [value for value, _ in known], [place for _, place in known]
    axes.plot(values, places, "D", color=PAPER, fillstyle="none", markersize=7, zorder=3, label="paper")


def _mark_random(axes: Axes, rows: list[dict[str, Any]]) -> None:
    for row in rows:
        if row["method"] == "random" and has_run(row):
            axes.axvline(row["ours"], color=MUTED, linewidth=1, linestyle=":", label="random (ours)")
