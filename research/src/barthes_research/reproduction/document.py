"""The content of the reproduction's pages, before it is rendered as Markdown or HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from barthes.report.escaping import printable

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
class Table:
    """A table with its caption.

    Attributes:
        caption: What the table shows, with units.
        words: The headings of the columns of words, at the left.
        numbers: The headings of the columns of numbers.
        rows: The cells of each row; a plain text has no emphasis.
        row_headings: How many cells at the left are headings of the row.
        groups: The indices of rows that start a new group.
        remarks: Paragraphs below the table.
    """

    caption: str
    words: Sequence[str]
    numbers: Sequence[str]
    rows: Sequence[Sequence[Cell | str]]
    row_headings: int = 1
    groups: Sequence[int] = ()
    remarks: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, paragraphs, a list, then tables and the keys of drawings (HTML only)."""

    key: str
    heading: str
    paragraphs: Sequence[str] = ()
    items: Sequence[str] = ()
    blocks: Sequence[Table | str] = ()


@dataclass(frozen=True, slots=True)
class ReportDocument:
    """A title, an introduction, and sections."""

    title: str
    introduction: Sequence[str]
    sections: Sequence[Section]


def name_method(method: str) -> str:
    """Return the method's name in the paper; other methods keep their name."""
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
    """Return why there is no figure: not run, or undefined.

    >>> name_status({"ours": None, "status": "undefined"}), name_status({"ours": None})
    ('undefined', 'not run')
    """
    return "undefined" if figure.get("status") == "undefined" else NOT_RUN


def name_source(plain: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a sentence that names the model of an experiment with a single model; nothing without one.

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
