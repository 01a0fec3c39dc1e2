"""`barthes run`: score whole corpora, with resumption; `barthes export`: write the results as one table."""

from __future__ import annotations

import functools
import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from barthes.cli import shared_options as shared
from barthes.cli.command import Command
from barthes.cli.console import count, echo, guarded_stdout, open_bar, print_error, print_note, resumable
from barthes.cli.help_panels import argument, option
from barthes.cli.output import choose_format, describe_format
from barthes.methods import check_method
from barthes.models.embedded import DEFAULT_MODEL
from barthes.report.escaping import printable

if TYPE_CHECKING:
    from barthes.runs.scheduler import Progress, RunProgress, Summary

ExportFormat = Literal["parquet", "csv", "jsonl"]

_SHOWN = 10  # failures and shards to print
_LISTED = 3  # texts with notes to print
_ENDINGS: dict[str, ExportFormat] = {".parquet": "parquet", ".csv": "csv", ".jsonl": "jsonl"}


def run_cli(
    texts: Annotated[
        list[str] | None,
        argument(
            "TEXT",
            "Files, folders, quoted patterns, or tables of texts (.tsv, .csv, .jsonl, .parquet).",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        str | None, option("Output", "Folder or address (s3://…) of the run.", "--out", "-o", metavar="RUN")
    ] = None,
    method: Annotated[
        list[str] | None,
        option(
            "Method",
            f"{shared.METHOD_HELP} Repeatable. [default: sd; va for events]",
            "--method",
            "-m",
            metavar="METHOD",
        ),
    ] = None,
    unit: shared.Unit = "sentence",
    model: shared.Model = DEFAULT_MODEL,
    workers: Annotated[
        int | None,
        option(
            "Cluster",
            "Number of processes. [default: one per GPU, otherwise one per core if memory allows]",
            min=1,
            max=10_000,
        ),
    ] = None,
    engine: Annotated[
        Literal["local", "ray"], option("Cluster", "Run processes on this machine, or on a Ray cluster.")
    ] = "local",
    address: Annotated[
        str | None,
        option("Cluster", "Ray: auto, host:port or ray://host:port. [default: start one]", metavar="ADDRESS"),
    ] = None,
    cpus_per_worker: Annotated[
        float | None, option("Cluster", "Ray: cores per process. [default: --threads]", min=0)
    ] = None,
    gpus_per_worker: Annotated[
        float | None,
        option("Cluster", "Ray: GPUs per process; 0.5 shares one. [default: 1 for --device cuda]", min=0),
    ] = None,
    shard: Annotated[
        str | None, option("Cluster", "Score only the I-th of N shares, for job arrays.", metavar="I/N")
    ] = None,
    retry_failed: Annotated[bool, option("Other", "Score failed texts again.", "--retry-failed")] = False,
    status: Annotated[str | None, option("Other", "Show a run's progress and exit.", metavar="RUN")] = None,
    window: shared.Window = None,
    sentences: shared.Sentences = False,
    with_speakers: shared.WithSpeakers = False,
    language: shared.Language = None,
    encoding: shared.Encoding = None,
    id_column: Annotated[str, option("Input", "Table column with the name of a text.")] = "id",
    text_column: Annotated[str, option("Input", "Table column with the text.")] = "text",
    no_cache: shared.NoCache = False,
    device: shared.Device = "auto",
    dtype: shared.Dtype = "auto",
    threads: Annotated[int, option("Cluster", "CPU threads per process.", min=1)] = 1,
    seed: shared.Seed = 0,
) -> None:
    """Score whole corpora; can be interrupted and continued.

    Run the same command again to continue. Results are saved text by text in the folder of the run. Texts
    that fail are recorded with the reason and do not stop the others. `barthes export RUN` writes one table.

    \b
    Examples:
      barthes run tales/ --out run/                     a folder of stories
      barthes run --status run/                         progress and failures
      barthes run tales/ --out run/ --retry-failed      try again what failed
      barthes run 'books/*/*.epub' --out run/ -m sd -m sd+tfidf
      barthes run texts.parquet --id-column name --out run/
      barthes run tales/ --out /shared/run --shard 3/16
      barthes run tales/ --out s3://bucket/run --engine ray --address auto
      barthes export run/ --out scores.parquet
    """
    if status is not None:
        if texts or out is not None:
            raise typer.BadParameter("--status takes no other arguments: barthes run --status RUN")
        _show_status(status)
        return
    if not texts or out is None:
        raise typer.BadParameter("give texts and a folder for the run: barthes run tales/ --out run/")
    on_ray = {"address": address, "cpus": cpus_per_worker, "gpus": gpus_per_worker}
    if engine == "local" and any(value is not None for value in on_ray.values()):
        raise typer.BadParameter("--address, --cpus-per-worker and --gpus-per-worker need --engine ray")
    methods = tuple(method or ["va" if unit == "event" else "sd"])
    for each in methods:
        check_method(each)
    from barthes.runs.run_settings import RunSettings, Shard
    from barthes.runs.text_tables import Columns

    given = locals()
    names = {field.name for field in fields(RunSettings)} - {"part_tokens"}
    settings = RunSettings(**{name: given[name] for name in names})
    quiet = redirect_stdout(io.StringIO())  # Ray prints there that a worker has died
    with resumable(out), quiet, _show_progress() as progress:
        summary = _choose_engine(engine, on_ray)(
            texts,
            out,
            settings,
            workers=workers,
            shard=Shard() if shard is None else Shard.parse(shard),
            retry_failed=retry_failed,
            cache=not no_cache,
            columns=Columns(id_column, text_column),
            progress=progress,
        )
    _conclude(summary, out)


def _choose_engine(engine: str, on_ray: dict[str, Any]) -> Callable[..., Summary]:
    from barthes.runs.corpus_run import run_corpus

    if engine == "local":
        return run_corpus
    from barthes.runs.ray_run import run_on_ray

    return functools.partial(run_on_ray, notify=print_note, **on_ray)


def _conclude(summary: Summary, out: str) -> None:
    """Print a summary; exit with code 2 if texts failed."""
    if summary.damaged:
        files = count(summary.damaged, "damaged result file", "damaged result files")
        print_note(f"{files} in {out}; the texts were scored again.")
    progress = summary.progress
    done = f"{progress.done:,} of {progress.total:,} texts are done ({summary.scored:,} now)"
    print_error(f"{done}; results are in {out}.")
    if summary.noted:
        print_note(_describe_notes(summary.noted, out))
    if summary.failures:
        for reason in list(summary.failures.values())[:_SHOWN]:
            print_error(f"failed: {_one_line(reason)}")
        more = len(summary.failures) - _SHOWN
        if more > 0:
            print_error(f"… and {more:,} more; `barthes run --status {out}` lists all.")
        print_error(f"{count(len(summary.failures), 'text', 'texts')} failed; try again with --retry-failed.")
        raise typer.Exit(2)


def _show_status(run: str) -> None:
    """Print the progress of a run and the texts that failed."""
    from barthes.runs.run_results import RunResults

    results = RunResults(run)
    progress, left, settings = results.progress, results.count_left(), results.manifest.settings
    total, done, failed = progress.total, progress.done, progress.failed
    echo(f"{done:,} of {total:,} texts are done, {failed:,} failed, {total - done - failed:,} are left.")
    for shard, texts in list(left.items())[:_SHOWN]:
        left_over = count(texts, "of its texts is", "of its texts are")
        echo(f"--shard {shard.index}/{shard.count}: {left_over} left.")
    if len(left) > _SHOWN:
        echo(f"… and {len(left) - _SHOWN:,} more shards have texts left.")
    if damaged := len(results.index.damaged):
        files = count(damaged, "result file is", "result files are")
        echo(f"{files} damaged; the texts will be scored again.")
    about = [f"method {', '.join(settings['methods'])}"]
    about += [f"model {settings['model']}, {settings['precision']}"] if settings["model"] else []
    echo(printable("; ".join(about)))
    if results.noted:
        echo(printable(_describe_notes(results.noted, run)))
    for reason in results.failures.values():
        echo(printable(f"failed: {_one_line(reason)}"))


def _describe_notes(noted: Sequence[str], run: str) -> str:
    """Return which texts have notes.

    >>> _describe_notes(["wolf.txt"], "run/")
    '1 text has notes (wolf.txt); `barthes export run/ --format jsonl` shows them.'
    """
    texts = count(len(noted), "text has", "texts have")
    listed = ", ".join(noted[:_LISTED]) + (" …" if len(noted) > _LISTED else "")
    return f"{texts} notes ({listed}); `barthes export {run} --format jsonl` shows them."


def _one_line(reason: str) -> str:
    """Return the reason of a failure on one line."""
    return " ".join(reason.split())


@contextmanager
def _show_progress() -> Iterator[Progress]:
    from rich.progress import BarColumn, TextColumn

    with open_bar(BarColumn(), TextColumn("{task.description}", markup=False)) as bar:
        task = bar.add_task("scanning existing results", total=None)

        def show(progress: RunProgress) -> None:
            finished = progress.done + progress.failed
            bar.update(task, completed=finished, total=progress.total, description=_describe(progress))

        yield show


def _describe(progress: RunProgress) -> str:
    """Return the progress of a run on one line.

    >>> from barthes.runs.scheduler import RunProgress
    >>> _describe(RunProgress(800, 40, 1, tokens_per_second=1234.5, seconds_left=4000))
    '40 of 800 texts, 1 failed, 1,234 tokens/s, 1 h 6 min left'
    """
    parts = [f"{progress.done:,} of {progress.total:,} texts"]
    if progress.failed:
        parts.append(f"{progress.failed:,} failed")
    if progress.tokens_per_second is not None:
        parts.append(f"{progress.tokens_per_second:,.0f} tokens/s")
    if progress.seconds_left is not None:
        minutes = int(progress.seconds_left // 60)
        hours = f"{minutes // 60} h " if minutes >= 60 else ""
        left = f"{hours}{minutes % 60} min" if minutes else f"{int(progress.seconds_left)} s"
        parts.append(f"{left} left")
    return ", ".join(parts)


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
    from barthes.runs.run_results import EXPORT_FORMATS, RunResults, export_run

    results = RunResults(run)
    if out is not None:
        export_run(results, out, format=chosen)
    else:
        with guarded_stdout():
            stream = getattr(sys.stdout, "buffer", None)
            buffer = io.BytesIO() if stream is None else stream  # stdout may be replaced by a text stream
            EXPORT_FORMATS[chosen](results, buffer)
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


RUN = Command(run_cli, panel="Score stories")
EXPORT = Command(export_cli, panel="Score stories")
