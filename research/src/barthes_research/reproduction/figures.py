"""Draw the figures of the page: MAP by method, average precision by tale, and scores by position.

They are matplotlib figures as SVG elements; their colours are CSS variables of the page.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from barthes.report.figures.canvas import PER_INCH, new_figure, render_figure
from barthes.report.numerals import as_number, format_number
from barthes_research.reproduction.document import name_method, name_row
from barthes_research.reproduction.main_results_page import PlacedScore, has_run, list_tales, place_scores

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_FEW = 9  # up to nine panels are three in a row, more are six, so that the figure fits a printed page
_NAME = 28  # characters of a tale's name
_TITLE = 16  # characters of a line of a panel's title


# The light colours of the page: Okabe and Ito's, which are safe for all kinds of colour vision.
INK = "#1b1b1b"
MUTED = "#5c5f66"
FAINT = "#d9dbe0"
OURS = "#0072b2"
PAPER = "#d55e00"
PAGE = "#ffffff"

_WIDTH = 9.0  # inches; the page scales it
_COLOURS = {"ink": INK, "muted": MUTED, "faint": FAINT, "ours": OURS, "paper": PAPER, "page": PAGE}
_COLOUR = re.compile("|".join(_COLOURS.values()))
_VARIABLES = {colour: f"var(--{name}, {colour})" for name, colour in _COLOURS.items()}  # of the page's CSS
_SETTINGS: dict[str, Any] = {
    "axes.edgecolor": FAINT,
    "axes.labelcolor": MUTED,
    "axes.linewidth": 0.8,
    "text.color": INK,
    "xtick.color": MUTED,
    "xtick.labelcolor": "inherit",
    "xtick.major.width": 0.8,
    "ytick.color": FAINT,
    "ytick.labelcolor": INK,
    "ytick.major.width": 0.8,
}


@dataclass(frozen=True, slots=True)
class Drawing:
    """An SVG element, safe to insert into a page, with its name in the sections and its caption."""

    key: str
    caption: str
    svg: str


def draw_all(plain: dict[str, Any]) -> tuple[Drawing, ...]:
    """Return the drawings that there are data for; needs matplotlib."""
    rows = (plain.get("table2") or {}).get("rows") or []
    drawn = (
        draw_map_by_method(rows),
        draw_precision_by_tale(rows),
        draw_score_by_position(plain.get("scores") or {}),
    )
    return tuple(drawing for drawing in drawn if drawing is not None)


def draw_map_by_method(rows: list[dict[str, Any]]) -> Drawing | None:
    """Draw one line per row of Table 2, in its order; None without rows."""
    if not rows:
        return None
    run = [row for row in rows if has_run(row)]
    values = "; ".join(f"{name_row(row)} {format_number(row['ours'])}" for row in run) or "none"
    return _draw(
        lambda figure: _paint_maps(figure, rows),
        key="map-by-method",
        height=1.0 + 0.24 * len(rows),
        title="Mean average precision of each method",
        description=f"A dot with its interval for each method that was run, a diamond for the paper’s value. "
        f"Ours: {values}. The figures are in Table 2.",
        caption="Mean average precision of each method. Dots: ours, with the 95 % interval over tales. "
        "Diamonds: the paper. The dotted line is random (ours).",
    )


def _paint_maps(figure: Figure, rows: list[dict[str, Any]]) -> None:
    axes = figure.add_subplot()
    run = [(row, place) for place, row in enumerate(rows) if has_run(row)]
    for row, place in run:
        if row["interval"]:
            axes.hlines(place, *row["interval"], color=OURS, linewidth=1.6)
    ours = [(row["ours"], place) for row, place in run]
    _plot(axes, ours, "o", OURS, "ours", markersize=4.5, zorder=4)
    papers = [
        (value, place) for place, row in enumerate(rows) if (value := as_number(row["paper"])) is not None
    ]
    _plot(axes, papers, "D", PAPER, "paper", fillstyle="none", markersize=7, zorder=3)
    for row, _ in run:
        if row["method"] == "random":
            axes.axvline(row["ours"], color=MUTED, linewidth=1, linestyle=":", label="random (ours)")
    axes.set_yticks(
        range(len(rows)), [name_row(row) + ("" if has_run(row) else "  (not run)") for row in rows]
    )
    for label, row in zip(axes.get_yticklabels(), rows, strict=True):
        label.set_color(INK if has_run(row) else MUTED)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlabel("mean average precision")
    _format_axes(axes)
    axes.spines["left"].set_visible(False)
    figure.legend(loc="outside upper left", ncols=3)


def draw_precision_by_tale(rows: list[dict[str, Any]]) -> Drawing | None:
    """Draw a panel per method that was run; None if no tale has a figure."""
    run = [row for row in rows if row["per_story"] and row["method"] != "random"]
    if not run:
        return None
    chance = next((row["per_story"] or {} for row in rows if row["method"] == "random"), {})
    names = list_tales(run)
    lines = math.ceil(len(run) / _panels_in_line(run))
    counts = "; ".join(f"{name_row(row)} {_count_better(_pair(row, chance, names))}" for row in run)
    return _draw(
        lambda figure: _paint_tales(figure, run, chance, names),
        key="precision-by-tale",
        height=0.9 + lines * (0.7 + 0.15 * len(names)),
        title="Average precision of each tale, one panel per method",
        description="Each panel has a line per tale: a circle where the method is better than random on that "
        f"tale, a square where it is not. Tales above random: {counts}. The figures are in the table of "
        "average precision by tale.",
        caption="Average precision of each tale. Circles: better than random on that tale; squares: not "
        "better; vertical strokes: random on the same tale.",
    )


def _panels_in_line(run: list[dict[str, Any]]) -> int:
    return 3 if len(run) <= _FEW else 6


def _pair(row: dict[str, Any], chance: dict[str, Any], names: list[str]) -> list[tuple[int, float, float]]:
    """Return line, average precision and random's, for the tales that have both."""
    pairs = ((as_number(row["per_story"].get(name)), as_number(chance.get(name))) for name in names)
    return [
        (place, value, base)
        for place, (value, base) in enumerate(pairs)
        if value is not None and base is not None
    ]


def _count_better(pairs: list[tuple[int, float, float]]) -> str:
    return f"{sum(value > base for _, value, base in pairs)} of {len(pairs)}"


def _paint_tales(figure: Figure, run: list[dict[str, Any]], chance: dict[str, Any], names: list[str]) -> None:
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
    _plot(axes, [(base, place) for place, _, base in pairs], "|", MUTED, "random")
    better = [(value, place) for place, value, base in pairs if value > base]
    _plot(axes, better, "o", OURS, "better than random")
    _plot(axes, [(value, place) for place, value, base in pairs if value <= base], "s", PAPER, "not better")
    _format_axes(axes)
    axes.tick_params(axis="x", labelbottom=True)
    axes.spines["left"].set_visible(False)


def _plot(
    axes: Axes, points: list[tuple[float, int]], marker: str, colour: str, label: str, **options: Any
) -> None:
    values, places = [value for value, _ in points], [place for _, place in points]
    axes.plot(values, places, marker, color=colour, label=label, **{"markersize": 4, **options})


def _shorten(name: str) -> str:
    return name if len(name) <= _NAME else name[: _NAME - 1].rstrip() + "…"


def draw_score_by_position(scores: dict[str, Any]) -> Drawing | None:
    """Draw a panel per method; None without scores."""
    placed = place_scores(scores)
    if not placed:
        return None
    names = ", ".join(map(name_method, placed))
    return _draw(
        lambda figure: _paint_positions(figure, placed),
        key="score-by-position",
        height=3.7,
        title="Score of each sentence against its position in the tale",
        description=f"One panel for each of {names}; across, the relative position of a sentence, "
        "upwards, its score scaled to between 0 and 1 within the tale. The means by fifths of the tale are "
        "in the table of this section.",
        caption="Score of each sentence, scaled within its tale, against its position. "
        "Triangles: sentences with a salient event; small circles: all others.",
    )


def _paint_positions(figure: Figure, placed: dict[str, list[PlacedScore]]) -> None:
    grid = figure.subplots(1, len(placed), sharex=True, sharey=True, squeeze=False)
    for axes, (method, points) in zip(grid.flat, placed.items(), strict=True):
        _scatter(axes, points, salient=False)
        _scatter(axes, points, salient=True)
        axes.set_title(name_method(method), loc="left", fontsize=8.5)
        axes.set_xlabel("position in the tale (0 first, 1 last)")
        _format_axes(axes, grid="both")
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


def _draw(
    paint: Callable[[Figure], None], *, key: str, height: float, title: str, description: str, caption: str
) -> Drawing:
    """Return a drawing of this height (inches) that `paint` fills."""
    size = {"width": _WIDTH * PER_INCH, "height": height * PER_INCH}
    with new_figure(**size, settings={**_SETTINGS, "svg.hashsalt": key}) as figure:
        paint(figure)
        source = render_figure(figure, "svg", transparent=True).decode()
    return Drawing(key, caption, _embed(source, key=key, title=title, description=description))


def _format_axes(axes: Axes, *, grid: str = "x") -> None:
    """Draw faint grid lines behind the marks, and no ticks on an axis of names."""
    axes.set_axisbelow(True)
    if grid == "x":
        axes.grid(axis="x", color=FAINT, linewidth=0.6)
        axes.tick_params(axis="y", length=0)
    else:
        axes.grid(color=FAINT, linewidth=0.6)


def _embed(source: str, *, key: str, title: str, description: str) -> str:
    """Return matplotlib's SVG as an element with a title, unique ids, and CSS variables as colours.

    Ids get the prefix `key`; namespaces are left out, as a page needs none.
    """
    root = ElementTree.fromstring(source)
    for element in list(root.iter()):
        _localize(element, key)
    for child in list(root):
        if child.tag == "metadata":
            root.remove(child)
    for parent in root.iter("defs"):
        for style in parent.findall("style"):  # it would apply to the whole page
            parent.remove(style)
    box = root.get("viewBox", "")
    root.attrib.clear()
    root.attrib.update({"viewBox": box, "role": "img", "aria-labelledby": f"{key}-title {key}-description"})
    for place, (tag, name, text) in enumerate(
        (("title", "title", title), ("desc", "description", description))
    ):
        label = ElementTree.Element(tag, {"id": f"{key}-{name}"})
        label.text = text
        root.insert(place, label)
    for group in root.iter("g"):
        _share_style(group)
    for element in root.iter():
        element.tail = None
        if element.text is not None and not element.text.strip():
            element.text = None
    return ElementTree.tostring(root, encoding="unicode")


def _localize(element: ElementTree.Element, key: str) -> None:
    element.tag = element.tag.rpartition("}")[2]
    for name in list(element.attrib):
        value = element.attrib.pop(name)
        local = name.rpartition("}")[2]
        if local == "id":
            value = f"{key}-{value}"
        elif local == "href":
            value = value.replace("#", f"#{key}-", 1)
        elif local == "clip-path":
            value = value.replace("url(#", f"url(#{key}-", 1)
        elif local in ("style", "fill", "stroke"):
            value = _COLOUR.sub(lambda found: _VARIABLES[found[0]], value)
        element.set(local, value)


def _share_style(group: ElementTree.Element) -> None:
    """Give the style of equal marks once, and round their positions to a hundredth of a point.

    A corpus has thousands of marks; this makes the page a third as long.
    """
    marks = group.findall("use")
    styles = {mark.get("style", "") for mark in marks}
    if len(styles) == 1 and len(marks) == len([child for child in group if child.tag != "defs"]):
        group.set("style", styles.pop())
        for mark in marks:
            mark.attrib.pop("style", None)
    for mark in marks:
        for axis in ("x", "y"):
            mark.set(axis, f"{float(mark.get(axis, '0')):.2f}")
