"""`barthes perplexity`: how well language models predict texts."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TextIO

import typer

from barthes.cli.complaints import Complaints, remark
from barthes.cli.options import Device, Dtype, Language, Sentences
from barthes.cli.output import check_writable
from barthes.cli.progress import show_progress
from barthes.cli.streams import stdout_guarded
from barthes.corpora.opening import CORPUS_NAMES, check_corpus, open_corpus
from barthes.errors import OutputError
from barthes.files import decode_name, write_atomically
from barthes.models.embedded import DEFAULT_MODEL, EMBEDDED
from barthes.models.perplexity import Perplexity, TextPerplexity, measure_perplexity
from barthes.narrative import Narrative
from barthes.reading import find_stories, read
from barthes.reading.source import STANDARD_INPUT
from barthes.report.escaping import printable
from barthes.salience.method import silent

__all__ = [
    "COLUMNS",
    "PerplexityFormat",
    "choose_format",
    "perplexity_cli",
    "print_perplexities",
    "render_perplexities",
]


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


def perplexity_cli(
    texts: Annotated[
        list[str],
        typer.Argument(
            metavar="TEXT...",
            help=f"Files, folders, - for standard input, or KIND=PATH: {', '.join(CORPUS_NAMES)}.",
        ),
    ],
    model: Annotated[
        list[str] | None,
        typer.Option(
            help="An embedded model, a folder, an adapter, a GGUF file or a Hugging Face name; may be given"
            f" again. [default: {DEFAULT_MODEL}]"
        ),
    ] = None,
    format: Annotated[  # noqa: A002 - the option's name
        PerplexityFormat | None,
        typer.Option("--format", "-f", help="By default by the ending of --out, else a table."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write to this file, whole or not at all.")
    ] = None,
    sentences: Sentences = False,
    language: Language = None,
    device: Device = "auto",
    dtype: Dtype = "auto",
) -> None:
    """Measure how well language models predict texts.

    Perplexity is exp(-mean log P) over the tokens of a text: the lower, the better the model knows how such
    texts go. The last row is for all texts together; each token counts the same. log P is in nats.

    \b
    Examples:
      barthes perplexity tale.txt                       the default model
      barthes perplexity tales/ --model ./tuned         a model of one's own, on a folder
      barthes perplexity tales/ --model smollm2-135m --model ./tuned
      barthes perplexity propplearner=ProppLearner.zip  the tales of a labelled corpus
      cat tale.txt | barthes perplexity - --format json
    """
    names = list(dict.fromkeys(model or [DEFAULT_MODEL]))
    chosen = choose_format(format, out)
    if out is not None:
        check_writable(out)
    complaints = Complaints()
    narratives = _gather(texts, out, complaints, sentences=sentences, language=language)
    if narratives:
        _remark_language(names, narratives)
        measured = [_measure(name, narratives, device=device, dtype=dtype) for name in names]
        _remark_tokens(measured)
        _write(measured, chosen, out)
    if complaints.count:
        raise typer.Exit(2)


def _gather(
    texts: Sequence[str], out: Path | None, complaints: Complaints, *, sentences: bool, language: str | None
) -> list[Narrative]:
    """The narratives of all sources that can be read, a file that is named twice once."""
    narratives: list[Narrative] = []
    seen: set[str] = set()
    for source in texts:
        with complaints:
            if _names_corpus(source):
                _check_apart([check_corpus(source)[1]], out)
                narratives += _read_corpus(source)
                continue
            paths = [path for path in find_stories([source]) if os.path.realpath(path) not in seen]
            seen.update(map(os.path.realpath, paths))
            _check_apart(paths, out)
            narratives += _read_all(paths, complaints, sentences=sentences, language=language)
    return narratives


def _names_corpus(source: str) -> bool:
    """Whether a source is ``KIND=PATH``, rightly or wrongly spelt, and not the name of a file."""
    kind, equals, _ = source.partition("=")
    if kind.strip().lower() in CORPUS_NAMES:
        return bool(equals)
    return bool(equals) and kind.replace("-", "").isalpha() and not Path(source).exists()


def _read_corpus(source: str) -> list[Narrative]:
    from barthes.evaluation.corpus_notes import describe_problems

    corpus = open_corpus(source)
    if corpus.problems:
        remark(describe_problems(corpus.problems, of=corpus.name))
    return [replace(story.narrative, title=story.name) for story in corpus]


def _read_all(
    paths: Sequence[Path], complaints: Complaints, *, sentences: bool, language: str | None
) -> list[Narrative]:
    """Read every text that can be read, and split it into sentences."""
    narratives = []
    typed = Path(STANDARD_INPUT) in paths  # a bar would be drawn over what is being typed
    with nullcontext(silent) if typed else show_progress("reading") as progress:
        for done, path in enumerate(paths):
            progress(done, len(paths))
            with complaints:
                title = "stdin" if str(path) == STANDARD_INPUT else decode_name(path)
                narrative = read(path, language=language, sentences=sentences, title=title)
                for note in narrative.notes:
                    remark(f"{title}: {note}")
                narratives.append(narrative)
    return narratives


def _check_apart(paths: Sequence[Path], out: Path | None) -> None:
    """A text is never written over by its own figures."""
    if out is not None and out.exists() and any(path.exists() and path.samefile(out) for path in paths):
        raise OutputError(
            "is one of the texts to be read.", where=out, remedy="Give --out the name of another file."
        )


def _measure(name: str, narratives: Sequence[Narrative], *, device: str, dtype: str) -> Perplexity:
    """The figures of one model, which is let go of before the next is loaded."""
    from barthes.models.loading import load_model

    with show_progress(f"loading {name}"):
        model = load_model(name, device=device, dtype=dtype)
    with show_progress(name) as progress:
        return measure_perplexity(model, narratives, progress=progress)


def _remark_language(names: Sequence[str], narratives: Sequence[Narrative]) -> None:
    """A model that reads English only reads other languages without complaint; people should know."""
    others = {text.language for text in narratives if text.language.split("-")[0].lower() != "en"}
    for name in names:
        if name in EMBEDDED and others:
            remark(f"{name} was made for English; for {min(others)!r} choose another model with --model.")


def _remark_tokens(measured: Sequence[Perplexity]) -> None:
    if len({perplexity.tokens for perplexity in measured}) > 1:
        remark(
            "these models cut words into tokens differently, so that perplexities cannot be compared;"
            " log_probability of whole texts can (--format tsv)."
        )


def _write(measured: Sequence[Perplexity], chosen: PerplexityFormat, out: Path | None) -> None:
    if out is not None:
        write_atomically(out, render_perplexities(measured, chosen))
        return
    with stdout_guarded():
        if chosen is PerplexityFormat.TABLE:  # as wide as the terminal
            print_perplexities(measured, file=sys.stdout)
        else:
            sys.stdout.write(render_perplexities(measured, chosen))


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
