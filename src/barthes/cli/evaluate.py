"""`barthes evaluate`: methods on a labelled corpus, one table."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from barthes.cli.console import show_progress
from barthes.cli.evaluation_output import (
    ChosenFormat,
    check_output,
    identify,
    open_cache,
    results_kept,
    write_tables,
)
from barthes.cli.options import Device, Dtype, Labels, Model, OutFile, Results, Seeds, Window
from barthes.cli.options import note_presets as remark_presets
from barthes.corpora.opening import CORPUS_NAMES, check_corpus, open_corpus
from barthes.methods import METHOD_NAMES, PRESETS, check_method, describe_method
from barthes.models.embedded import DEFAULT_MODEL

__all__ = ["evaluate_cli"]


class Annotations(StrEnum):
    """Where words, tags and roles come from."""

    GOLD = "gold"
    PREDICTED = "predicted"


class Undefined(StrEnum):
    """What becomes of a story without a salient sentence."""

    SKIP = "skip"
    ZERO = "zero"
    ERROR = "error"


def evaluate_cli(
    methods: Annotated[
        list[str],
        typer.Argument(
            metavar="METHOD...",
            help=f"{', '.join((*METHOD_NAMES, *PRESETS))}, or sums such as sd+tfidf, ranks:sd+tfidf.",
        ),
    ],
    corpora: Annotated[
        list[str],
        typer.Option("--corpus", "-c", metavar="KIND=PATH", help=f"KIND is {', '.join(CORPUS_NAMES)}."),
    ],
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="METHOD", help="Compare each with this method too; may be given again."),
    ] = None,
    labels: Labels = "paper",
    model: Model = DEFAULT_MODEL,
    window: Window = None,
    annotation: Annotated[
        Annotations | None,
        typer.Option(help="The corpus's own words, tags and roles, or Barthes'. [default: gold if any]"),
    ] = None,
    undefined: Annotated[
        Undefined, typer.Option(help="Stories without a salient sentence: left out, 0, or refused.")
    ] = Undefined.SKIP,
    seeds: Seeds = 10,
    format: ChosenFormat = None,  # noqa: A002 - the option's name
    out: OutFile = None,
    results: Results = None,
    device: Device = "auto",
    dtype: Dtype = "auto",
) -> None:
    """Measure how well methods find the salient sentences of a labelled corpus.

    Mean average precision with a bootstrap interval over stories, Wilcoxon's test against the random
    baseline, this and a permutation test against any method (--against), R-precision, area under the
    curve, and Spearman with graded labels. Scores by a language model are kept story by story: the same
    command goes on where it was interrupted.

    \b
    Examples:
      barthes evaluate random position tfidf -c propplearner=ProppLearner.zip
      barthes evaluate sd sd+tfidf -c propplearner=tales/ --model gpt2 --out table.tex
      barthes evaluate sd sd+tfidf -c propplearner=tales/ --against tfidf --against position
      barthes evaluate position length -c rocstories-salience=val.json --format markdown
      barthes evaluate sd -c labelled=mine.tsv          story, sentence, label: your own
    """
    others = against or []
    corpus = _only_one(corpora)
    for method in [*methods, *others]:
        check_method(method)
    remark_presets([*methods, *others])
    _, path = check_corpus(corpus, labels=labels)
    chosen = check_output(format, out, corpora=[path])
    from barthes.evaluation.evaluate import check_evaluation, evaluate
    from barthes.models.deferred import DeferredModel

    needed = any(describe_method(method).needs_model for method in [*methods, *others])
    cache = open_cache(results, needed=needed)
    lazy = DeferredModel(model, device=device, dtype=dtype, cache=cache)
    opened = open_corpus(corpus, labels=labels)
    source = None if annotation is None else annotation.value
    check_evaluation(opened, annotation=source, undefined=undefined.value)
    with results_kept(cache):
        if needed:
            identify(lazy)
        with show_progress(f"evaluating on {opened.name}") as progress:
            evaluation = evaluate(
                methods,
                opened,
                against=others,
                model=lazy,
                window=window,
                annotation=source,
                cache=cache,
                seeds=seeds,
                undefined=undefined.value,
                progress=progress,
            )
        write_tables(evaluation, chosen, out)


def _only_one(corpora: list[str]) -> str:
    """Return the only corpus; a second one must not replace the first silently."""
    if len(corpora) > 1:
        raise typer.BadParameter("one corpus at a time: `barthes bench` takes several", param_hint="--corpus")
    return corpora[0]
