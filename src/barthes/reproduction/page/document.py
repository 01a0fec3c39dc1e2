"""What both renderings are made from: sections of paragraphs, tables and places for drawings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Cell", "Column", "Document", "Emphasis", "Place", "Row", "Section", "Table", "text_row"]

Emphasis = Literal["", "bold", "bold italic", "muted"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A text, how it is stressed, and a mark such as † behind it."""

    text: str
    emphasis: Emphasis = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """The heading of a column; numbers stand to the right."""

    heading: str
    numeric: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of a row, and whether a new group of rows begins with it."""

    cells: tuple[Cell, ...]
    opens_group: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its caption.

    Attributes:
        caption: What the table shows, with units.
        columns: The headings, as many as a row has cells.
        rows: From top to bottom.
        row_headings: How many cells at the left say what a row is about.
        remarks: What stands below the table: the meaning of marks, what the columns leave open.
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    row_headings: int = 1
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a drawing stands, if there is one of that name; Markdown has none."""

    drawing: str


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it: paragraphs, a list, then tables and drawings."""

    key: str
    heading: str
    paragraphs: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    blocks: tuple[Table | Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """The whole: a title, what it is, and its sections."""

    title: str
    introduction: tuple[str, ...]
    sections: tuple[Section, ...]


def text_row(*texts: str) -> Row:
    """A row of cells without emphasis.

    >>> text_row("a", "b").cells[1].text
    'b'
    """
    return Row(tuple(Cell(text) for text in texts))
