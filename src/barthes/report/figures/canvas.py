"""Create and save figures that are the same, byte for byte, on every machine.

matplotlib (the extra ``figures``) is imported inside the functions, so that this module loads without it.
Colours are those of the page: amber for salience, blue for loss, shades mixed in OKLab.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from barthes.errors import OutputError
from barthes.files import write_atomically
from barthes.models.language_model import FloatArray

if TYPE_CHECKING:
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure

PAGE = "#ffffff"
INK = "#1f1d1a"
MUTED = "#67635b"
FAINT = "#dedad2"
SALIENT = "#b85c00"
LOSES = "#0068a8"
GAINS = "#c9405a"
UNRANKED = "#b9b5ad"

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

WIDTH = 16.0
"""Centimetres: the width of text on an A4 page; one of two columns is about 8."""

PER_INCH = 2.54
"""Centimetres per inch."""

_SETTINGS: dict[Any, Any] = {
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.dpi": 100,
    "font.family": "DejaVu Sans",  # included in matplotlib: the same layout on every machine
    "font.size": 8.0,
    "axes.titlesize": 9.0,
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "pdf.fonttype": 42,  # embed fonts as text, as journals require
    "savefig.dpi": 300,
    "svg.fonttype": "none",
    "svg.hashsalt": "barthes",
    "text.color": INK,
    "text.parse_math": False,  # titles may contain dollar signs
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "xtick.major.width": 0.6,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
    "ytick.major.width": 0.6,
    "grid.color": FAINT,
}
_METADATA = {
    "svg": ("Date", "Creator"),
    "pdf": ("CreationDate", "Creator", "Producer"),
    "png": ("Software",),
}
FORMATS = tuple(_METADATA)


@contextmanager
def new_figure(*, width: float, height: float, settings: Mapping[Any, Any] | None = None) -> Iterator[Figure]:
    """Open an empty figure with our settings, updated by `settings`; sizes in centimetres.

    The settings apply inside the block.

    Raises:
        OutputError: matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        problem = "figures need matplotlib, which is not installed."
        raise OutputError(problem, remedy="Install it with: pip install matplotlib") from error
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update({**_SETTINGS, **(settings or {})})
        yield Figure(figsize=(width / PER_INCH, height / PER_INCH), layout="constrained")


def render_figure(figure: Figure, ending: str, **options: Any) -> bytes:
    """Return a figure as ``svg``, ``pdf`` or ``png`` without dates; `options` go to matplotlib's `savefig`.

    Inside the block of `new_figure` its settings apply.
    """
    out = io.BytesIO()
    with warnings.catch_warnings():
        # Missing characters are boxes in PDF and PNG; SVG uses the reader's fonts.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support .* natively")
        figure.savefig(out, format=ending, metadata=dict.fromkeys(_METADATA[ending]), **options)
    return out.getvalue()


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure atomically as SVG, PDF or PNG (300 dpi), by the extension of the path.

    Raises:
        OutputError: The extension is unknown, or the file cannot be written.
    """
    import matplotlib as mpl

    path = Path(path)
    ending = check_ending(path)
    with mpl.rc_context(_SETTINGS):
        content = render_figure(figure, ending)
    write_atomically(path, content)


def check_ending(path: Path) -> str:
    """Return the format that a path's extension names.

    Raises:
        OutputError: It is none of `FORMATS`.
    """
    ending = path.suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        known = ", ".join(f".{each}" for each in FORMATS)
        raise OutputError(f"unknown figure format .{ending}.", where=path, remedy=f"Use one of {known}.")
    return ending


def mix(first: str, second: str, share: float) -> str:
    """Mix two colours in OKLab, where equal steps of `share` look equal.

    >>> mix("#000000", "#ffffff", 0.0), mix("#000000", "#ffffff", 1.0), mix("#000000", "#ffffff", 0.5)
    ('#000000', '#ffffff', '#636363')
    """
    start, end = _to_lab(first), _to_lab(second)
    red, green, blue = np.rint(255 * _to_rgb(start + share * (end - start))).astype(int)
    return f"#{red:02x}{green:02x}{blue:02x}"


def ramp(*colours: str) -> ListedColormap:
    """Return a colour map of 256 shades that passes through the colours at equal distances."""
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
