"""`barthes perplexity`: how well language models predict texts."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Literal, TextIO

import typer

from barthes.cli.console import ErrorCounter, print_note, show_progress
from barthes.cli.output import check_apart, check_writable, choose_format, write_table, write_text
from barthes.cli.shared_options import Device, Dtype, Language, OutFile, Sentences
from barthes.cli.story_scorer import load_with_progress, name_story, read_all
from barthes.corpora.opening import CORPUS_NAMES, check_corpus, open_corpus
from barthes.models.embedded import DEFAULT_MODEL, describe_language_limit
from barthes.models.likelihood import Likelihood, Perplexity, measure_perplexity
from barthes.narrative import Narrative
from barthes.reading import find_stories, read
from barthes.report.escaping import printable

COLUMNS = ("model", "text", "tokens", "log_probability", "mean_log_probability", "perplexity")
"""The columns of TSV and CSV; log-probabilities are in nats."""

PerplexityFormat = Literal["table", "tsv", "csv", "json"]

_ENDINGS: Mapping[str, PerplexityFormat] = {
    ".tsv": "tsv",
    ".csv": "csv",
    ".json": "json",
    ".txt": "table",
    "": "table",
}
_MISSING = "–"


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
    out: OutFile = None,
    sentences: Sentences = False,
    language: Language = None,
    device: Device = "auto",
    dtype: Dtype = "auto",
) -> None:
    """Measure how well language models predict texts.

    Perplexity is exp(-mean log P) over the tokens of a text: the lower, the better the model predicts such
    texts. The last row is for all texts together; each token counts the same. log P is in nats.

    \b
    Examples:
      barthes perplexity tale.txt                       the default model
      barthes perplexity tales/ --model ./tuned         a model of your own, on a folder
      barthes perplexity tales/ --model smollm2-135m --model ./tuned
      barthes perplexity propplearner=ProppLearner.zip  the tales of a labelled corpus
      cat tale.txt | barthes perplexity - --format json
    """
    names = list(dict.fromkeys(model or [DEFAULT_MODEL]))
    chosen = choose_format(format, out, _ENDINGS, "table")
    if out is not None:
        check_writable(out)
    errors = ErrorCounter()
    sources = _find(texts, errors)
    files = [check_corpus(each)[1] if isinstance(each, str) else each for each in sources]
    check_apart(out, files, kind="one of the texts to be read")
    narratives = read_all(sources, partial(_read, sentences=sentences, language=language), errors)
    if narratives:
        languages = dict.fromkeys(narrative.language for narrative in narratives)
        for note in (describe_language_limit(name, each) for name in names for each in languages):
            if note is not None:
                print_note(note)
        measured = [_measure(name, narratives, device=device, dtype=dtype) for name in names]
        if len({perplexity.tokens for perplexity in measured}) > 1:
            print_note(
                "these models cut words into tokens differently, so that perplexities cannot be compared;"
                " log_probability of whole texts can (--format tsv)."
            )
        if chosen == "table":
            write_table(partial(_print_table, measured), out)
        else:
            write_text(_render(measured, chosen), out)
    errors.exit_if_any()


def _find(texts: Sequence[str], errors: ErrorCounter) -> list[str | Path]:
    """Return the corpora as they are given, and the files behind other names; each once."""
    found: dict[str, str | Path] = {}
    for text in texts:
        with errors:
            if _names_corpus(text):
                check_corpus(text)
                found.setdefault(text, text)
                continue
            for path in find_stories([text]):
                found.setdefault(os.path.realpath(path), path)
    return list(found.values())


def _names_corpus(text: str) -> bool:
    """Return whether a text is ``KIND=PATH``, perhaps misspelt, and not the name of a file."""
    kind, equals, _ = text.partition("=")
    if kind.strip().lower() in CORPUS_NAMES:
        return bool(equals)
    return bool(equals) and kind.replace("-", "").isalpha() and not Path(text).exists()


def _read(source: str | Path, *, sentences: bool, language: str | None) -> list[Narrative]:
    """Return the narratives of a corpus or a file, and print what should be known about them."""
    if isinstance(source, str):
        from barthes.evaluation.corpus_notes import describe_problems

        corpus = open_corpus(source)
        if corpus.problems:
            print_note(describe_problems(corpus.problems, of=corpus.name))
        return [replace(story.narrative, title=story.name) for story in corpus]
    title = name_story(source)
    narrative = read(source, language=language, sentences=sentences, title=title)
    for note in narrative.notes:
        print_note(f"{title}: {note}")
    return [narrative]


def _measure(name: str, narratives: Sequence[Narrative], *, device: str, dtype: str) -> Perplexity:
    """Measure one model; it is released before the next is loaded."""
    model = load_with_progress(name, device=device, dtype=dtype)
    with show_progress(name) as progress:
        return measure_perplexity(model, narratives, progress=progress)


def _render(perplexities: Sequence[Perplexity], chosen: PerplexityFormat) -> str:
    """Return the figures of one model or several as JSON, TSV or CSV."""
    if chosen == "json":
        content = {"models": [perplexity.to_dict() for perplexity in perplexities]}
        return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    stream = io.StringIO()
    writer = csv.DictWriter(stream, COLUMNS, delimiter="\t" if chosen == "tsv" else ",", lineterminator="\n")
    writer.writeheader()
    for perplexity in perplexities:
        for text in (*perplexity.texts, perplexity.total):
            writer.writerow(text.to_dict() | {"model": perplexity.model})
    return stream.getvalue()


def _print_table(perplexities: Sequence[Perplexity], file: TextIO) -> None:
    """Print a table with a row per text, the models side by side."""
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
        for header in ("\ntokens", "\nlog P/token", f"{name}\nperplexity"):
            table.add_column(Text(header), justify="right")
    rows = list(zip(*(perplexity.texts for perplexity in perplexities), strict=True))
    for row in rows:
        table.add_row(Text(printable(row[0].title)), *(cell for text in row for cell in _cells(text)))
    if len(rows) > 1:
        table.add_section()
        totals = (cell for perplexity in perplexities for cell in _cells(perplexity.total))
        table.add_row("all", *totals, style="bold")
    console.print(table)


def _cells(text: Likelihood) -> tuple[str, str, str]:
    mean = text.mean_log_probability
    return f"{text.tokens:,}", _MISSING if mean is None else f"{mean:.3f}", _format(text.perplexity)


def _format(perplexity: float | None) -> str:
    """Return a perplexity to two decimals, or to the nearest whole number from 1000 on.

    >>> _format(21.347), _format(12345.6), _format(math.inf), _format(None)
    ('21.35', '12,346', '∞', '–')
    """
    if perplexity is None:
        return _MISSING
    if math.isinf(perplexity):
        return "∞"
    return f"{perplexity:,.0f}" if perplexity >= 1000 else f"{perplexity:.2f}"
