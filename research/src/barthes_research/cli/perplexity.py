"""`barthes perplexity`: how well language models predict texts."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Literal, TextIO

from barthes.cli import shared_options as shared
from barthes.cli.command import Command
from barthes.cli.console import ErrorCounter, print_note, show_progress
from barthes.cli.help_panels import argument, option
from barthes.cli.output import (
    check_apart,
    check_writable,
    choose_format,
    describe_format,
    write_table,
    write_text,
)
from barthes.cli.story_reader import ALL, StoryReader, find_sources, read_all
from barthes.cli.story_scorer import load_with_progress
from barthes.corpora import check_corpus, list_kinds, open_corpus
from barthes.models.embedded import DEFAULT_MODEL, describe_language_limit
from barthes.narrative import Narrative
from barthes.reading import find_stories
from barthes.report.escaping import printable
from barthes_research.perplexity import Likelihood, Perplexity, measure_perplexity

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
        argument("TEXT", f"Files, folders, - for standard input, or KIND=PATH ({', '.join(list_kinds())})."),
    ],
    model: Annotated[
        list[str] | None,
        option("Model", f"{shared.MODEL_HELP} Repeatable. [default: {DEFAULT_MODEL}]", metavar="MODEL"),
    ] = None,
    format: Annotated[  # noqa: A002 - the option's name
        PerplexityFormat | None, option("Output", describe_format("table"), "--format", "-f")
    ] = None,
    out: shared.OutFile = None,
    sentences: shared.Sentences = False,
    language: shared.Language = None,
    device: shared.Device = "auto",
    dtype: shared.Dtype = "auto",
) -> None:
    """Measure how well language models predict texts.

    Perplexity is exp(-mean log P) over the tokens of a text, log P in nats: the lower, the better the
    prediction. The last row is for all texts together; each token counts the same.

    \b
    Examples:
      barthes perplexity tale.txt
      barthes perplexity tales/ --model smollm2-135m --model ./tuned
      barthes perplexity propplearner=ProppLearner.zip
      cat tale.txt | barthes perplexity - --format json
    """
    names = list(dict.fromkeys(model or [DEFAULT_MODEL]))
    chosen = choose_format(format, out, _ENDINGS, "table")
    if out is not None:
        check_writable(out)
    errors = ErrorCounter()
    sources = find_sources(texts, _expand, errors)
    files = [check_corpus(each)[1] if isinstance(each, str) else each for each in sources]
    check_apart(out, files, kind="one of the input texts")
    reader = StoryReader(ALL, sentences=sentences, language=language)
    narratives = read_all(sources, partial(_read, reader), errors)
    if narratives:
        _note_languages(names, narratives)
        measured = [_measure(name, narratives, device=device, dtype=dtype) for name in names]
        if len({perplexity.tokens for perplexity in measured}) > 1:
            print_note(
                "these models split words into different tokens, so their perplexities cannot be compared."
                " Compare log_probability instead (--format tsv)."
            )
        if chosen == "table":
            write_table(partial(_print_table, measured), out)
        else:
            write_text(_render(measured, chosen), out)
    errors.exit_if_any()


def _expand(text: str) -> Sequence[str | Path]:
    """Return ``KIND=PATH`` as it is, and the files behind any other name."""
    kind, equals, _ = text.partition("=")
    is_known = kind.strip().lower() in list_kinds()
    may_be_misspelt = kind.replace("-", "").isalpha() and not Path(text).exists()
    if equals and (is_known or may_be_misspelt):
        check_corpus(text)
        return [text]
    return find_stories([text])


def _read(reader: StoryReader, source: str | Path) -> list[Narrative]:
    """Return the narratives of a corpus or a file, and print their notes."""
    if isinstance(source, str):
        from barthes.evaluation.corpus_notes import describe_problems

        corpus = open_corpus(source)
        if corpus.problems:
            print_note(describe_problems(corpus.problems, of=corpus.name))
        return [replace(story.narrative, title=story.name) for story in corpus]
    narratives = reader.read(source)
    for narrative in narratives:
        for note in narrative.notes:
            print_note(f"{narrative.title}: {note}")
    return narratives


def _note_languages(models: Sequence[str], narratives: Sequence[Narrative]) -> None:
    for language in dict.fromkeys(narrative.language for narrative in narratives):
        for model in models:
            if (note := describe_language_limit(model, language)) is not None:
                print_note(note)


def _measure(name: str, narratives: Sequence[Narrative], *, device: str, dtype: str) -> Perplexity:
    """Measure one model; it is freed before the next is loaded."""
    model = load_with_progress(name, device=device, dtype=dtype)
    with show_progress(name) as progress:
        return measure_perplexity(model, narratives, progress=progress)


def _render(perplexities: Sequence[Perplexity], chosen: PerplexityFormat) -> str:
    """Return the figures as JSON, TSV or CSV."""
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
    """Print a table with a row per text and columns for each model."""
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


PERPLEXITY = Command(perplexity_cli, panel="Models and data")
