"""Where `barthes score --html` writes its pages: one story to a file, several to a folder."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePath

import typer

from barthes.cli.output import check_writable
from barthes.errors import OutputError
from barthes.report.tables import AnyProfile

__all__ = ["Pages"]

_UNFIT = re.compile(r"[^\w.-]+")


class Pages:
    """Takes profiles one by one and writes the page of each at once.

    Args:
        out: A file, or a folder (one that exists, or a name that ends in a slash); None writes nothing.
    """

    def __init__(self, out: str | None) -> None:
        self._out = None if out is None else Path(out)
        self._folder = out is not None and (out.endswith(("/", os.sep)) or Path(out).is_dir())
        self._taken: set[str] = set()
        if self._out is not None:
            self._check(self._out)

    def check_count(self, *, several: bool) -> None:
        """Say before the work that several stories do not fit into one file."""
        if self._out is not None and several and not self._folder:
            raise typer.BadParameter(
                f"several stories need a folder for their pages: --html {self._out.stem}/"
            )

    def add(self, profile: AnyProfile) -> None:
        """Write the page of one story."""
        if self._out is not None:
            path = self._out / self._name(profile.narrative.title) if self._folder else self._out
            profile.to_html(path)

    def _check(self, out: Path) -> None:
        if not self._folder:
            check_writable(out)
            return
        try:
            out.mkdir(exist_ok=True)
        except OSError as error:
            raise OutputError(
                f"cannot be made a folder ({error.strerror}).", where=out, remedy="Choose another name."
            ) from error

    def _name(self, title: str) -> str:
        """A file name that no other page of this run has."""
        stem = _UNFIT.sub("-", PurePath(title).stem).strip("-.")[:100] or "story"
        name, number = stem, 2
        while name.lower() in self._taken:
            name, number = f"{stem}-{number}", number + 1
        self._taken.add(name.lower())
        return f"{name}.html"
