"""A table of numbers with a title and notes: in the terminal, in Markdown, in LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

from rich.table import Table
from rich.text import Text

from barthes.report.escaping import escape_latex, escape_markdown, printable
from barthes.report.terminal import open_console

__all__ = ["FigureTable"]

_WORDS = ("method", "model")  # columns of words, set to the left


@dataclass(frozen=True)
class FigureTable:
    """A header and rows of cells, as people read them."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    def print(self, file: TextIO, *, width: int | None = None) -> None:
        """Write the table to a stream; bold only where the stream is a terminal."""
        console = open_console(file, width=width)
        table = Table(box=None, pad_edge=False, header_style="dim")
        for name in self.header:
            justify = "left" if name in _WORDS else "right"
            table.add_column(Text(printable(name)), justify=justify, overflow="fold")  # type: ignore[arg-type]
        for row in self.rows:
            table.add_row(*(Text(printable(cell)) for cell in row))
        console.print(Text(printable(self.title), style="bold"))
        console.print(table)
        for note in self.notes:
            console.print(Text(printable(note), style="italic"))

    def to_markdown(self) -> str:
        """Return a pipe table with its title above and its notes below it."""
        rule = ["---" if name in _WORDS else "---:" for name in self.header]
        lines = [_pipe(self.header), f"|{'|'.join(rule)}|", *map(_pipe, self.rows)]
        notes = [f"- {_markdown(note)}" for note in self.notes]
        return "\n".join([f"**{_markdown(self.title)}**", "", *lines, "", *notes]) + "\n"

    def to_latex(self) -> str:
        """Return a `table` with the rules of the package booktabs; every special character is escaped."""
        columns = "".join("l" if name in _WORDS else "r" for name in self.header)
        caption = " ".join([f"{self.title}.", *self.notes])
        return "\n".join(
            [
                r"% \usepackage{booktabs}",
                r"\begin{table}",
                r"\centering",
                rf"\begin{{tabular}}{{{columns}}}",
                r"\toprule",
                _ampersand(self.header),
                r"\midrule",
                *map(_ampersand, self.rows),
                r"\bottomrule",
                r"\end{tabular}",
                rf"\caption{{{_latex(caption)}}}",
                r"\end{table}",
                "",
            ]
        )


def _pipe(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_markdown(cell) for cell in cells)} |"


def _ampersand(cells: Sequence[str]) -> str:
    return " & ".join(_latex(cell) for cell in cells) + r" \\"


def _markdown(text: str) -> str:
    return escape_markdown(_one_line(text))


def _latex(text: str) -> str:
    return escape_latex(_one_line(text))


def _one_line(text: str) -> str:
    return " ".join(printable(text).split())
