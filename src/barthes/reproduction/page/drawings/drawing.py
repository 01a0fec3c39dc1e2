"""A figure as it stands in the page."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Drawing"]


@dataclass(frozen=True, slots=True)
class Drawing:
    """An SVG element with a caption; its title and description are inside it, for those who cannot see it.

    Attributes:
        key: What the sections call it.
        caption: What it shows and how to read it.
        svg: The element, safe to stand in a page as it is.
    """

    key: str
    caption: str
    svg: str
