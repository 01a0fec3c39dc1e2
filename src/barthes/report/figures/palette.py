"""The colours of the page, for figures: amber for salience, blue for loss, shades mixed in OKLab."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from barthes.models.language_model import FloatArray

if TYPE_CHECKING:
    from matplotlib.colors import ListedColormap

__all__ = ["FAINT", "GAINS", "INK", "LOSES", "MUTED", "PAGE", "SALIENT", "mix", "ramp"]

PAGE = "#ffffff"
INK = "#1f1d1a"
MUTED = "#67635b"
FAINT = "#dedad2"
SALIENT = "#b85c00"
LOSES = "#0068a8"
GAINS = "#c9405a"

_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def mix(first: str, second: str, share: float) -> str:
    """The colour on the straight line between two in OKLab: equal steps of `share` look equal.

    >>> mix("#000000", "#ffffff", 0.0), mix("#000000", "#ffffff", 1.0), mix("#000000", "#ffffff", 0.5)
    ('#000000', '#ffffff', '#636363')
    """
    start, end = _to_lab(first), _to_lab(second)
    red, green, blue = np.rint(255 * _to_rgb(start + share * (end - start))).astype(int)
    return f"#{red:02x}{green:02x}{blue:02x}"


def ramp(*colours: str) -> ListedColormap:
    """A colour map of 256 shades that passes through the colours at equal distances."""
    from matplotlib.colors import ListedColormap

    legs = len(colours) - 1
    shades = []
    for step in np.linspace(0, legs, 256):
        leg = min(int(step), legs - 1)
        shades.append(mix(colours[leg], colours[leg + 1], float(step) - leg))
    return ListedColormap(shades)


def _to_lab(colour: str) -> FloatArray:
    values = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    lab: FloatArray = _TO_LAB @ np.cbrt(_TO_LMS @ linear)
    return lab


def _to_rgb(lab: FloatArray) -> FloatArray:
    linear = np.linalg.inv(_TO_LMS) @ (np.linalg.inv(_TO_LAB) @ lab) ** 3
    linear = np.clip(linear, 0, 1)
    rgb: FloatArray = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.clip(rgb, 0, 1)
