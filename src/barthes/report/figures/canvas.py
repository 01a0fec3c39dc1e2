"""Create and save figures that are the same, byte for byte, on every machine.

matplotlib (the extra ``figures``) is imported inside the functions, so that this module loads without it.
Colours are those of the page: amber for salience, blue for loss.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from barthes.errors import OutputError
from barthes.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

PAGE = "#ffffff"
INK = "#1f1d1a"
MUTED = "#67635b"
FAINT = "#dedad2"
SALIENT, PALE_SALIENT = "#b85c00", "#e3b699"
LOSES, PALE_LOSES = "#0068a8", "#98bada"
MISSING = "#ebe9e4"
GAINS = "#c9405a"
UNRANKED = "#b9b5ad"

WIDTH = 16.0
"""Centimetres: the width of text on an A4 page; one of two columns is about 8."""

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


@contextmanager
def new_figure(*, width: float, height: float) -> Iterator[Figure]:
    """Open an empty figure with our settings, which apply inside the block; sizes in centimetres.

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
        mpl.rcParams.update(_SETTINGS)
        yield Figure(figsize=(width / 2.54, height / 2.54), layout="constrained")


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure atomically as SVG, PDF or PNG (300 dpi), by the extension of the path; without dates.

    Raises:
        OutputError: The extension is unknown, or the file cannot be written.
    """
    import matplotlib as mpl

    path = Path(path)
    ending = check_ending(path)
    out = io.BytesIO()
    with mpl.rc_context(_SETTINGS), warnings.catch_warnings():
        # Missing characters are boxes in PDF and PNG; SVG uses the reader's fonts.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support .* natively")
        figure.savefig(out, format=ending, metadata=dict.fromkeys(_METADATA[ending]))
    write_atomically(path, out.getvalue())


def check_ending(path: Path) -> str:
    """Return the format that a path's extension names.

    Raises:
        OutputError: It is none of those that we write.
    """
    ending = path.suffix.lower().removeprefix(".")
    if ending not in _METADATA:
        known = ", ".join(f".{each}" for each in _METADATA)
        raise OutputError(f"unknown figure format .{ending}.", where=path, remedy=f"Use one of {known}.")
    return ending


def ramp(*colours: str) -> Colormap:
    """Return a colour map that passes through the colours at equal distances."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("barthes", colours)
