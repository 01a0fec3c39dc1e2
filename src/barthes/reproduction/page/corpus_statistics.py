"""Table 1: how many stories, sentences, words and functions."""

from __future__ import annotations

from typing import Any

from barthes.reproduction.page.document import Column, Section, Table, text_row
from barthes.reproduction.page.numerals import format_count, format_difference

__all__ = ["describe_corpus"]

_COLUMNS = (Column(""), Column("paper", True), Column("ours", True), Column("difference", True))


def describe_corpus(plain: dict[str, Any]) -> Section:
    """The corpus as the paper counts it and as we read it."""
    rows = tuple(
        text_row(row["name"], format_count(row["paper"]), format_count(row["ours"]), _difference(row))
        for row in plain["rows"]
    )
    table = Table("Table 1: statistics of the corpus", _COLUMNS, rows)
    return Section("table1", "Table 1: the corpus", blocks=(table,))


def _difference(row: dict[str, Any]) -> str:
    whole = isinstance(row["ours"], int) and isinstance(row["paper"], int)
    return format_difference(row["ours"], row["paper"], 0 if whole else 1)
