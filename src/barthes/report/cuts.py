"""Show the cuts of a shortened story as a table in the terminal, and write them as TSV or CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import TextIO

from rich.text import Text

from barthes.cutting.shortened import Cut, Shortened
from barthes.report.escaping import printable
from barthes.report.terminal import new_table, open_console
from barthes.report.wording import count, excerpt

CUT_COLUMNS = (
    "story",
    "number",
    "start",
    "end",
    "order",
    "words",
    "cost",
    "importance_rank",
    "missed_by",
    "text",
)
"""The columns of a list of cuts; numbers count from 1. `missed_by` are number:nats, separated by spaces."""


def describe_cuts(shortened: Shortened) -> str:
    """Return how much was cut, in one sentence.

    >>> from barthes.narrative import Narrative
    >>> describe_cuts(Shortened(Narrative.from_sentences(["It rained.", "A wolf came."]), (), 5))
    '0 of 2 sentences cut: 5 of 5 words are left (target: 5).'
    """
    number = len(shortened.narrative)
    return (
        f"{len(shortened.cuts):,} of {count(number, shortened.narrative.unit)} cut: {shortened.words:,} of "
        f"{shortened.words_before:,} words are left (target: {shortened.target:,})."
    )


def print_cuts(shortened: Shortened, *, file: TextIO) -> None:
    """Write the list of cuts to a stream, in the order of the story."""
    console = open_console(file)
    unit = shortened.narrative.unit
    table = new_table(unit, "words", "cost", "readers", "missed by", left=["missed by"])
    table.add_column("", overflow="fold", ratio=1)
    for each in shortened.cuts:
        missed_by = ", ".join(str(index + 1) for index, _ in each.missed_by[:3])
        number = str(each.sentence.index + 1)
        text = Text(printable(excerpt(each.sentence, unit)))
        rank = str(each.importance_rank or "–")
        table.add_row(number, str(each.words), f"{each.cost:+.1f}", rank, missed_by, text)
    console.print(table)
    legend = "cost: nats that the rest loses (estimated); readers: rank for readers"
    console.print_lines([legend], style="italic")
    console.print_lines([describe_cuts(shortened)], style="bold")
    console.print_lines((f"Note: {note}" for note in shortened.notes), style="italic")


def to_cut_rows(shortened: Shortened, *, delimiter: str) -> str:
    """Return one row per cut, in the order of the story, after a header."""
    header = _write_row(CUT_COLUMNS, delimiter)
    return header + "".join(write_cut(shortened, each, delimiter=delimiter) for each in shortened.cuts)


def write_cut(shortened: Shortened, each: Cut, *, delimiter: str) -> str:
    """Return the row of one cut."""
    row = each.to_dict() | {"story": shortened.narrative.title, "text": str(each.sentence)}
    row |= {"number": each.sentence.index + 1, "cost": round(each.cost, 2)}
    row["missed_by"] = " ".join(f"{index + 1}:{lost:.2f}" for index, lost in each.missed_by)
    return _write_row([row[column] for column in CUT_COLUMNS], delimiter)


def _write_row(values: Sequence[object], delimiter: str) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerow(values)
    return out.getvalue()
