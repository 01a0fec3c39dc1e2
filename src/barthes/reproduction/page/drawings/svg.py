"""An SVG file of matplotlib as an element that stands inside a page."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from barthes.reproduction.page.drawings.palette import COLOURS

__all__ = ["embed"]

_COLOUR = re.compile("|".join(COLOURS.values()))
_VARIABLES = {colour: f"var(--{name}, {colour})" for name, colour in COLOURS.items()}


def embed(source: str, *, key: str, title: str, description: str) -> str:
    """The element with a title and a description, ids of its own, and colours that the page can change.

    Names and ids are kept apart from other figures by `key`; namespaces are left out, as a page needs none.
    """
    root = ElementTree.fromstring(source)
    for element in list(root.iter()):
        _localize(element, key)
    for child in list(root):
        if child.tag == "metadata":
            root.remove(child)
    for parent in root.iter("defs"):
        for style in parent.findall("style"):  # it would rule the whole page
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
    """Say once for all marks of a kind how they look, and place them to a hundredth of a point.

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
