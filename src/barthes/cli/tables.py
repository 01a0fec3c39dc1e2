"""Figures of an evaluation or a benchmark, in the format that was asked for, to a file or to the terminal."""

from __future__ import annotations

import io
import sys
from enum import StrEnum
from pathlib import Path
from typing import Generic, Protocol, TextIO, TypeVar

from barthes.cli.streams import stdout_guarded
from barthes.files import write_atomically

__all__ = ["EvaluationFormat", "Tables", "render", "write_tables"]

Found = TypeVar("Found", contravariant=True)


class EvaluationFormat(StrEnum):
    """How an evaluation is written."""

    TEXT = "text"
    MARKDOWN = "markdown"
    LATEX = "latex"
    JSON = "json"


class Tables(Protocol, Generic[Found]):
    """A module that lays figures out."""

    def print_tables(self, found: Found, /, *, file: TextIO) -> None:
        """As text, as wide as the file is if that is a terminal."""

    def to_markdown(self, found: Found, /) -> str:
        """GitHub's tables."""
        ...

    def to_latex(self, found: Found, /) -> str:
        """Tables for a paper."""
        ...

    def to_json(self, found: Found, /) -> str:
        """Everything."""
        ...


def write_tables(found: Found, chosen: EvaluationFormat, out: Path | None, tables: Tables[Found]) -> None:
    """Write a file, whole or not at all; without one, print."""
    if out is not None:
        write_atomically(out, render(found, chosen, tables))
        return
    with stdout_guarded():
        if chosen is EvaluationFormat.TEXT:  # as wide as the terminal
            tables.print_tables(found, file=sys.stdout)
        else:
            sys.stdout.write(render(found, chosen, tables))


def render(found: Found, chosen: EvaluationFormat, tables: Tables[Found]) -> str:
    """The figures as the text of a file."""
    if chosen is EvaluationFormat.TEXT:
        stream = io.StringIO()
        tables.print_tables(found, file=stream)
        return stream.getvalue()
    if chosen is EvaluationFormat.MARKDOWN:
        return tables.to_markdown(found)
    return tables.to_latex(found) if chosen is EvaluationFormat.LATEX else tables.to_json(found)
