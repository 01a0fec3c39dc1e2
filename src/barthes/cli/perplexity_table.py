"""Perplexities as a table for people, as rows and as JSON for programs."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TextIO

from barthes.errors import OutputError
from barthes.models.perplexity import Perplexity, TextPerplexity
from barthes.report.escaping import printable

__all__ = ["COLUMNS", "PerplexityFormat", "choose_format", "print_perplexities", "render_perplexities"]

COLUMNS = ("model", "text", "tokens", "log_probability", "mean_log_probability", "perplexity")
"""The columns of TSV and CSV; log-probabilities are in nats."""

_MISSING = "–"


class PerplexityFormat(StrEnum):
    """How perplexities are written."""

    TABLE = "table"
    TSV = "tsv"
    CSV = "csv"
    JSON = "json"


_DELIMITERS = {PerplexityFormat.TSV: "\t", PerplexityFormat.CSV: ","}


def choose_format(chosen: PerplexityFormat | None, out: Path | None) -> PerplexityFormat:
    """The format that was asked for, else the one of the file's ending, else a table.

    Raises:
        OutputError: There is no format for files with this ending.
    """
    ending = "" if out is None else out.suffix.lower().removeprefix(".")
    if chosen is not None or ending in ("", "txt"):
        return chosen or PerplexityFormat.TABLE
    if ending not in ("tsv", "csv", "json"):
        raise OutputError(
            f"there is no format for files that end in .{ending}.",
            where=out,
            remedy="Use .tsv, .csv, .json, .txt for a table, or add --format.",
        )
    return PerplexityFormat(ending)


def render_perplexities(perplexities: Sequence[Perplexity], chosen: PerplexityFormat) -> str:
    """The figures of one model or several as the text of a file."""
    if chosen is PerplexityFormat.TABLE:
        stream = io.StringIO()
        print_perplexities(perplexities, file=stream)
        return stream.getvalue()
    if chosen is PerplexityFormat.JSON:
        content = {"models": [perplexity.to_dict() for perplexity in perplexities]}
        return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    out = io.StringIO()
    writer = csv.writer(out, delimiter=_DELIMITERS[chosen], lineterminator="\n")
    writer.writerow(COLUMNS)
    for perplexity in perplexities:
        for text in (*perplexity.texts, perplexity.total):
            row = text.to_dict() | {"model": perplexity.model}
            writer.writerow([row[column] for column in COLUMNS])
    return out.getvalue()


def print_perplexities(perplexities: Sequence[Perplexity], *, file: TextIO) -> None:
    """Write a table with a row a text, the models side by side; as wide as the terminal."""
    from rich.table import Table
    from rich.text import Text

    from barthes.report.terminal import PlainConsole

    console = PlainConsole(file=file, highlight=False)
    if not console.is_terminal:  # a file has no width
        console = PlainConsole(file=file, width=80 + 30 * len(perplexities), highlight=False)
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("text", overflow="fold", vertical="bottom")
    for perplexity in perplexities:
        name = printable(f"{perplexity.model} ({perplexity.precision})")
        for column in ("tokens", "log P/token", "perplexity"):
            header = Text(f"{name}\n{column}" if column == "perplexity" else f"\n{column}")
            table.add_column(header, justify="right")
    rows = list(zip(*(perplexity.texts for perplexity in perplexities), strict=True))
    for row in rows:
        table.add_row(Text(printable(row[0].title)), *(cell for text in row for cell in _cells(text)))
    if len(rows) > 1:
        table.add_section()
        totals = (cell for perplexity in perplexities for cell in _cells(perplexity.total))
        table.add_row("all", *totals, style="bold")
    console.print(table)


def _cells(text: TextPerplexity) -> tuple[str, str, str]:
    mean = text.mean_log_probability
    return f"{text.tokens:,}", _MISSING if mean is None else f"{mean:.3f}", describe(text.perplexity)


def describe(perplexity: float | None) -> str:
    """A perplexity to two decimals, or to the nearest whole number where it is large.

    >>> describe(21.347), describe(12345.6), describe(math.inf), describe(None)
    ('21.35', '12,346', '∞', '–')
    """
    if perplexity is None:
        return _MISSING
    if math.isinf(perplexity):
        return "∞"
    return f"{perplexity:,.0f}" if perplexity >= 1000 else f"{perplexity:.2f}"
