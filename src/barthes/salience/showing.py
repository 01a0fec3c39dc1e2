"""Who shows a profile: a profile does not know HTML, it knows the name of a module that does.

The name is looked up when it is needed, as pandas does with its plotting backend: what comes after the
profile stays out of what comes before it, and `import barthes` loads no templates.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from barthes.files import write_atomically

__all__ = ["Shown"]

_RENDERER = "barthes.report.page"
"""A module with `render_page(profile, title=…)` and `render_cell(profile)`, both giving HTML."""


class Shown:
    """What every profile can do about being looked at."""

    def to_html(self, path: str | Path | None = None, *, title: str | None = None) -> str:
        """One self-contained interactive page: the shaded story, its curve, what depends on what.

        Args:
            path: Where to write it, whole or not at all; None writes nothing.
            title: The heading; by default the narrative's title, of a path only the name of the file.

        Raises:
            OutputError: The file cannot be written.
        """
        page: str = _renderer().render_page(self, title=title)
        if path is not None:
            write_atomically(Path(path), page)
        return page

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        cell: str = _renderer().render_cell(self)
        return cell


def _renderer() -> Any:
    return import_module(_RENDERER)
