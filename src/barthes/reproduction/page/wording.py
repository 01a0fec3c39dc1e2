"""The paper's names for the short ones of the JSON, and text made safe to show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from barthes.report.escaping import printable

__all__ = [
    "FINE_TUNINGS",
    "METHODS",
    "MODES",
    "NOT_RUN",
    "PROPOSED",
    "clean",
    "name_fine_tuning",
    "name_method",
    "name_row",
    "name_source",
    "name_status",
]

METHODS = {
    "random": "Random",
    "position": "Sentence position (asc)",
    "position-desc": "Sentence position (desc)",
    "tfidf": "TF-IDF",
    "sd": "SD",
    "va": "VA",
    "paa": "PAA",
}
PROPOSED = ("sd", "va", "paa")
FINE_TUNINGS = {"none": "none", "domain": "domain", "transductive": "transductive"}
NOT_RUN = "not run"
MODES = {
    "paper": "as the authors ran it: PTB-style tokens joined by spaces, and the window and the first "
    "sentence as in their release where it departs from the formula",
    "published-formula": "the formula of the paper to the letter: natural text and contiguous windows",
}


def name_method(method: str) -> str:
    """The method as the paper calls it; one that it does not have keeps its own name."""
    return METHODS.get(method, method)


def name_fine_tuning(fine_tuning: str | None) -> str:
    """The setting of the language model's training."""
    return FINE_TUNINGS.get(fine_tuning or "none", fine_tuning or "none")


def name_row(row: Mapping[str, Any]) -> str:
    """A row of Table 2 in one line.

    >>> name_row({"method": "sd", "tfidf": True, "fine_tuning": "domain"})
    'SD + TF-IDF, domain'
    """
    name = name_method(row["method"]) + (" + TF-IDF" if row["tfidf"] else "")
    return f"{name}, {name_fine_tuning(row['fine_tuning'])}" if row["fine_tuning"] else name


def name_status(figure: Mapping[str, Any]) -> str:
    """Why there is no figure: it was not run, or it is not defined.

    >>> name_status({"ours": None, "status": "undefined"}), name_status({"ours": None})
    ('undefined', 'not run')
    """
    return "undefined" if figure.get("status") == "undefined" else NOT_RUN


def name_source(plain: Mapping[str, Any]) -> tuple[str, ...]:
    """The one model that an experiment asked, as a sentence; nothing where it does not say.

    >>> name_source({"model": "gpt2", "fine_tuning": None})
    ('The language model is gpt2 (fine-tuning: none).',)
    """
    if not plain.get("model"):
        return ()
    setting = name_fine_tuning(plain.get("fine_tuning"))
    return (f"The language model is {plain['model']} (fine-tuning: {setting}).",)


def clean(value: Any) -> Any:
    """The plain dict with all its texts, names of stories too, on one line and free of control characters.

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
