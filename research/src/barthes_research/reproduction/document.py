"""What the reproduction's pages call methods and models, and how they show tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from barthes.report.escaping import escape_markdown, pipe_table, printable

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


class Markdown(str):
    """Text that is Markdown already; any other text is escaped."""


def mark_up(text: str) -> str:
    """Return a text as Markdown.

    >>> mark_up("a*b"), mark_up(emphasize("a*b"))
    ('a\\\\*b', '*a\\\\*b*')
    """
    return text if isinstance(text, Markdown) else escape_markdown(text)


def emphasize(text: str, stars: str = "*", mark: str = "") -> Markdown:
    """Return a text between stars, with a mark such as † after them."""
    return Markdown(f"{stars}{escape_markdown(text)}{stars}{mark}")


def tabulate(
    caption: str,
    words: Sequence[str],
    numbers: Sequence[str],
    rows: Iterable[Sequence[str]],
    *remarks: str,
) -> list[str]:
    """Return a caption, a table and remarks as blocks of Markdown.

    `words` are the headings of the columns of words, at the left; `numbers` those of the others.
    """
    header = [mark_up(heading) for heading in (*words, *numbers)]
    cells = [[mark_up(cell) for cell in row] for row in rows]
    table = pipe_table(header, cells, words=header[: len(words)])
    return [emphasize(caption, "**"), table, *map(mark_up, remarks)]


def name_method(method: str) -> str:
    """Return the method's name in the paper; other methods keep their name."""
    return _METHODS.get(method, method)


def name_fine_tuning(fine_tuning: str | None) -> str:
    """Return the name of a fine-tuning.

    >>> name_fine_tuning(None), name_fine_tuning("domain")
    ('none', 'domain')
    """
    return fine_tuning or "none"


def name_status(figure: Mapping[str, Any]) -> str:
    """Return why there is no figure: not run, or undefined.

    >>> name_status({"ours": None, "status": "undefined"}), name_status({"ours": None})
    ('undefined', 'not run')
    """
    return "undefined" if figure.get("status") == "undefined" else NOT_RUN


def name_source(plain: Mapping[str, Any]) -> list[str]:
    """Return a paragraph that names the model of an experiment with a single model; nothing without one.

    >>> name_source({"model": "gpt2", "fine_tuning": None})
    ['The language model is gpt2 (fine-tuning: none).']
    """
    if not plain.get("model"):
        return []
    fine_tuning = name_fine_tuning(plain.get("fine_tuning"))
    return [mark_up(f"The language model is {plain['model']} (fine-tuning: {fine_tuning}).")]


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
