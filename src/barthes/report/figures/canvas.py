"""A figure fit for a paper: the same data give the same bytes, whatever the reader's settings."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from barthes.errors import OutputError
from barthes.files import write_atomically
from barthes.report.figures.palette import FAINT, INK, MUTED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FORMATS", "WIDTH", "check_ending", "new_figure", "save_figure"]

FORMATS = ("svg", "pdf", "png")
WIDTH = 16.0
"""Centimetres: the text of an A4 page; a column of two is about 8."""

_PER_INCH = 2.54
_SETTINGS: dict[Any, Any] = {
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.dpi": 100,
    "font.family": "DejaVu Sans",  # comes with matplotlib: the layout is the same on every machine
    "font.size": 8.0,
    "axes.titlesize": 9.0,
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "pdf.fonttype": 42,  # letters stay letters: journals ask for it
    "savefig.dpi": 300,
    "svg.fonttype": "none",
    "svg.hashsalt": "barthes",
    "text.color": INK,
    "text.parse_math": False,  # a dollar sign in the title of a tale is a dollar sign
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "xtick.major.width": 0.6,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
    "ytick.major.width": 0.6,
    "grid.color": FAINT,
}


@contextmanager
def new_figure(*, width: float, height: float) -> Iterator[Figure]:
    """An empty figure of this size in centimetres; draw inside the block.

    Raises:
        OutputError: matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        raise OutputError(
            "figures need matplotlib, which is not installed.", remedy='pip install "barthes[figures]"'
        ) from error
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_SETTINGS)
        yield Figure(figsize=(width / _PER_INCH, height / _PER_INCH), layout="constrained")


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure as SVG, PDF or PNG (300 dots an inch) by the ending of the path, whole or not at all.

    Raises:
        OutputError: The ending is another one, or the file cannot be written.
    """
    import matplotlib as mpl

    path = Path(path)
    ending = check_ending(path)
    nothing = {
        "svg": ("Date", "Creator"),
        "pdf": ("CreationDate", "Creator", "Producer"),
        "png": ("Software",),
    }
    out = io.BytesIO()
    with mpl.rc_context(), warnings.catch_warnings():
        # Writing that matplotlib's font lacks is boxes in PDF and PNG; SVG takes the reader's fonts.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support .* natively")
        mpl.rcParams.update(_SETTINGS)
        figure.savefig(out, format=ending, metadata=dict.fromkeys(nothing[ending]))
    write_atomically(path, out.getvalue())


def check_ending(path: Path) -> str:
    """The format that a path asks for.

    Raises:
        OutputError: There is no such format.
    """
    ending = path.suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        known = ", ".join(f".{each}" for each in FORMATS)
        raise OutputError(f"there is no figure format .{ending}.", where=path, remedy=f"Use one of {known}.")
    return ending
