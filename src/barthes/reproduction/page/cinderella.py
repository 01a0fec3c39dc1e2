"""Appendix C: the toy story, its salience, and what each sentence loses when an earlier one is removed."""

from __future__ import annotations

from typing import Any

from barthes.reproduction.page.document import Cell, Column, Row, Section, Table, text_row
from barthes.reproduction.page.numerals import MISSING, format_difference, format_number
from barthes.reproduction.page.wording import name_source

__all__ = ["describe_cinderella"]

_COLUMNS = (
    Column(""),
    Column("sentence"),
    Column("salient"),
    Column("paper", True),
    Column("ours", True),
    Column("difference", True),
)


def describe_cinderella(plain: dict[str, Any]) -> Section:
    """The salience of the six sentences, then the influence tables, the paper's first."""
    tables = [
        Table("Salience of each sentence (SD), nats per token", _COLUMNS, _salience(plain["sentences"]))
    ]
    salient = [bool(sentence["salient"]) for sentence in plain["sentences"]]
    for source, heading in (("paper", "the paper’s"), ("ours", "ours")):
        if matrix := plain["influence"].get(source):
            tables.append(_influence(matrix, salient, heading))
    return Section("cinderella", "Appendix C: Cinderella", name_source(plain), blocks=tuple(tables))


def _salience(sentences: list[dict[str, Any]]) -> tuple[Row, ...]:
    return tuple(
        text_row(
            f"S{place}",
            sentence["text"],
            "✓" if sentence["salient"] else MISSING,
            format_number(sentence["paper"]),
            format_number(sentence["ours"]),
            format_difference(sentence["ours"], sentence["paper"]),
        )
        for place, sentence in enumerate(sentences, start=1)
    )


def _influence(matrix: list[list[Any]], salient: list[bool], heading: str) -> Table:
    names = [_name(place, salient) for place in range(len(matrix))]
    columns = (Column("loses"), *(Column(f"without {name}", True) for name in names))
    rows = tuple(
        Row((Cell(name), *(Cell(format_number(value)) for value in values)))
        for name, values in zip(names, matrix, strict=True)
    )
    caption = f"Influence, {heading}: what a sentence loses without an earlier one, nats per token"
    return Table(caption, columns, rows, remarks=("✓ marks the sentences with a salient event.",))


def _name(place: int, salient: list[bool]) -> str:
    return f"S{place + 1}" + (" ✓" if place < len(salient) and salient[place] else "")
