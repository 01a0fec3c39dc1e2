"""Drawings for the page: matplotlib figures as SVG elements whose colours follow the page."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from barthes.report.figures.canvas import new_figure, render_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "INK", "MUTED", "OURS", "PAGE", "PAPER", "Drawing", "draw", "embed", "format_axes"]

# The light colours of the page; Okabe and Ito's, which people with any colour vision can tell apart.
INK = "#1b1b1b"
MUTED = "#5c5f66"
FAINT = "#d9dbe0"
OURS = "#0072b2"
PAPER = "#d55e00"
PAGE = "#ffffff"

COLOURS = {"ink": INK, "muted": MUTED, "faint": FAINT, "ours": OURS, "paper": PAPER, "page": PAGE}
"""The names of the page's CSS variables, with the colour each has in light mode."""

_WIDTH = 9.0  # inches; the page scales it
_CENTIMETRES = 2.54
_COLOUR = re.compile("|".join(COLOURS.values()))
_VARIABLES = {colour: f"var(--{name}, {colour})" for name, colour in COLOURS.items()}
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
    """An SVG element with a caption; it has a title and a description for those who cannot see it.

    Attributes:
        key: Its name in the sections.
        caption: What it shows and how to read it.
        svg: The element, safe to insert into a page.
    """

    key: str
    caption: str
    svg: str


def draw(
    paint: Callable[[Figure], None], *, key: str, height: float, title: str, description: str, caption: str
) -> Drawing:
    """Return a drawing of this height (inches) that `paint` fills."""
    size = {"width": _WIDTH * _CENTIMETRES, "height": height * _CENTIMETRES}
    with new_figure(**size, settings={**_SETTINGS, "svg.hashsalt": key}) as figure:
        paint(figure)
        source = render_figure(figure, "svg", transparent=True).decode()
    return Drawing(key, caption, embed(source, key=key, title=title, description=description))


def format_axes(axes: Axes, *, grid: str = "x") -> None:
    """Draw faint grid lines behind the marks, and no ticks on an axis of names."""
    axes.set_axisbelow(True)
    if grid == "x":
        axes.grid(axis="x", color=FAINT, linewidth=0.6)
        axes.tick_params(axis="y", length=0)
    else:
        axes.grid(color=FAINT, linewidth=0.6)


def embed(source: str, *, key: str, title: str, description: str) -> str:
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
    _describe(root, key=key, title=title, description=description)
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


def _describe(root: ElementTree.Element, *, key: str, title: str, description: str) -> None:
    for place, (tag, text) in enumerate((("title", title), ("desc", description))):
        element = ElementTree.Element(tag, {"id": f"{key}-{'title' if tag == 'title' else 'description'}"})
        element.text = text
        root.insert(place, element)
