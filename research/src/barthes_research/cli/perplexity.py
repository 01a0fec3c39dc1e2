"""`barthes perplexity`: how well language models predict texts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from barthes.cli import shared_options as shared
from barthes.cli.command import Command
from barthes.cli.console import ErrorCounter, print_note, show_progress
from barthes.cli.evaluate import FormatOption, check_output, write_tables
from barthes.cli.help_panels import argument, option
from barthes.cli.story_reader import ALL, StoryReader, find_sources, read_all
from barthes.cli.story_scorer import load_with_progress
from barthes.corpora import check_corpus, list_kinds, open_corpus
from barthes.models.embedded import DEFAULT_MODEL, describe_language_limit
from barthes.narrative import Narrative
from barthes.reading import find_stories
from barthes.report.evaluation_tables import MISSING, FigureTable
from barthes_research.perplexity import Perplexity, measure_perplexity

_OTHER_TOKENS = (
    "these models split words into different tokens, so their perplexities cannot be compared."
    " Compare log_probability instead (--format json)."
)


def perplexity_cli(
    texts: Annotated[
        list[str],
        argument("TEXT", f"Files, folders, - for standard input, or KIND=PATH ({', '.join(list_kinds())})."),
    ],
    model: Annotated[
        list[str] | None,
        option("Model", f"{shared.MODEL_HELP} Repeatable. [default: {DEFAULT_MODEL}]", metavar="MODEL"),
    ] = None,
    format: FormatOption = None,  # noqa: A002 - the option's name
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
    errors = ErrorCounter()
    sources = find_sources(texts, _expand, errors)
    files = [check_corpus(each)[1] if isinstance(each, str) else each for each in sources]
    chosen = check_output(format, out, files)
    reader = StoryReader(ALL, sentences=sentences, language=language)
    narratives = read_all(sources, partial(_read, reader), errors)
    if narratives:
        _note_languages(names, narratives)
        found = _Comparison([_measure(name, narratives, device=device, dtype=dtype) for name in names])
        if len({perplexity.tokens for perplexity in found.models}) > 1:
            print_note(_OTHER_TOKENS)
        write_tables(found, [found.lay_out()], chosen, out)
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


@dataclass(frozen=True)
class _Comparison:
    """The perplexity of models on the same texts."""

    models: Sequence[Perplexity]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures of each model."""
        return {"models": [perplexity.to_dict() for perplexity in self.models]}

    def lay_out(self) -> FigureTable:
        """Return a row for each model and text, and for all texts of a model together."""
        header = ("model", "text", "tokens", "log P/token", "perplexity")
        rows = [
            (
                perplexity.model,
                text.title,
                f"{text.tokens:,}",
                MISSING if text.mean_log_probability is None else f"{text.mean_log_probability:.3f}",
                _format(text.perplexity),
            )
            for perplexity in self.models
            for text in (*perplexity.texts, perplexity.total)
        ]
        precisions = (f"{perplexity.model}: {perplexity.precision}." for perplexity in self.models)
        return FigureTable("Perplexity; log P in nats", header, rows, list(precisions))


def _format(perplexity: float | None) -> str:
    """Return a perplexity to two decimals, or to the nearest whole number from 1000 on.

    >>> _format(21.347), _format(12345.6), _format(math.inf), _format(None)
    ('21.35', '12,346', '∞', '–')
    """
    if perplexity is None:
        return MISSING
    if math.isinf(perplexity):
        return "∞"
    return f"{perplexity:,.0f}" if perplexity >= 1000 else f"{perplexity:.2f}"


PERPLEXITY = Command(perplexity_cli, panel="Models and data")
