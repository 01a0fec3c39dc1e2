"""`barthes status`: how far a run is; `barthes export`: write its results as one table."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Literal

import typer
from typer import echo

from barthes.cli import shared_options as shared
from barthes.cli.command import Command
from barthes.cli.console import count, print_note
from barthes.cli.help_panels import argument, option
from barthes.cli.output import choose_format, describe_format
from barthes.report.escaping import printable

ExportFormat = Literal["parquet", "csv", "jsonl"]

_LISTED = 3  # texts with notes to print
_ENDINGS: dict[str, ExportFormat] = {".parquet": "parquet", ".csv": "csv", ".jsonl": "jsonl"}


def status_cli(run: Annotated[str, argument("RUN", "Folder or address of a run.")]) -> None:
    """Show how far a run is, and why texts failed.

    \b
    Examples:
      barthes status run/
      barthes status s3://bucket/run
    """
    from barthes.runs.results import RunResults

    results = RunResults(run)
    total, failures = len(results.manifest.inputs), results.failures
    left, done = total - len(results.outcomes), len(results.outcomes) - len(failures)
    echo(f"{done:,} of {total:,} texts are done, {len(failures):,} failed, {left:,} are left.")
    settings, environment = results.manifest.settings, results.manifest.environment
    about = [f"method {', '.join(settings['methods'])}"]
    about += [f"model {settings['model']}, {environment['precision']}"] if settings["model"] else []
    echo(printable("; ".join(about)))
    if noted := results.list_ids("noted"):
        echo(printable(describe_notes(noted, run)))
    for reason in failures.values():
        echo(printable(f"failed: {' '.join(reason.split())}"))


def describe_notes(noted: Sequence[str], run: str) -> str:
    """Return which texts have notes.

    >>> describe_notes(["wolf.txt"], "run/")
    '1 text has notes (wolf.txt); `barthes export run/ --format jsonl` shows them.'
    """
    texts = count(len(noted), "text has", "texts have")
    listed = ", ".join(noted[:_LISTED]) + (" …" if len(noted) > _LISTED else "")
    return f"{texts} notes ({listed}); `barthes export {run} --format jsonl` shows them."


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
    from barthes.runs.results import EXPORT_FORMATS, RunResults, export_run

    results = RunResults(run)
    if out is not None:
        export_run(results, out, format=chosen)
    else:
        EXPORT_FORMATS[chosen](results, sys.stdout.buffer)
    failed, noted = results.list_ids("failed"), results.list_ids("noted")
    left = len(results.manifest.inputs) - len(results.outcomes)
    if failed:
        print_note(f"{count(len(failed), 'text', 'texts')} failed; `barthes status {run}` shows why.")
    if left:
        texts = count(left, "text is", "texts are")
        print_note(f"{texts} not done yet; run the same `barthes run` command again, then export again.")
    if noted and chosen != "jsonl":
        texts = count(len(noted), "text has", "texts have")
        print_note(f"{texts} notes, which only --format jsonl shows.")


STATUS = Command(status_cli, panel="Score stories")
EXPORT = Command(export_cli, panel="Score stories")
