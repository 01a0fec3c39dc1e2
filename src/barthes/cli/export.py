"""`barthes export`: the results of a run as one table."""

from __future__ import annotations

import enum
import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from barthes.cli.complaints import remark
from barthes.cli.streams import stdout_guarded

if TYPE_CHECKING:
    from barthes.runs.results import RunResults

__all__ = ["ExportFormat", "export_cli"]


class ExportFormat(enum.StrEnum):
    """How the results of a run can be written."""

    PARQUET = "parquet"
    CSV = "csv"
    JSONL = "jsonl"


def export_cli(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The folder of a run, or its address.")],
    format: Annotated[  # noqa: A002 - the option's name
        ExportFormat | None,
        typer.Option("--format", "-f", help="By default by the ending of --out, else csv."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write to this file (atomically).")] = None,
) -> None:
    """Write the results of a run as one table, in the order of its texts.

    CSV and Parquet have a row for each sentence (or event) and method, JSON Lines a line for each text and
    method. Of a run that is not finished, all results so far are written.

    \b
    Examples:
      barthes export run/ --out scores.parquet
      barthes export run/ --format csv --out scores.csv
      barthes export run/ --format jsonl | head -n 1
    """
    chosen = format or _guess(out)
    if out is None and chosen is ExportFormat.PARQUET:
        raise typer.BadParameter("Parquet needs a file: --out scores.parquet")
    from barthes.runs.export import export_run
    from barthes.runs.results import RunResults

    results = RunResults(run)
    if out is None:
        _print(results, chosen)
    else:
        export_run(results, out, format=chosen.value)
    _tell_rest(results, run)
    if results.noted and chosen is not ExportFormat.JSONL:
        texts = "1 text has" if len(results.noted) == 1 else f"{len(results.noted):,} texts have"
        remark(f"{texts} notes, for which rows have no room: --format jsonl shows them.")


def _tell_rest(results: RunResults, run: str) -> None:
    """Say which texts are not in the table: those that failed, and those whose turn has not come."""
    failed = len(results.failures)
    left = len(results.manifest.inputs) - len(results.finished) - failed
    if failed:
        texts = "1 text" if failed == 1 else f"{failed:,} texts"
        remark(f"{texts} failed: barthes run --status {run} tells why.")
    if left:
        texts = "1 text is" if left == 1 else f"{left:,} texts are"
        remark(f"{texts} not done yet: give the `barthes run` command again, then export again.")


def _guess(out: Path | None) -> ExportFormat:
    if out is None:
        return ExportFormat.CSV
    try:
        return ExportFormat(out.suffix.lower().removeprefix("."))
    except ValueError:
        raise typer.BadParameter(
            f"say the format of {out.name} with --format parquet, csv or jsonl"
        ) from None


def _print(results: RunResults, chosen: ExportFormat) -> None:
    from barthes.runs.export import export_to_stream

    with stdout_guarded():
        stream = getattr(sys.stdout, "buffer", None)
        if stream is not None:
            export_to_stream(results, stream, format=chosen.value)
            return
        held = io.BytesIO()  # a stream of text that has no bytes behind it
        export_to_stream(results, held, format=chosen.value)
        sys.stdout.write(held.getvalue().decode("utf-8"))
