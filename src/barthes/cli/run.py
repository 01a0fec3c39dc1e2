"""`barthes run`: score whole corpora, with resumption."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Annotated

import typer

from barthes.cli import shared_options as shared
from barthes.cli.command import Command
from barthes.cli.console import count, print_error, print_note, resumable, show_progress
from barthes.cli.help_panels import argument, option
from barthes.cli.run_results import describe_notes
from barthes.methods import check_method
from barthes.models.embedded import DEFAULT_MODEL

if TYPE_CHECKING:
    from barthes.runs.corpus_run import RunProgress

_SHOWN = 10  # failures to print


def run_cli(
    texts: Annotated[
        list[str],
        argument(
            "TEXT", "Files, folders, quoted patterns, or tables of texts (.tsv, .csv, .jsonl, .parquet)."
        ),
    ],
    out: Annotated[
        str, option("Output", "Folder or address (s3://…) of the run.", "--out", "-o", metavar="RUN")
    ],
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
    threads: Annotated[
        int | None, option("Cluster", "CPU threads per process. [default: shared evenly; Ray: 1]", min=1)
    ] = None,
    ray: Annotated[
        str | None,
        option("Cluster", "Use this Ray cluster: auto, host:port or ray://host:port.", metavar="ADDRESS"),
    ] = None,
    shard: Annotated[
        str | None, option("Cluster", "Score only the I-th of N shares, for job arrays.", metavar="I/N")
    ] = None,
    retry_failed: Annotated[bool, option("Other", "Score failed texts again.", "--retry-failed")] = False,
    window: shared.Window = None,
    sentences: shared.Sentences = False,
    keep: shared.Keep = None,
    language: shared.Language = None,
    encoding: shared.Encoding = None,
    columns: Annotated[
        str, option("Input", "Table columns with the name of a text and with the text.", metavar="ID,TEXT")
    ] = "id,text",
    device: shared.Device = "auto",
    dtype: shared.Dtype = "auto",
) -> None:
    """Score whole corpora; can be interrupted and continued.

    Run the same command again to continue. Results are saved text by text in the folder of the run. Texts
    that fail are recorded with the reason and do not stop the others. `barthes status RUN` shows how far it
    is, `barthes export RUN` writes one table.

    \b
    Examples:
      barthes run tales/ --out run/                     a folder of stories
      barthes run tales/ --out run/ --retry-failed      try again what failed
      barthes run 'books/*/*.epub' --out run/ -m sd -m sd+tfidf
      barthes run texts.parquet --columns name,text --out run/
      barthes run tales/ --out /shared/run --shard 3/16
      barthes run tales/ --out s3://bucket/run --ray auto
    """
    names = parse_columns(columns)
    methods = tuple(method or ["va" if unit == "event" else "sd"])
    for each in methods:
        check_method(each)
    from barthes.runs.corpus_run import parse_shard, run_corpus
    from barthes.runs.manifest import RunSettings
    from barthes.runs.pool import Pool
    from barthes.runs.process_pool import ProcessPool

    share = "1/1" if shard is None else shard
    parse_shard(share)  # before a cluster is joined
    settings = RunSettings(
        methods, unit, model, window, language, encoding, sentences, tuple(keep or ()), device, dtype
    )
    quiet = redirect_stdout(io.StringIO())  # Ray prints there that a worker has died
    with resumable(out), quiet, show_progress("scoring") as show:

        def report(progress: RunProgress) -> None:
            show(progress.done + progress.failed, progress.total)

        pool: Pool = ProcessPool(settings, workers=workers, threads=threads)
        if ray is not None:
            from barthes.runs.ray_pool import RayPool

            print_note(f"joining the Ray cluster at {ray} …")
            pool = RayPool(settings, ray, workers=workers, threads=threads or 1)
        found = run_corpus(
            texts,
            out,
            settings,
            pool=pool,
            shard=share,
            retry_failed=retry_failed,
            columns=names,
            progress=report,
        )
    _conclude(found, out)


def parse_columns(text: str) -> tuple[str, str]:
    """Return the names of two columns.

    >>> parse_columns("name,story text")
    ('name', 'story text')
    """
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(names):
        raise typer.BadParameter(f"--columns takes two names, such as id,text, not {text!r}")
    return names[0], names[1]


def _conclude(progress: RunProgress, out: str) -> None:
    """Print a summary; exit with code 2 if texts failed."""
    from barthes.runs.results import RunResults

    results = RunResults(out)
    done = f"{progress.done:,} of {progress.total:,} texts are done ({progress.scored:,} scored now)"
    print_error(f"{done}; results are in {out}.")
    if noted := results.list_ids("noted"):
        print_note(describe_notes(noted, out))
    if progress.failed:
        for reason in list(results.failures.values())[:_SHOWN]:
            print_error(f"failed: {' '.join(reason.split())}")
        if len(results.failures) > _SHOWN:
            print_error(f"… and {len(results.failures) - _SHOWN:,} more; `barthes status {out}` lists all.")
        failed = count(progress.failed, "text", "texts")
        print_error(f"{failed} failed; correct them, or try again with --retry-failed.")
        raise typer.Exit(2)


RUN = Command(run_cli, panel="Score stories")
