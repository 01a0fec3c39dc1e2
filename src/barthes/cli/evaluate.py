"""`barthes evaluate` and `barthes bench`: methods on labelled corpora, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from barthes.cli import shared_options as shared
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
from barthes.corpora.opening import check_corpus, open_corpus
from barthes.files import expand_home
from barthes.methods import check_method, describe_method
from barthes.models.embedded import DEFAULT_MODEL

if TYPE_CHECKING:
    from barthes.cache import ScoreCache
    from barthes.evaluation.bench import Bench
    from barthes.evaluation.kept_scores import KeptScores
    from barthes.evaluation.result import Evaluation
    from barthes.models.deferred import DeferredModel

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
    corpora: Annotated[list[str], option("Input", shared.CORPUS_HELP, "--corpus", "-c", metavar="KIND=PATH")],
    methods: Annotated[list[str] | None, argument("METHOD", shared.METHOD_HELP)] = None,
    scores: shared.Scores = None,
    against: Annotated[
        list[str] | None,
        option(
            "Method",
            "Also test each method against this one (Wilcoxon, permutation); repeatable.",
            metavar="METHOD",
        ),
    ] = None,
    labels: shared.Labels = "paper",
    unit: shared.LabelledUnit = "sentence",
    model: shared.Model = DEFAULT_MODEL,
    window: shared.Window = None,
    annotation: Annotated[
        Literal["gold", "predicted"] | None,
        option("Input", "Words, tags and roles: the corpus's or Barthes'. [default: gold if there are any]"),
    ] = None,
    undefined: Annotated[
        Literal["skip", "zero", "error"],
        option("Method", "Stories without a salient sentence: leave out, count as 0, or stop."),
    ] = "skip",
    seeds: shared.Seeds = 10,
    format: FormatOption = None,  # noqa: A002 - the option's name
    out: shared.OutFile = None,
    results: shared.Results = None,
    device: shared.Device = "auto",
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
      barthes evaluate random position tfidf -c propplearner=ProppLearner.zip
      barthes evaluate sd -c propplearner=tales/ --model gpt2 --out table.tex
      barthes evaluate sd sd+tfidf -c propplearner=tales/ --against tfidf
      barthes evaluate position length -c rocstories-salience=val.json -f json
      barthes evaluate va tfidf -c telegraphic=FOLDER --unit event
      barthes evaluate sd -c labelled=mine.tsv   columns: story, sentence, label
    """
    if len(corpora) > 1:  # the second must not replace the first silently
        raise typer.BadParameter("give one corpus; `barthes bench` takes several", param_hint="--corpus")
    asked, others = methods or [], against or []
    if not asked and not scores:
        raise typer.BadParameter("give a method, or scores", param_hint="METHOD")
    _check_methods([*asked, *others], model)
    chosen = _check_output(format, out, [check_corpus(corpora[0], labels=labels)[1]])
    from barthes.evaluation.evaluate import check_evaluation, evaluate
    from barthes.evaluation.kept_scores import check_names
    from barthes.evaluation.units import choose_unit

    corpus = choose_unit(open_corpus(corpora[0], labels=labels), unit)
    check_evaluation(corpus, annotation=annotation, undefined=undefined)
    kept_scores = _load_scores(scores, out)
    check_names(kept_scores, asked)
    bound = [kept.bind(corpus) for kept in kept_scores]
    with _scoring([*asked, *others], model, results, device, dtype) as (deferred, cache):
        with show_progress(f"evaluating on {corpus.name}") as progress:
            evaluation = evaluate(
                [*asked, *bound],
                corpus,
                unit=unit,
                against=others,
                model=deferred,
                window=window,
                annotation=annotation,
                cache=cache,
                seeds=seeds,
                undefined=undefined,
                progress=progress,
            )
        _write(evaluation, chosen, out)


def bench_cli(
    corpus: Annotated[
        list[str], option("Input", f"{shared.CORPUS_HELP} Repeatable.", "--corpus", "-c", metavar="KIND=PATH")
    ],
    methods: Annotated[list[str] | None, argument("METHOD", shared.METHOD_HELP)] = None,
    scores: shared.Scores = None,
    unit: shared.LabelledUnit = "sentence",
    model: shared.Model = DEFAULT_MODEL,
    window: shared.Window = None,
    seeds: shared.Seeds = 10,
    format: FormatOption = None,  # noqa: A002 - the option's name
    out: shared.OutFile = None,
    results: shared.Results = None,
    device: shared.Device = "auto",
    dtype: shared.Dtype = "auto",
) -> None:
    """Compare methods with all cheap baselines on several corpora.

    The measure is mean average precision for ProppLearner (with both kinds of labels), TRIPOD and your own
    labels, Spearman's correlation with the grades for other corpora, area under the curve for events. It
    comes with a bootstrap interval over stories, and Wilcoxon and permutation tests against random, TF-IDF
    and the best cheap baseline. Where the votes of annotators are known, one half is compared with the other.
    A summary puts all corpora on one scale from chance to that agreement. Scores of language models are
    saved per story: run the same command again to continue after an interruption.

    \b
    Examples:
      barthes bench -c rocstories-salience=val.json -c tripod=synopses.csv
      barthes bench --unit event -c telegraphic=FOLDER
      barthes bench --scores learned=scores.json -c hippocorpus=events.csv
      barthes bench sd sd+tfidf -c propplearner=tales/ --out table.md
      barthes bench ranks:sd+words+position -c labelled=mine.tsv --format json
    """
    asked = methods or []
    _check_methods(asked, model)
    given = list(dict.fromkeys(corpus))
    chosen = _check_output(format, out, [check_corpus(each)[1] for each in given])
    kept = _load_scores(scores, out)
    from barthes.evaluation.bench import bench
    from barthes.evaluation.evaluate import check_evaluation
    from barthes.evaluation.units import choose_unit

    corpora = []
    with show_progress("reading") as progress:
        for done, each in enumerate(given):
            progress(done, len(given))
            corpora.append(choose_unit(open_corpus(each), unit))
            check_evaluation(corpora[-1])
    with _scoring(asked, model, results, device, dtype) as (deferred, cache):
        with show_progress("benchmark") as progress:
            found = bench(
                asked,
                corpora,
                unit=unit,
                scores=kept,
                model=deferred,
                window=window,
                cache=cache,
                seeds=seeds,
                progress=progress,
            )
        _write(found, chosen, out)


def _load_scores(given: Sequence[str] | None, out: Path | None) -> list[KeptScores]:
    """Read the files of --scores NAME=FILE, after checking that the output is not one of them."""
    from barthes.evaluation.kept_scores import KeptScores

    found = []
    for each in given or []:
        name, _, path = each.partition("=")
        if not name.strip() or not path.strip():
            raise typer.BadParameter(f"{each!r} is not NAME=FILE", param_hint="--scores")
        if out is not None:
            check_apart(out, [expand_home(path)], kind="the scores")
        found.append(KeptScores.load(name.strip(), expand_home(path)))
    return found


def _check_methods(methods: Sequence[str], model: str) -> None:
    for method in methods:
        check_method(method, model=model)
    shared.note_presets(methods)


def _check_output(
    chosen: EvaluationFormat | None, out: Path | None, corpora: Sequence[Path]
) -> EvaluationFormat:
    """Return the output format, after checking that the file can be written."""
    chosen = choose_format(chosen, out, _ENDINGS, "text")
    if out is not None:
        check_writable(out)
        check_apart(out, corpora, kind="the corpus")
    return chosen


@contextmanager
def _scoring(
    methods: Sequence[str], model: str, results: Path | None, device: str, dtype: str
) -> Iterator[tuple[DeferredModel, ScoreCache]]:
    """Open the score cache and, if a method needs it, identify the model."""
    from barthes.models.deferred import DeferredModel

    is_needed = any(describe_method(method).needs_model for method in methods)
    cache = open_cache(results, is_needed=is_needed)
    deferred = DeferredModel(model, device=device, dtype=dtype, cache=cache)
    with cached_work(cache):
        if is_needed:
            identify(deferred)
        yield deferred, cache


def _write(found: Evaluation | Bench, chosen: EvaluationFormat, out: Path | None) -> None:
    from barthes.report import evaluation_tables as tables

    if chosen == "text":
        write_table(lambda file: tables.print_tables(found, file=file), out)
        return
    render = {"markdown": tables.to_markdown, "latex": tables.to_latex, "json": tables.to_json}[chosen]
    write_text(render(found), out)
