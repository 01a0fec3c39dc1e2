"""Choose the format of results, and write them to the terminal, a pipe or a file."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Literal, TextIO, TypeVar, get_args

import typer

from barthes.cli.console import guarded_stdout, print_note
from barthes.errors import OutputError
from barthes.files import write_atomically
from barthes.report.escaping import FileNames
from barthes.report.tables import to_json, to_jsonl, to_plain, to_rows
from barthes.salience.profile import Profile

AnyFormat = TypeVar("AnyFormat", bound=str)

DocumentFormat = Literal["tei", "tei-standoff", "catma", "webanno", "web-annotation", "booknlp"]
"""Formats with one story per file; several stories make a zip."""

Format = Literal["table", "tsv", "csv", "json", "jsonl", "parquet", DocumentFormat]
Order = Literal["rank", "story"]

_DELIMITERS = {"tsv": "\t", "csv": ","}
_DOCUMENTS = get_args(DocumentFormat)
_WITHOUT_NOTES = ("tsv", "csv", "parquet", "catma", "webanno", "web-annotation", "booknlp")
_ENDINGS: dict[str, Format] = {
    ".tsv": "tsv",
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".parquet": "parquet",
    ".tei": "tei",
    ".xml": "tei",
    ".jsonld": "web-annotation",
    ".tokens": "booknlp",
    ".txt": "table",
    "": "table",
}


class Output:
    """Write profiles: to standard output one by one, to a file atomically when closed.

    Args:
        chosen: The format; None goes by the file's extension, or prints a table.
        out: The file, or None for standard output.
        order: None for rank in tables and story elsewhere.
        top: Number of sentences of each story to write, the most salient; None for all.
        influence: Whether to add the influence matrix (JSON only).

    Raises:
        OutputError: The file cannot be written, or its extension is unknown.
    """

    def __init__(
        self,
        chosen: Format | None,
        out: Path | None,
        *,
        order: Order | None = None,
        top: int | None = None,
        influence: bool = False,
    ) -> None:
        self.format: str = choose_format(chosen, out, _ENDINGS, "table")
        self.count: int = 0
        self._several = False
        self._out, self._top, self._influence = out, top, influence
        self._order = order or ("rank" if self.format == "table" else "story")
        self._is_zip = out is not None and out.suffix.lower() == ".zip"
        self._check(order)
        if self._is_zip:
            from barthes.report.exports.documents import Bundle  # imports lxml and more

            self._bundle = Bundle()
        self._text = io.StringIO()  # content of the file
        self._stream: TextIO = sys.stdout if out is None else self._text
        self._profiles: list[Profile] = []
        self._plain: list[dict[str, Any]] = []

    def _check(self, order: Order | None) -> None:
        """Refuse early what a format cannot do."""
        name, out = self.format, self._out
        if self._influence and name not in ("json", "jsonl"):
            raise typer.BadParameter("--influence needs --format json or jsonl")
        if name == "parquet":
            if out is None:
                raise typer.BadParameter("Parquet needs a file: --out FILE.parquet")
            from barthes.report.exports.parquet import check_installed

            check_installed()
        if name in _DOCUMENTS and order == "rank":
            raise typer.BadParameter(f"{name} keeps the order of the story: omit --order rank")
        if self._is_zip and name not in _DOCUMENTS:
            raise OutputError(
                f"{name} holds all stories in one file and needs no zip.",
                where=out,
                remedy=f"Zip files are for {', '.join(_DOCUMENTS)}.",
            )
        if out is not None:
            check_writable(out)

    def expect_several(self, several: bool) -> None:
        """Set whether several stories were asked for: JSON is a list then."""
        if several and self.format in _DOCUMENTS and not self._is_zip:
            raise typer.BadParameter(
                f"{self.format} holds one story per file; use --format {self.format} --out FILE.zip"
            )
        self._several = several

    def add(self, profile: Profile) -> None:
        """Write the profile of one story."""
        with guarded_stdout() if self._out is None else nullcontext():
            self._write(profile)
        self.count += 1
        if self.format in _WITHOUT_NOTES:
            for note in profile.notes:
                print_note(f"{profile.narrative.title}: {note}")

    def close(self) -> None:
        """Write what is buffered; nothing if no story was scored."""
        if not self.count:
            return
        if self._plain:
            write_text(to_json(self._plain, several=self._several), self._out)
        elif self._is_zip and self._out is not None:
            write_atomically(self._out, self._bundle.to_bytes())
        elif self._profiles and self._out is not None:
            from barthes.report.exports.parquet import to_parquet

            write_atomically(self._out, to_parquet(self._profiles, top=self._top, order=self._order))
        elif self._out is not None:
            write_atomically(self._out, self._text.getvalue())

    def _write(self, profile: Profile) -> None:
        top, order, first = self._top, self._order, self.count == 0
        if self.format == "table":
            from barthes.report.terminal import print_profile

            self._stream.write("" if first else "\n")
            print_profile(profile, file=self._stream, top=top, order=order)
        elif self.format in _DELIMITERS:
            delimiter = _DELIMITERS[self.format]
            self._stream.write(to_rows(profile, delimiter=delimiter, top=top, order=order, header=first))
        elif self.format == "parquet":
            self._profiles.append(profile.without_draws())
        elif self.format in _DOCUMENTS:
            self._write_document(profile)
        else:
            plain = to_plain(profile, top=top, order=order, influence=self._influence)
            if self.format == "json":
                self._plain.append(plain)
            else:
                self._stream.write(to_jsonl(plain))

    def _write_document(self, profile: Profile) -> None:
        from barthes.report.exports.documents import DOCUMENTS

        document = DOCUMENTS[self.format]
        if self._is_zip:
            self._bundle.add(profile.narrative.title, document.write_all(profile, top=self._top))
        elif self.count == 0:
            self._stream.write(document.write(profile, top=self._top))
        else:
            problem = f"{self.format} holds one story per file."
            raise OutputError(problem, where=self._out, remedy="Use --out FILE.zip.")


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
    with guarded_stdout():
        sys.stdout.write(text)


def write_table(print_to: Callable[[TextIO], None], out: Path | None) -> None:
    """Print a table to a file (atomically), or to standard output in the width of the terminal."""
    if out is None:
        with guarded_stdout():
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
