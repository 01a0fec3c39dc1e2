"""Colours that mean different things differ for every kind of colour vision."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

import barthes

PALETTE = Path(barthes.__file__).parent / "report" / "page" / "templates" / "palette.css"
LIGHT, DARK = (
    dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", part)) for part in PALETTE.read_text().split("@media")
)

# Machado, Oliveira and Fernandes (2009), severity 1, for linear RGB.
VISION = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.1523, 1.0526, -0.2049), (0.1145, 0.7863, 0.0992), (-0.0039, -0.0481, 1.0520)),
    "deuteranopia": ((0.3673, 0.8606, -0.2280), (0.2801, 0.6725, 0.0474), (-0.0118, 0.0429, 0.9689)),
    "tritanopia": ((1.2555, -0.0767, -0.1788), (-0.0784, 0.9308, 0.1476), (0.0047, 0.6914, 0.3039)),
}
TO_XYZ = ((0.4125, 0.3576, 0.1804), (0.2127, 0.7152, 0.0722), (0.0193, 0.1192, 0.9503))
WHITE = (0.9505, 1.0, 1.0888)

APART = [
    ("salient", "loses"),
    ("salient-line", "loses-line"),
    ("salient-line", "gains"),
    ("loses-line", "gains"),
    ("loses", "gains"),
    ("salient", "page"),
    ("loses", "page"),
    ("gains", "ink"),
    ("salient-line", "ink"),
    ("loses-line", "ink"),
]


def multiply(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def linearize(colour):
    values = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]


def to_lab(colour, vision):
    seen = [min(1.0, max(0.0, v)) for v in multiply(VISION[vision], linearize(colour))]
    ratios = [v / white for v, white in zip(multiply(TO_XYZ, seen), WHITE, strict=True)]
    x, y, z = (v ** (1 / 3) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in ratios)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_of_different_meaning_differ(palette, vision):
    """CIE76 differences; 2.3 is just noticeable side by side, 15 easily told apart."""
    for one, other in APART:
        difference = math.dist(to_lab(palette[one], vision), to_lab(palette[other], vision))
        assert difference > 15, (one, other)
