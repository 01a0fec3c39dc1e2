"""`barthes run`: score whole corpora, and go on after any interruption."""

from __future__ import annotations

import functools
import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from barthes.cli.console import count, echo, kept_when_interrupted, print_error, print_note
from barthes.cli.option_hints import name_options
from barthes.cli.shared_options import Device, Dtype, Language, Model, Seed, Sentences, Unit, Window
from barthes.methods import METHOD_NAMES, PRESETS, check_method
from barthes.models.embedded import DEFAULT_MODEL
from barthes.report.escaping import printable

if TYPE_CHECKING:
    from barthes.runs.scheduler import Progress, RunProgress, Summary

_SHOWN = 10  # failures and shards that are named
_LISTED = 3  # texts with notes that are named


def run_cli(
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TEXT...",
            help="Files, folders, patterns in quotes, or tables of texts (.tsv, .csv, .jsonl, .parquet).",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="RUN", help="The run's folder, or an address (s3://…)."),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            "-m",
            help=f"{', '.join((*METHOD_NAMES, *PRESETS))}, a sum or a rank sum; may be given again. "
            "[default: sd; va for events]",
        ),
    ] = None,
    unit: Unit = "sentence",
    model: Model = DEFAULT_MODEL,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=10_000,
            help="Processes. [default: one per GPU, otherwise one per core if memory allows]",
        ),
    ] = None,
    engine: Annotated[
        Literal["local", "ray"], typer.Option(help="Processes of this machine, or a Ray cluster.")
    ] = "local",
    address: Annotated[
        str | None,
        typer.Option(help="A Ray cluster: auto, host:port, ray://host:port. [default: start one here]"),
    ] = None,
    cpus_per_worker: Annotated[
        float | None, typer.Option(min=0, help="With Ray: cores. [default: --threads]", show_default=False)
    ] = None,
    gpus_per_worker: Annotated[
        float | None,
        typer.Option(min=0, help="With Ray: cards, 0.5 to share one. [default: 1 for --device cuda]"),
    ] = None,
    shard: Annotated[
        str | None, typer.Option(metavar="I/N", help="Only the I-th of N shares, for job arrays.")
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Score texts again that failed.")
    ] = False,
    status: Annotated[
        str | None, typer.Option(metavar="RUN", help="Show the progress of a run, and do nothing else.")
    ] = None,
    window: Window = None,
    sentences: Sentences = False,
    language: Language = None,
    id_column: Annotated[str, typer.Option(help="Of tables: the column with each text's name.")] = "id",
    text_column: Annotated[str, typer.Option(help="Of tables: the column with the text.")] = "text",
    cache: Annotated[
        bool,
        typer.Option("--cache/--no-cache", help="Take scores from earlier runs, and keep them for later."),
    ] = True,
    device: Device = "auto",
    dtype: Dtype = "auto",
    threads: Annotated[int, typer.Option(min=1, help="Processor threads of each worker.")] = 1,
    seed: Seed = 0,
) -> None:
    """Score whole corpora; after any interruption the same command goes on.

    Results are kept in the run's folder text by text. A text that fails is recorded with its reason and does
    not stop the others. `barthes export RUN` makes one table of them.

    \b
    Examples:
      barthes run tales/ --out run/                         every story in a folder
      barthes run tales/ --out run/                         the same again: scores what is missing
      barthes run --status run/                             progress, and what failed
      barthes run tales/ --out run/ --retry-failed          score again what failed
      barthes run 'books/*/*.epub' --out run/ -m sd -m sd+tfidf
      barthes run texts.parquet --id-column name --out run/
      barthes run tales/ --out /shared/run --shard 3/16     the third of sixteen jobs
      barthes run tales/ --out s3://bucket/run --engine ray --address auto
      barthes export run/ --format parquet --out scores.parquet
    """
    if status is not None:
        if texts or out is not None:
            raise typer.BadParameter("--status goes with nothing else: barthes run --status RUN")
        _show_status(status)
        return
    if not texts or out is None:
        raise typer.BadParameter("give texts, and a folder for the run: barthes run tales/ --out run/")
    on_ray = {"address": address, "cpus": cpus_per_worker, "gpus": gpus_per_worker}
    if engine == "local" and any(value is not None for value in on_ray.values()):
        raise typer.BadParameter("--address, --cpus-per-worker and --gpus-per-worker go with --engine ray")
    methods = method or ["va" if unit == "event" else "sd"]
    for each in methods:
        check_method(each)
    from barthes.runs.run_settings import RunSettings, Shard
    from barthes.runs.text_tables import Columns

    given = locals()
    names = ("unit", "model", "window", "language", "sentences", "seed", "device", "dtype", "threads")
    settings = RunSettings(tuple(methods), **{name: given[name] for name in names})
    quiet = redirect_stdout(io.StringIO())  # Ray prints there that a worker has died
    with kept_when_interrupted(out), quiet, _show_progress() as progress:
        summary = _choose_engine(engine, on_ray)(
            texts,
            out,
            settings,
            workers=workers,
            shard=Shard() if shard is None else Shard.parse(shard),
            retry_failed=retry_failed,
            cache=cache,
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
    """Report the result; failures end the command with exit code 2."""
    if summary.damaged:
        files = count(summary.damaged, "damaged result file", "damaged result files")
        unused = "was not used: its" if summary.damaged == 1 else "were not used: their"
        print_note(f"{files} in {out} {unused} texts were scored again.")
    progress = summary.progress
    print_error(
        f"{progress.done:,} of {progress.total:,} texts are done ({summary.scored:,} now); "
        f"results are in {out}."
    )
    if summary.noted:
        print_note(_describe_notes(summary.noted, out))
    if summary.failures:
        for reason in list(summary.failures.values())[:_SHOWN]:
            print_error(f"failed: {_one_line(reason)}")
        more = len(summary.failures) - _SHOWN
        if more > 0:
            print_error(f"… and {more:,} more: barthes run --status {out}")
        print_error(f"{count(len(summary.failures), 'text', 'texts')} failed; --retry-failed tries again.")
        raise typer.Exit(2)


def _show_status(run: str) -> None:
    """Print how far a run is, and which texts failed."""
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
    if begun := results.begun:
        echo(f"{count(begun, 'long text is', 'long texts are')} done in part.")
    if damaged := len(results.index.damaged):
        files = count(damaged, "result file is", "result files are")
        echo(f"{files} damaged: the next start scores the texts again.")
    about = [f"method {', '.join(settings['methods'])}"]
    about += [f"model {settings['model']}, {settings['precision']}"] if settings["model"] else []
    echo(printable("; ".join(about)))
    if results.noted:
        echo(printable(_describe_notes(results.noted, run)))
    for reason in results.failures.values():
        echo(printable(f"failed: {_one_line(reason)}"))


def _describe_notes(noted: Sequence[str], run: str) -> str:
    """Return which results have notes, which tables do not show.

    >>> _describe_notes(["wolf.txt"], "run/")
    '1 text has notes (wolf.txt): barthes export run/ --format jsonl shows them.'
    """
    texts = count(len(noted), "text has", "texts have")
    listed = ", ".join(noted[:_LISTED]) + (" …" if len(noted) > _LISTED else "")
    return f"{texts} notes ({listed}): barthes export {run} --format jsonl shows them."


def _one_line(reason: str) -> str:
    """Return a failure's reason on one line, with the options to use."""
    return " ".join(name_options(reason).split())


@contextmanager
def _show_progress() -> Iterator[Progress]:
    """Show a line with the progress if there is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as ProgressBar

    console = Console(file=sys.stderr)
    columns = (BarColumn(), TextColumn("{task.description}", markup=False))
    bar = ProgressBar(*columns, console=console, transient=True, disable=not console.is_terminal)
    with bar:
        task = bar.add_task("scanning existing results", total=None)

        def show(progress: RunProgress) -> None:
            finished = progress.done + progress.failed
            bar.update(task, completed=finished, total=progress.total, description=_describe(progress))

        yield show


def _describe(progress: RunProgress) -> str:
    """Return how far a run is, on one line.

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
