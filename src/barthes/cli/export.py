"""`barthes export`: the results of a run as one table."""

from __future__ import annotations

import io
import sys
from typing import Annotated, Literal

import typer

from barthes.cli import shared_options as shared
from barthes.cli.console import count, guarded_stdout, print_note
from barthes.cli.help_panels import argument, option
from barthes.cli.output import choose_format, describe_format

ExportFormat = Literal["parquet", "csv", "jsonl"]

_ENDINGS: dict[str, ExportFormat] = {".parquet": "parquet", ".csv": "csv", ".jsonl": "jsonl"}


def export_cli(
    run: Annotated[str, argument("RUN", "Folder or address of a run.")],
    format: Annotated[  # noqa: A002 - the option's name
        ExportFormat | None, option("Output", describe_format("csv"), "--format", "-f")
    ] = None,
    out: shared.OutFile = None,
) -> None:
    """Write the results of a run as one table.

    CSV and Parquet have a row per sentence (or event) and method, JSON Lines a line per text and method, in
    the order of the texts. For a run that is not finished, the results so far are written.

    \b
    Examples:
      barthes export run/ --out scores.parquet
      barthes export run/ --format csv --out scores.csv
      barthes export run/ --format jsonl | head -n 1
    """
    chosen = choose_format(format, out, _ENDINGS, "csv")
    if out is None and chosen == "parquet":
        raise typer.BadParameter("Parquet needs a file: --out scores.parquet")
    from barthes.runs.run_results import RunResults, export_run, export_to_stream

    results = RunResults(run)
    if out is not None:
        export_run(results, out, format=chosen)
    else:
        with guarded_stdout():
            stream = getattr(sys.stdout, "buffer", None)
            buffer = io.BytesIO() if stream is None else stream  # stdout may be replaced by a text stream
            export_to_stream(results, buffer, format=chosen)
            if stream is None:
                sys.stdout.write(buffer.getvalue().decode("utf-8"))
    failed = len(results.failures)
    left = len(results.manifest.inputs) - len(results.finished) - failed
    if failed:
        print_note(f"{count(failed, 'text', 'texts')} failed; `barthes run --status {run}` shows why.")
    if left:
        texts = count(left, "text is", "texts are")
        print_note(f"{texts} not done yet; run the same `barthes run` command again, then export again.")
    if results.noted and chosen != "jsonl":
        texts = count(len(results.noted), "text has", "texts have")
        print_note(f"{texts} notes, which only --format jsonl shows.")
