"""Check where results go, and write text, tables and pages to a file or standard output."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TextIO, TypeVar

import typer

from barthes.errors import OutputError
from barthes.files import write_atomically
from barthes.report.escaping import FileNames
from barthes.salience.profile import Profile

AnyFormat = TypeVar("AnyFormat", bound=str)


class Pages:
    """Write HTML reports: one story to a file, several to a folder.

    Args:
        out: A file, or a folder (one that exists, or a name that ends in a slash); None writes nothing.
    """

    def __init__(self, out: str | None) -> None:
        self._out = None if out is None else Path(out)
        self._is_folder = out is not None and (out.endswith(("/", os.sep)) or Path(out).is_dir())
        self._names = FileNames()
        if self._out is None:
            return
        if not self._is_folder:
            check_writable(self._out, option="--html")
            return
        try:
            self._out.mkdir(exist_ok=True)
        except OSError as error:
            problem = f"the folder cannot be created ({error.strerror})."
            raise OutputError(problem, where=out, remedy="Choose another name.") from error

    def keep_apart(self, stories: Iterable[Path]) -> None:
        """Raise OutputError rather than overwrite a story; in a folder of stories, choose other names."""
        if self._out is None or not self._is_folder:
            check_apart(self._out, stories, option="--html")
            return
        inside = {each for each in stories if each.exists() and each.parent.samefile(self._out)}
        self._names.reserve(each.stem for each in inside if each.suffix.lower() == ".html")

    def expect_several(self, several: bool) -> None:
        """Refuse several stories for one file."""
        if self._out is not None and several and not self._is_folder:
            raise typer.BadParameter(f"several stories need a folder for reports: --html {self._out.stem}/")

    def add(self, profile: Profile) -> None:
        """Write the report of one story."""
        if self._out is not None:
            name = f"{self._names.choose(profile.narrative.title)}.html"
            profile.to_html(self._out / name if self._is_folder else self._out)


def describe_format(default: str) -> str:
    """Return the help text of a --format option that goes by the extension of --out."""
    return f"Output format. [default: by the extension of --out, else {default}]"


def choose_format(
    chosen: AnyFormat | None, out: Path | None, endings: Mapping[str, AnyFormat], default: AnyFormat
) -> AnyFormat:
    """Return the chosen format, or that of the file's extension, or the default for standard output.

    Raises:
        OutputError: The extension is unknown.
    """
    if chosen is not None or out is None:
        return chosen or default
    ending = out.suffix.lower()
    if ending not in endings:
        problem = f"unknown file extension {ending}." if ending else "the file name has no extension."
        known = ", ".join(filter(None, endings))
        raise OutputError(problem, where=out, remedy=f"Use one of {known}, or add --format.")
    return endings[ending]


def write_text(text: str, out: Path | None) -> None:
    """Write text to a file (atomically), or to standard output."""
    if out is not None:
        write_atomically(out, text)
        return
    sys.stdout.write(text)


def write_table(print_to: Callable[[TextIO], None], out: Path | None) -> None:
    """Print a table to a file (atomically), or to standard output in the width of the terminal."""
    if out is None:
        print_to(sys.stdout)
        return
    stream = io.StringIO()
    print_to(stream)
    write_atomically(out, stream.getvalue())


def check_apart(
    out: Path | None, inputs: Iterable[Path], *, option: str = "--out", kind: str = "one of the stories"
) -> None:
    """Refuse to overwrite an input with its own results, or to write into a Scrivener project."""
    if out is None:
        return
    projects = (path.resolve() for path in inputs if any(path.glob("*.scrivx")))
    if any(project in out.resolve().parents for project in projects):
        problem = f"is inside {kind}, which is never changed."
        raise OutputError(problem, where=out, remedy=f"Choose another file for {option}.")
    if out.exists() and any(path.exists() and path.samefile(out) for path in inputs):
        raise OutputError(f"is {kind}.", where=out, remedy=f"Choose another file for {option}.")


def check_writable(out: Path, *, option: str = "--out") -> None:
    """Raise OutputError early if a result cannot be written."""
    folder = Path(os.path.realpath(out)).parent  # links are followed
    if out.is_dir():
        problem, remedy = "is a folder.", f"Give {option} a file name."
    elif out.exists() and not out.is_file():  # a pipe or a device, which is written to as it is
        if os.access(out, os.W_OK):
            return
        problem, remedy = "is not writable.", "Choose another file."
    elif not folder.is_dir():
        problem, remedy = "cannot be written: its folder does not exist.", f"Create it: mkdir -p {folder}"
    elif not os.access(folder, os.W_OK):
        problem, remedy = "cannot be written: its folder is read-only.", "Choose another folder."
    else:
        return
    raise OutputError(problem, where=out, remedy=remedy)
