"""Appendix A: does the model prefer the real order of sentences, and does it miss a deleted one?"""

from __future__ import annotations

from typing import Any

from barthes.reproduction.page.document import Column, Section, Table, text_row
from barthes.reproduction.page.numerals import (
    MISSING,
    as_number,
    format_count,
    format_interval,
    format_share,
)
from barthes.reproduction.page.wording import name_source

__all__ = ["describe_deletion", "describe_ordering"]

_SUMMARY = (Column(""), Column("paper", True), Column("ours", True))


def describe_ordering(plain: dict[str, Any]) -> Section:
    """Appendix A.1: the share of permuted texts that are less likely than the original."""
    unit = "pairs of a tale and a permutation of it"
    tables = [_summary(plain, "Sentence ordering", unit, plain["pairs"], drawn="tales")]
    if plain.get("per_story"):
        columns = (Column("tale"), Column("accuracy (ours)", True))
        rows = tuple(text_row(name, format_share(value)) for name, value in plain["per_story"].items())
        tables.append(Table("Sentence ordering, accuracy of each tale", columns, rows))
    paragraph = "The likelihood of each tale against that of its own sentences in a random order."
    paragraphs = (paragraph, *name_source(plain))
    return Section("ordering", "Appendix A.1: sentence ordering", paragraphs, blocks=tuple(tables))


def describe_deletion(plain: dict[str, Any]) -> Section:
    """Appendix A.3: the share of deletions with σ > 0, and by the place of the deleted sentence."""
    tables = [_summary(plain, "Deletion detection", "deletions", plain["deletions"], drawn="stories")]
    if plain["by_position"]:
        columns = (Column("deleted sentence"), Column("accuracy (ours)", True), Column("deletions", True))
        rows = tuple(
            text_row(str(row["position"]), format_share(row["accuracy"]), format_count(row["count"]))
            for row in plain["by_position"]
        )
        tables.append(Table("Deletion detection by position of the deleted sentence", columns, rows))
    paragraph = (
        f"σ > 0 for each sentence of {format_count(plain['stories'])} ROCStories; chance is 50 %. "
        "The paper used both whole sets (45,495 and 52,664 stories)."
    )
    paragraphs = (paragraph, *name_source(plain))
    return Section("deletion", "Appendix A.3: deletion detection", paragraphs, blocks=tuple(tables))


def _summary(plain: dict[str, Any], name: str, unit: str, count: Any, *, drawn: str) -> Table:
    """The accuracy, and its interval over what was drawn again."""
    correct = MISSING if as_number(plain["correct"]) is None else format_count(plain["correct"])
    rows = (
        text_row("accuracy", format_share(plain["paper"]), format_share(plain["accuracy"])),
        text_row(f"95 % interval over {drawn}", MISSING, format_interval(plain["interval"], share=True)),
        text_row("correct", MISSING, correct),
        text_row(unit, MISSING, format_count(count)),
    )
    return Table(f"{name}: accuracy", _SUMMARY, rows)
