"""`barthes run`: whole corpora, resumable."""

from __future__ import annotations

import enum
import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from barthes.cli.complaints import complain, remark
from barthes.cli.interruption import termination_interrupts
from barthes.cli.options import Device, Dtype, Language, Model, Sentences, Window
from barthes.cli.output import Unit
from barthes.cli.run_status import show_status, tell_notes
from barthes.methods import METHOD_NAMES, PRESETS, check_method
from barthes.models.embedded import DEFAULT_MODEL

if TYPE_CHECKING:
    from barthes.runs.course import Course, Watch
    from barthes.runs.work import Summary

__all__ = ["EngineName", "run_cli"]

_SHOWN = 10  # failures that are named


class EngineName(enum.StrEnum):
    """Who computes."""

    LOCAL = "local"
    RAY = "ray"


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
    unit: Annotated[Unit, typer.Option(help="Score sentences, or each event (va, paa).")] = Unit.SENTENCE,
    model: Model = DEFAULT_MODEL,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=10_000,
            help="Processes. [default: one a graphics card, or one a core if memory allows]",
        ),
    ] = None,
    engine: Annotated[
        EngineName, typer.Option(help="Processes of this machine, or a Ray cluster.")
    ] = EngineName.LOCAL,
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
        bool, typer.Option("--retry-failed", help="Try texts again that failed; you may have mended them.")
    ] = False,
    status: Annotated[
        str | None, typer.Option(metavar="RUN", help="Show how far a run is, and do nothing.")
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
    seed: Annotated[int, typer.Option(help="For the random baseline.")] = 0,
) -> None:
    """Score whole corpora; after any interruption the same command goes on.

    Results are kept in the run's folder text by text. A text that fails is recorded with its reason and does
    not stop the others. `barthes export RUN` makes one table of them.

    \b
    Examples:
      barthes run tales/ --out run/                         every story in a folder
      barthes run tales/ --out run/                         the same again: does what is missing
      barthes run --status run/                             how far is it, what failed
      barthes run tales/ --out run/ --retry-failed          try again what failed
      barthes run 'books/*/*.epub' --out run/ -m sd -m sd+tfidf
      barthes run texts.parquet --id-column name --out run/
      barthes run tales/ --out /shared/run --shard 3/16     the third of sixteen jobs
      barthes run tales/ --out s3://bucket/run --engine ray --address auto
      barthes export run/ --format parquet --out scores.parquet
    """
    if status is not None:
        if texts or out is not None:
            raise typer.BadParameter("--status goes with nothing else: barthes run --status RUN")
        show_status(status)
        return
    if not texts or out is None:
        raise typer.BadParameter("give texts, and a folder for the run: barthes run tales/ --out run/")
    on_ray = {"address": address, "cpus": cpus_per_worker, "gpus": gpus_per_worker}
    if engine is EngineName.LOCAL and any(value is not None for value in on_ray.values()):
        raise typer.BadParameter("--address, --cpus-per-worker and --gpus-per-worker go with --engine ray")
    methods = method or ["va" if unit is Unit.EVENT else "sd"]
    for each in methods:
        check_method(each)
    from barthes.runs.settings import RunSettings
    from barthes.runs.shard import Shard
    from barthes.runs.tables import Columns

    settings = RunSettings(
        tuple(methods),
        unit=unit.value,
        model=model,
        window=window,
        language=language,
        sentences=sentences,
        seed=seed,
        device=device,
        dtype=dtype,
        threads=threads,
    )
    share = Shard() if shard is None else Shard.parse(shard)
    columns = Columns(id_column, text_column)
    with _kept(out), _watching() as watch:
        summary = _choose_engine(engine, on_ray)(
            texts,
            out,
            settings,
            workers=workers,
            shard=share,
            retry_failed=retry_failed,
            cache=cache,
            columns=columns,
            watch=watch,
        )
    _conclude(summary, out)


def _choose_engine(engine: EngineName, on_ray: dict[str, Any]) -> Callable[..., Summary]:
    from barthes.runs.run import run_corpus

    if engine is EngineName.LOCAL:
        return run_corpus
    from barthes.runs.ray_run import run_on_ray

    return functools.partial(run_on_ray, tell=remark, **on_ray)


def _conclude(summary: Summary, out: str) -> None:
    """Say what came of it; failures end the command with 2."""
    if summary.damaged:
        one = summary.damaged == 1
        damaged = "1 damaged record" if one else f"{summary.damaged:,} damaged records"
        again = "was not used: its text was" if one else "were not used: their texts were"
        remark(f"{damaged} in {out} {again} done again.")
    course = summary.course
    complain(
        f"{course.done:,} of {course.total:,} texts are done ({summary.scored:,} now); results are in {out}."
    )
    if summary.noted:
        remark(tell_notes(summary.noted, out))
    if summary.failures:
        for reason in list(summary.failures.values())[:_SHOWN]:
            complain(f"failed: {' '.join(reason.split())}")
        more = len(summary.failures) - _SHOWN
        if more > 0:
            complain(f"… and {more:,} more: barthes run --status {out}")
        texts = "1 text" if len(summary.failures) == 1 else f"{len(summary.failures):,} texts"
        complain(f"{texts} failed; --retry-failed tries again.")
        raise typer.Exit(2)


@contextmanager
def _kept(out: str) -> Iterator[None]:
    """Ctrl-C, and the signal by which job schedulers end a job, stop the work; what is finished is kept."""
    try:
        with termination_interrupts():
            yield
    except KeyboardInterrupt:
        complain(f"interrupted; what is finished is kept in {out}: the same command goes on from there.")
        raise typer.Exit(130) from None


@contextmanager
def _watching() -> Iterator[Watch]:
    """A line that tells how far it is, where there is a terminal to draw it on."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    console = Console(file=sys.stderr)
    columns = (BarColumn(), TextColumn("{task.description}", markup=False))
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    with bar:
        task = bar.add_task("looking what is there", total=None)

        def show(course: Course) -> None:
            bar.update(
                task, completed=course.done + course.failed, total=course.total, description=_tell(course)
            )

        yield show


def _tell(course: Course) -> str:
    """How far a run is, on one line.

    >>> from barthes.runs.course import Course
    >>> _tell(Course(800, 40, 1, tokens_per_second=1234.5, seconds_left=4000))
    '40 of 800 texts, 1 failed, 1,234 tokens/s, 1 h 6 min left'
    """
    parts = [f"{course.done:,} of {course.total:,} texts"]
    if course.failed:
        parts.append(f"{course.failed:,} failed")
    if course.tokens_per_second is not None:
        parts.append(f"{course.tokens_per_second:,.0f} tokens/s")
    if course.seconds_left is not None:
        parts.append(f"{_tell_time(course.seconds_left)} left")
    return ", ".join(parts)


def _tell_time(seconds: float) -> str:
    minutes = int(seconds // 60)
    if minutes < 1:
        return f"{int(seconds)} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
