"""The content of the reproduction's pages, before it is rendered as Markdown or HTML.

A document has sections of paragraphs, tables and places for drawings. Texts use the paper's names for the
short ones in the JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from barthes.report.escaping import printable

__all__ = [
    "NOT_RUN",
    "Cell",
    "Column",
    "Document",
    "Emphasis",
    "Place",
    "Row",
    "Section",
    "Table",
    "clean",
    "columns",
    "name_fine_tuning",
    "name_method",
    "name_row",
    "name_source",
    "name_status",
    "text_row",
]

Emphasis = Literal["", "bold", "bold italic", "muted"]

NOT_RUN = "not run"

_METHODS = {
    "random": "Random",
    "position": "Sentence position (asc)",
    "position-desc": "Sentence position (desc)",
    "tfidf": "TF-IDF",
    "sd": "SD",
    "va": "VA",
    "paa": "PAA",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """A text, its emphasis, and a mark such as † after it."""

    text: str
    emphasis: Emphasis = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """The heading of a column; numbers are set to the right."""

    heading: str
    numeric: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of a row, and whether it starts a new group of rows."""

    cells: tuple[Cell, ...]
    opens_group: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its caption.

    Attributes:
        caption: What the table shows, with units.
        columns: The headings, as many as a row has cells.
        rows: From top to bottom.
        row_headings: How many cells at the left are headings of the row.
        remarks: Paragraphs below the table.
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    row_headings: int = 1
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a drawing, by its key; Markdown has no drawings."""

    drawing: str


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with paragraphs, a list, then tables and drawings."""

    key: str
    heading: str
    paragraphs: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    blocks: tuple[Table | Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A title, an introduction, and sections."""

    title: str
    introduction: tuple[str, ...]
    sections: tuple[Section, ...]


def text_row(*texts: str) -> Row:
    """Return a row of cells without emphasis.

    >>> text_row("a", "b").cells[1].text
    'b'
    """
    return Row(tuple(Cell(text) for text in texts))


def columns(words: Iterable[str], numbers: Iterable[str] = ()) -> tuple[Column, ...]:
    """Return columns of words, then columns of numbers, by their headings.

    >>> columns(["tale"], ["MAP"])
    (Column(heading='tale', numeric=False), Column(heading='MAP', numeric=True))
    """
    return (*(Column(heading) for heading in words), *(Column(heading, True) for heading in numbers))


def name_method(method: str) -> str:
    """Return the method's name in the paper; one that the paper does not have keeps its own."""
    return _METHODS.get(method, method)


def name_fine_tuning(fine_tuning: str | None) -> str:
    """Return the name of a fine-tuning.

    >>> name_fine_tuning(None), name_fine_tuning("domain")
    ('none', 'domain')
    """
    return fine_tuning or "none"


def name_row(row: Mapping[str, Any]) -> str:
    """Return a row of Table 2 as one line.

    >>> name_row({"method": "sd", "tfidf": True, "fine_tuning": "domain"})
    'SD + TF-IDF, domain'
    """
    name = name_method(row["method"]) + (" + TF-IDF" if row["tfidf"] else "")
    return f"{name}, {row['fine_tuning']}" if row["fine_tuning"] else name


def name_status(figure: Mapping[str, Any]) -> str:
    """Return why there is no figure: it was not run, or it is undefined.

    >>> name_status({"ours": None, "status": "undefined"}), name_status({"ours": None})
    ('undefined', 'not run')
    """
    return "undefined" if figure.get("status") == "undefined" else NOT_RUN


def name_source(plain: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the model of an experiment with a single model as a sentence; nothing if it is not given.

    >>> name_source({"model": "gpt2", "fine_tuning": None})
    ('The language model is gpt2 (fine-tuning: none).',)
    """
    if not plain.get("model"):
        return ()
    fine_tuning = name_fine_tuning(plain.get("fine_tuning"))
    return (f"The language model is {plain['model']} (fine-tuning: {fine_tuning}).",)


def clean(value: Any) -> Any:
    """Return a plain dict with every text and key on one line and without control characters.

    >>> clean({"a\\nb": ["\\x1b[31m", 0.5, None]})
    {'a b': ['�[31m', 0.5, None]}
    """
    if isinstance(value, str):
        return printable(" ".join(value.split()))
    if isinstance(value, Mapping):
        return {clean(key): clean(content) for key, content in value.items()}
    if isinstance(value, list | tuple):
        return [clean(content) for content in value]
    return value
