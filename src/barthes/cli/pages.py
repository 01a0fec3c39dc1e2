"""Where `barthes score --html` writes its pages: one story to a file, several to a folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import typer

from barthes.cli.output import check_apart, check_writable
from barthes.errors import OutputError
from barthes.report.escaping import FileNames
from barthes.report.tables import AnyProfile

__all__ = ["Pages"]

_ENDING = ".html"


class Pages:
    """Takes profiles one by one and writes the page of each at once.

    Args:
        out: A file, or a folder (one that exists, or a name that ends in a slash); None writes nothing.
    """

    def __init__(self, out: str | None) -> None:
        self._out = None if out is None else Path(out)
        self._folder = out is not None and (out.endswith(("/", os.sep)) or Path(out).is_dir())
        self._names = FileNames()
        self.titles: Mapping[str, str] = {}
        """The titles that documents give themselves, by the narrative's; others are headed by their file."""
        if self._out is not None:
            self._check(self._out)

    def keep_apart(self, stories: Iterable[Path]) -> None:
        """Never write over a story; in a folder of stories, a page gets another name.

        Raises:
            OutputError: The page's file is one of them.
        """
        if self._out is not None and self._folder:
            inside = {each for each in stories if each.exists() and each.parent.samefile(self._out)}
            self._names.reserve(each.stem for each in inside if each.suffix.lower() == _ENDING)
        else:
            check_apart(self._out, stories, option="--html")

    def check_count(self, *, several: bool) -> None:
        """Say before the work that several stories do not fit into one file."""
        if self._out is not None and several and not self._folder:
            raise typer.BadParameter(
                f"several stories need a folder for their pages: --html {self._out.stem}/"
            )

    def add(self, profile: AnyProfile) -> None:
        """Write the page of one story."""
        if self._out is not None:
            own = f"{self._names.choose(profile.narrative.title)}{_ENDING}"
            title = self.titles.get(profile.narrative.title)
            profile.to_html(self._out / own if self._folder else self._out, title=title)

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
