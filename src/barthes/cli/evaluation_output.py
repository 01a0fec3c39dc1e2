"""What `evaluate`, `bench` and `reproduce` share: formats of tables, the score cache, and interruptions."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from barthes.cli.console import guarded_stdout as stdout_guarded
from barthes.cli.console import print_error as complain
from barthes.cli.console import show_progress
from barthes.cli.console import sigterm_as_interrupt as termination_interrupts
from barthes.cli.output import check_writable
from barthes.errors import OutputError
from barthes.files import expand_home, make_folder, write_atomically

if TYPE_CHECKING:
    from barthes.cache import ScoreCache
    from barthes.evaluation.bench import Bench
    from barthes.evaluation.result import Evaluation
    from barthes.models.language_model import LanguageModel

__all__ = [
    "ChosenFormat",
    "EvaluationFormat",
    "check_output",
    "identify",
    "open_cache",
    "results_kept",
    "write_tables",
]


class EvaluationFormat(StrEnum):
    """How an evaluation is written."""

    TEXT = "text"
    MARKDOWN = "markdown"
    LATEX = "latex"
    JSON = "json"


ChosenFormat = Annotated[
    EvaluationFormat | None,
    typer.Option("--format", "-f", help="By default by the ending of --out, else text."),
]
"""The option by which `barthes evaluate` and `barthes bench` take it."""

_ENDINGS = {
    "": EvaluationFormat.TEXT,
    ".txt": EvaluationFormat.TEXT,
    ".md": EvaluationFormat.MARKDOWN,
    ".tex": EvaluationFormat.LATEX,
    ".json": EvaluationFormat.JSON,
}


def check_output(
    chosen: EvaluationFormat | None, out: Path | None, *, corpora: Sequence[Path]
) -> EvaluationFormat:
    """Return the format of the result, after checking before the work that it can be written.

    Raises:
        OutputError: The file cannot be written, is one of the corpora, or has an ending without a format.
    """
    ending = "" if out is None else out.suffix.lower()
    if chosen is None and ending not in _ENDINGS:
        raise OutputError(
            f"there is no format for files that end in {ending}.",
            where=out,
            remedy="Use .txt, .md, .tex or .json, or add --format.",
        )
    if out is not None:
        check_writable(out)
        if out.exists() and any(corpus.exists() and corpus.samefile(out) for corpus in corpora):
            raise OutputError("is the corpus.", where=out, remedy="Give --out the name of another file.")
    return chosen or _ENDINGS[ending]


def write_tables(found: Evaluation | Bench, chosen: EvaluationFormat, out: Path | None) -> None:
    """Write the tables to a file (atomically), or print them."""
    from barthes.report.evaluation_tables import print_tables, to_json, to_latex, to_markdown

    if out is None and chosen is EvaluationFormat.TEXT:  # as wide as the terminal
        with stdout_guarded():
            print_tables(found, file=sys.stdout)
        return
    if chosen is EvaluationFormat.TEXT:
        stream = io.StringIO()
        print_tables(found, file=stream)
        content = stream.getvalue()
    else:
        renderers = {
            EvaluationFormat.MARKDOWN: to_markdown,
            EvaluationFormat.LATEX: to_latex,
            EvaluationFormat.JSON: to_json,
        }
        content = renderers[chosen](found)
    if out is not None:
        write_atomically(out, content)
        return
    with stdout_guarded():
        sys.stdout.write(content)


def open_cache(folder: Path | None, *, needed: bool = True) -> ScoreCache:
    """Return the score cache in a folder, or else Barthes' own.

    Raises:
        OutputError: It is needed, and the folder cannot be made or may not be written to.
    """
    from barthes.cache import ScoreCache

    if folder is None:
        return ScoreCache()
    folder = expand_home(folder)
    if needed:
        make_folder(folder)
    return ScoreCache(folder / "scores.sqlite3")


def identify(model: LanguageModel) -> None:
    """Find out which model it is, before the work; if that is not remembered, the model is loaded."""
    with show_progress(f"loading {model.name}"):
        _ = model.fingerprint, model.precision


@contextmanager
def results_kept(cache: ScoreCache) -> Iterator[None]:
    """Run a block of work that caches its results; say so when Ctrl-C or SIGTERM ends it."""
    try:
        with termination_interrupts(), cache:
            yield
    except KeyboardInterrupt:
        if not (cache.stored or cache.found):
            raise
        complain(
            f"interrupted; what is finished is kept in {cache.path}: the same command goes on from there."
        )
        raise typer.Exit(130) from None
