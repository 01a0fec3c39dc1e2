"""Colours that people with any kind of colour vision can tell apart (Okabe and Ito), named by their use.

A figure is drawn in the light colours; in the page each becomes a CSS variable of the same name, so that
the page's dark colours take its place.
"""

from __future__ import annotations

__all__ = ["COLOURS", "FAINT", "INK", "MUTED", "OURS", "PAGE", "PAPER"]

INK = "#1b1b1b"
MUTED = "#5c5f66"
FAINT = "#d9dbe0"
OURS = "#0072b2"
PAPER = "#d55e00"
PAGE = "#ffffff"

COLOURS = {"ink": INK, "muted": MUTED, "faint": FAINT, "ours": OURS, "paper": PAPER, "page": PAGE}
"""The names of the CSS variables, with the colour each has in a light page."""
