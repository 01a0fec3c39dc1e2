"""`barthes evaluate`: methods on a labelled corpus, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from barthes.cli import shared_options as shared
from barthes.cli.command import Command
from barthes.cli.console import show_progress
from barthes.cli.help_panels import argument, option
from barthes.cli.output import (
    check_apart,
    check_writable,
    choose_format,
    describe_format,
    write_table,
    write_text,
)
from barthes.cli.story_scorer import cached_work, identify, open_cache
from barthes.corpora import check_corpus, open_corpus
from barthes.methods import check_method, describe_method
from barthes.models.embedded import DEFAULT_MODEL

if TYPE_CHECKING:
    from barthes.cache import ScoreCache
    from barthes.models.deferred import DeferredModel
    from barthes.report.evaluation_tables import FigureTable, Result

EvaluationFormat = Literal["text", "markdown", "latex", "json"]
FormatOption = Annotated[EvaluationFormat | None, option("Output", describe_format("text"), "--format", "-f")]

_ENDINGS: dict[str, EvaluationFormat] = {
    ".txt": "text",
    ".md": "markdown",
    ".tex": "latex",
    ".json": "json",
    "": "text",
}


def evaluate_cli(
    methods: Annotated[list[str], argument("METHOD", shared.METHOD_HELP)],
    corpora: Annotated[list[str], option("Input", shared.CORPUS_HELP, "--corpus", "-c", metavar="KIND=PATH")],
    against: Annotated[
        list[str] | None,
        option(
            "Method",
            "Also test each method against this one (Wilcoxon, permutation); repeatable.",
            metavar="METHOD",
        ),
    ] = None,
    labels: shared.Labels = None,
    unit: shared.LabelledUnit = "sentence",
    model: shared.Model = DEFAULT_MODEL,
    window: shared.Window = None,
    annotation: Annotated[
        Literal["gold", "predicted"] | None,
        option("Input", "Words, tags and roles: the corpus's or Barthes'. [default: gold if there are any]"),
    ] = None,
    format: FormatOption = None,  # noqa: A002 - the option's name
    out: shared.OutFile = None,
    results: shared.Results = None,
    dtype: shared.Dtype = "auto",
) -> None:
    """Measure how well methods find salient sentences or events.

    Reports mean average precision with a bootstrap interval over stories, a Wilcoxon test against the
    random baseline, R-precision, area under the curve, and Spearman's correlation with graded labels.
    With --unit event, readers, sd, va and paa score single events, and other methods give each event the
    score of its sentence. Scores of language models are saved per story: run the same command again to
    continue after an interruption.

    \b
    Examples:
      barthes evaluate sd -c labelled=mine.tsv   columns: story, sentence, label
      barthes evaluate random position tfidf -c labelled=mine.tsv -f json
      barthes evaluate sd sd+tfidf -c labelled=mine.tsv --against tfidf
      barthes evaluate sd -c labelled=mine.tsv --model gpt2 --out table.tex
    """
    if len(corpora) > 1:  # the second must not replace the first silently
        raise typer.BadParameter("give one corpus; `barthes bench` takes several", param_hint="--corpus")
    others = against or []
    check_methods([*methods, *others], model)
    chosen = check_output(format, out, [check_corpus(corpora[0], labels=labels)[1]])
    from barthes.evaluation.corpus import choose_unit
    from barthes.evaluation.evaluate import check_evaluation, evaluate
    from barthes.report import evaluation_tables as tables

    corpus = choose_unit(open_corpus(corpora[0], labels=labels), unit)
    check_evaluation(corpus, annotation=annotation)
    with prepared([*methods, *others], model, results, dtype) as (deferred, cache):
        with show_progress(f"evaluating on {corpus.name}") as progress:
            evaluation = evaluate(
                methods,
                corpus,
                unit=unit,
                against=others,
                model=deferred,
                window=window,
                annotation=annotation,
                cache=cache,
                progress=progress,
            )
        write_tables(evaluation, [tables.lay_out(evaluation)], chosen, out)


def check_methods(methods: Sequence[str], model: str) -> None:
    """Check the names of methods, and say what presets stand for."""
    for method in methods:
        check_method(method, model=model)
    shared.note_presets(methods)


def check_output(
    chosen: EvaluationFormat | None, out: Path | None, corpora: Sequence[Path]
) -> EvaluationFormat:
    """Return the output format, after checking that the file can be written."""
    chosen = choose_format(chosen, out, _ENDINGS, "text")
    if out is not None:
        check_writable(out)
        check_apart(out, corpora, kind="the corpus")
    return chosen


@contextmanager
def prepared(
    methods: Sequence[str], model: str, results: Path | None, dtype: str
) -> Iterator[tuple[DeferredModel, ScoreCache]]:
    """Open the score cache and, if a method needs it, identify the model."""
    from barthes.models.deferred import DeferredModel

    is_needed = any(describe_method(method).needs_model for method in methods)
    cache = open_cache(results, is_needed=is_needed)
    deferred = DeferredModel(model, dtype=dtype, cache=cache)
    with cached_work(cache):
        if is_needed:
            identify(deferred)
        yield deferred, cache


def write_tables(
    found: Result, laid_out: Sequence[FigureTable], chosen: EvaluationFormat, out: Path | None
) -> None:
    """Write results as tables, or as JSON."""
    from barthes.report import evaluation_tables as tables

    if chosen == "text":
        write_table(lambda file: tables.print_tables(laid_out, file=file), out)
        return
    if chosen == "json":
        write_text(tables.to_json(found), out)
        return
    render = {"markdown": tables.to_markdown, "latex": tables.to_latex}[chosen]
    write_text(render(laid_out), out)


EVALUATE = Command(evaluate_cli, panel="Evaluate methods")
