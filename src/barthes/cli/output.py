"""Write results to the terminal, a pipe or a file, in one of many formats."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from barthes.cli.complaints import remark
from barthes.cli.streams import stdout_guarded
from barthes.errors import OutputError
from barthes.files import write_atomically
from barthes.report.escaping import FileNames
from barthes.report.tables import to_json, to_jsonl, to_plain, to_rows
from barthes.salience.profile import Profile

if TYPE_CHECKING:
    from barthes.report.exports.documents import Bundle

__all__ = ["Format", "Order", "Output", "Pages", "Unit", "check_apart", "check_writable"]


class Unit(StrEnum):
    """What is scored."""

    SENTENCE = "sentence"
    EVENT = "event"


class Format(StrEnum):
    """How results are written."""

    TABLE = "table"
    TSV = "tsv"
    CSV = "csv"
    JSON = "json"
    JSONL = "jsonl"
    PARQUET = "parquet"
    TEI = "tei"
    TEI_STANDOFF = "tei-standoff"
    CATMA = "catma"
    WEBANNO = "webanno"
    BOOKNLP = "booknlp"


_ROWS = {Format.TSV: "\t", Format.CSV: ","}
"""The formats that are plain rows, with their delimiters."""

_DOCUMENTS = (Format.TEI, Format.TEI_STANDOFF, Format.CATMA, Format.WEBANNO, Format.BOOKNLP)
"""The formats that hold one story per file; several stories make a zip."""

_ENDINGS = {
    "tsv": Format.TSV,
    "csv": Format.CSV,
    "json": Format.JSON,
    "jsonl": Format.JSONL,
    "parquet": Format.PARQUET,
    "tei": Format.TEI,
    "xml": Format.TEI,
    "tokens": Format.BOOKNLP,
}


class Order(StrEnum):
    """The order of sentences."""

    RANK = "rank"
    STORY = "story"


class Output:
    """Writes profiles one by one. A pipe gets each at once; a file is written atomically when closed.

    Args:
        chosen: The format; None goes by the ending of `out`, and is a table on standard output.
        out: The file, or None for standard output.
        order: None is by rank in tables and in story order elsewhere.
        top: Only this many sentences of each story, the most salient.
        influence: Whether to add the influence matrix (JSON only).
    """

    def __init__(
        self,
        chosen: Format | None,
        out: Path | None,
        *,
        order: Order | None,
        top: int | None,
        influence: bool,
    ) -> None:
        self.format = chosen or _format_of(out)
        if influence and self.format not in (Format.JSON, Format.JSONL):
            raise typer.BadParameter(
                "the influence matrix is written as json or jsonl only: add --format json"
            )
        _check_document(self.format, out, order)
        if out is not None:
            check_writable(out)
        self.count = 0
        self._several = False
        self._bundle = _open_bundle() if self.format in _DOCUMENTS and _is_zip(out) else None
        self._profiles: list[Profile] = []
        self._out = out
        self._top = top
        self._order = (order or (Order.RANK if self.format is Format.TABLE else Order.STORY)).value
        self._influence = influence
        self._stream = sys.stdout if out is None else io.StringIO()
        self._plain: list[dict[str, Any]] = []

    @property
    def several(self) -> bool:
        """Whether several stories were asked for; JSON is a list then."""
        return self._several

    @several.setter
    def several(self, several: bool) -> None:
        if several and self.format in _DOCUMENTS and self._bundle is None:
            raise typer.BadParameter(
                f"{self.format} holds one story a file; for several: --format {self.format} --out FILE.zip"
            )
        self._several = several

    def add(self, profile: Profile) -> None:
        """Write one story's profile."""
        with self._guarded():
            self._write(profile, first=self.count == 0)
        self.count += 1
        if not self._has_room_for_notes():
            for note in profile.notes:
                remark(f"{profile.narrative.title}: {note}")

    def close(self) -> None:
        """Write what is buffered; nothing if no story was scored."""
        with self._guarded():
            if self._plain:
                self._stream.write(to_json(self._plain, several=self.several))
                self._plain = []
        if self._out is not None and self.count and isinstance(self._stream, io.StringIO):
            write_atomically(self._out, self._give())

    def _give(self) -> str | bytes:
        """Return the content of the file."""
        if self._bundle is not None:
            return self._bundle.to_bytes()
        if self.format is Format.PARQUET:
            from barthes.report.exports.parquet import to_parquet

            return to_parquet(self._profiles, top=self._top, order=self._order)
        return self._stream.getvalue() if isinstance(self._stream, io.StringIO) else ""

    def _has_room_for_notes(self) -> bool:
        return self.format not in (*_ROWS, Format.PARQUET, Format.CATMA, Format.WEBANNO, Format.BOOKNLP)

    def _guarded(self) -> AbstractContextManager[None]:
        return stdout_guarded() if self._out is None else nullcontext()

    def _write(self, profile: Profile, *, first: bool) -> None:
        if self.format is Format.TABLE:
            from barthes.report.terminal import print_profile

            if not first:
                self._stream.write("\n")
            print_profile(profile, file=self._stream, top=self._top, order=self._order)
        elif self.format in _ROWS:
            rows = to_rows(
                profile, delimiter=_ROWS[self.format], top=self._top, order=self._order, header=first
            )
            self._stream.write(rows)
        elif self.format is Format.PARQUET:
            self._profiles.append(profile.without_draws())
        elif self.format in _DOCUMENTS:
            self._write_document(profile, first=first)
        else:
            plain = to_plain(profile, top=self._top, order=self._order, influence=self._influence)
            if self.format is Format.JSONL:
                self._stream.write(to_jsonl(plain))
            else:
                self._plain.append(plain)

    def _write_document(self, profile: Profile, *, first: bool) -> None:
        from barthes.report.exports.documents import DOCUMENTS

        chosen = DOCUMENTS[self.format]
        if self._bundle is not None:
            self._bundle.add(profile.narrative.title, chosen.write_all(profile, top=self._top))
        elif first:
            self._stream.write(chosen.write(profile, top=self._top))
        else:
            raise OutputError(
                f"{self.format} holds one story a file.", where=self._out, remedy="Add --out FILE.zip."
            )


class Pages:
    """Writes the HTML page of each profile at once: one story to a file, several to a folder.

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
        """Refuse to overwrite a story; in a folder of stories, a page gets another name.

        Raises:
            OutputError: The page's file is one of them.
        """
        if self._out is not None and self._folder:
            inside = {each for each in stories if each.exists() and each.parent.samefile(self._out)}
            self._names.reserve(each.stem for each in inside if each.suffix.lower() == ".html")
        else:
            check_apart(self._out, stories, option="--html")

    def check_count(self, *, several: bool) -> None:
        """Refuse several stories for one file before any work is done."""
        if self._out is not None and several and not self._folder:
            raise typer.BadParameter(
                f"several stories need a folder for their pages: --html {self._out.stem}/"
            )

    def add(self, profile: Profile) -> None:
        """Write the page of one story."""
        if self._out is not None:
            own = f"{self._names.choose(profile.narrative.title)}.html"
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


def _open_bundle() -> Bundle:
    from barthes.report.exports.documents import Bundle  # what comes with it takes a tenth of a second

    return Bundle()


def _format_of(out: Path | None) -> Format:
    ending = "" if out is None else out.suffix.lower().removeprefix(".")
    if ending in ("", "txt"):
        return Format.TABLE
    if ending not in _ENDINGS:
        known = ", ".join(f".{each}" for each in _ENDINGS)
        raise OutputError(
            f"there is no format for files that end in .{ending}.",
            where=out,
            remedy=f"Use one of {known}, .txt for a table, or add --format.",
        )
    return _ENDINGS[ending]


def _is_zip(out: Path | None) -> bool:
    return out is not None and out.suffix.lower() == ".zip"


def _check_document(chosen: Format, out: Path | None, order: Order | None) -> None:
    """Refuse what a format cannot do before any work is done."""
    if chosen is Format.PARQUET and out is None:
        raise typer.BadParameter("parquet is written to a file: add --out FILE.parquet")
    if chosen is Format.PARQUET:
        from barthes.report.exports.parquet import check_installed

        check_installed()
    if chosen in _DOCUMENTS and order is Order.RANK:
        raise typer.BadParameter(f"{chosen} keeps the order of the story: leave out --order rank")
    if _is_zip(out) and chosen not in _DOCUMENTS:
        raise OutputError(
            f"a zip is not for {chosen}, which holds all stories in one file.",
            where=out,
            remedy=f"Zips hold one file a story: {', '.join(_DOCUMENTS)}.",
        )


def check_apart(out: Path | None, stories: Iterable[Path], *, option: str = "--out") -> None:
    """Refuse to overwrite a story with its own results."""
    if out is not None and out.exists() and any(path.exists() and path.samefile(out) for path in stories):
        raise OutputError(
            "is one of the stories.", where=out, remedy=f"Give {option} the name of another file."
        )


def check_writable(out: Path) -> None:
    """Check before any work is done that a result can be written."""
    if out.is_dir():
        raise OutputError("is a folder.", where=out, remedy="Give --out the name of a file.")
    if out.exists() and not out.is_file():  # a pipe or a device, which is written to as it is
        if not os.access(out, os.W_OK):
            raise OutputError("may not be written to.", where=out, remedy="Choose another file.")
        return
    folder = Path(os.path.realpath(out)).parent  # links are followed
    if not folder.is_dir():
        raise OutputError(
            "cannot be written: its folder does not exist.", where=out, remedy=f"mkdir -p {folder}"
        )
    if not os.access(folder, os.W_OK):
        raise OutputError(
            "cannot be written: its folder is read-only.", where=out, remedy="Choose another folder."
        )
