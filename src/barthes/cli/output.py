"""Where results go: the terminal, a pipe or a file, in one of five formats."""

from __future__ import annotations

import io
import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Any

import typer

from barthes.errors import OutputError
from barthes.files import write_atomically
from barthes.report.tables import AnyProfile, to_json, to_jsonl, to_plain, to_rows

__all__ = ["Format", "Order", "Output", "Unit"]


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


class Order(StrEnum):
    """In which order sentences are shown."""

    RANK = "rank"
    STORY = "story"


class Output:
    """Takes profiles one by one. A pipe gets each at once; a file is written whole when closed.

    Args:
        chosen: The format; None goes by the ending of `out`, and is a table elsewhere.
        out: The file, or None for standard output.
        order: None is by rank in tables and in story order elsewhere.
        top: Only so many sentences of each story, the most salient.
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
        if out is not None:
            _check_writable(out)
        self.count = 0
        self._out = out
        self._top = top
        self._order = (order or (Order.RANK if self.format is Format.TABLE else Order.STORY)).value
        self._influence = influence
        self._stream = sys.stdout if out is None else io.StringIO()
        self._plain: list[dict[str, Any]] = []

    def add(self, profile: AnyProfile) -> None:
        """Write one story's profile."""
        self.count += 1
        if self.format is Format.TABLE:
            from barthes.report.terminal import print_profile

            if self.count > 1:
                self._stream.write("\n")
            print_profile(profile, file=self._stream, top=self._top, order=self._order)
        elif self.format in (Format.TSV, Format.CSV):
            delimiter = "\t" if self.format is Format.TSV else ","
            header = self.count == 1
            rows = to_rows(profile, delimiter=delimiter, top=self._top, order=self._order, header=header)
            self._stream.write(rows)
        else:
            plain = to_plain(profile, top=self._top, order=self._order, influence=self._influence)
            if self.format is Format.JSONL:
                self._stream.write(to_jsonl(plain))
            else:
                self._plain.append(plain)
        if self._out is None:
            self._stream.flush()

    def close(self) -> None:
        """Write what has been waiting; nothing at all where no story was scored."""
        if self.format is Format.JSON and self._plain:
            self._stream.write(to_json(self._plain))
            self._plain = []
        if self._out is not None and self.count and isinstance(self._stream, io.StringIO):
            write_atomically(self._out, self._stream.getvalue())


def _format_of(out: Path | None) -> Format:
    ending = "" if out is None else out.suffix.lower().removeprefix(".")
    return Format(ending) if ending in list(Format) else Format.TABLE


def _check_writable(out: Path) -> None:
    """Find out before the work, not after it, that a result cannot be written."""
    folder = out.parent
    if out.is_dir():
        raise OutputError("is a folder.", where=out, remedy="Give --out the name of a file.")
    if not folder.is_dir():
        raise OutputError(
            "cannot be written: its folder does not exist.", where=out, remedy=f"mkdir -p {folder}"
        )
    if not os.access(folder, os.W_OK):
        raise OutputError(
            "cannot be written: its folder is read-only.", where=out, remedy="Choose another folder."
        )
