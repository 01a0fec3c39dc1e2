"""Create and save figures that are the same, byte for byte, on every machine.

matplotlib (the extra ``figures``) is imported inside the functions, so that this module loads without it.
Colours are those of the page: amber for salience, blue for loss.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Mapping
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


def ramp(*colours: str) -> Colormap:
    """Return a colour map that passes through the colours at equal distances."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("barthes", colours)
