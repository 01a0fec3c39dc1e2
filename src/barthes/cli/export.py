"""`barthes export`: the results of a run as one table."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from barthes.cli.console import count, guarded_stdout, print_note
from barthes.cli.output import choose_format
from barthes.cli.shared_options import OutFile

if TYPE_CHECKING:
    from barthes.runs.run_results import RunResults

ExportFormat = Literal["parquet", "csv", "jsonl"]

_ENDINGS: dict[str, ExportFormat] = {".parquet": "parquet", ".csv": "csv", ".jsonl": "jsonl"}


def export_cli(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The folder of a run, or its address.")],
    format: Annotated[  # noqa: A002 - the option's name
        ExportFormat | None,
        typer.Option("--format", "-f", help="By default by the ending of --out, else csv."),
    ] = None,
    out: OutFile = None,
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
    chosen = choose_format(format, out, _ENDINGS, "csv")
    if out is None and chosen == "parquet":
        raise typer.BadParameter("Parquet needs a file: --out scores.parquet")
    from barthes.runs.run_results import RunResults, export_run

    results = RunResults(run)
    if out is None:
        _print(results, chosen)
    else:
        export_run(results, out, format=chosen)
    _note_missing(results, run)
    if results.noted and chosen != "jsonl":
        texts = count(len(results.noted), "text has", "texts have")
        print_note(f"{texts} notes, which rows do not show: use --format jsonl.")


def _note_missing(results: RunResults, run: str) -> None:
    """Print how many texts are not in the table: those that failed, and those not done yet."""
    failed = len(results.failures)
    left = len(results.manifest.inputs) - len(results.finished) - failed
    if failed:
        print_note(f"{count(failed, 'text', 'texts')} failed: barthes run --status {run} shows why.")
    if left:
        texts = count(left, "text is", "texts are")
        print_note(f"{texts} not done yet: give the `barthes run` command again, then export again.")


def _print(results: RunResults, chosen: ExportFormat) -> None:
    from barthes.runs.run_results import export_to_stream

    with guarded_stdout():
        stream = getattr(sys.stdout, "buffer", None)
        if stream is not None:
            export_to_stream(results, stream, format=chosen)
            return
        buffer = io.BytesIO()  # standard output has been replaced by a stream of text
        export_to_stream(results, buffer, format=chosen)
        sys.stdout.write(buffer.getvalue().decode("utf-8"))
