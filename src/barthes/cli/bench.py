"""`barthes bench`: methods beside all cheap baselines, on several corpora."""

from __future__ import annotations

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
from barthes.cli.options import Device, Dtype, Model, OutFile, Results, Seeds, Window
from barthes.cli.options import note_presets as remark_presets
from barthes.corpora.opening import CORPUS_NAMES, check_corpus, open_corpus
from barthes.methods import METHOD_NAMES, PRESETS, check_method, describe_method
from barthes.models.embedded import DEFAULT_MODEL

__all__ = ["bench_cli"]


def bench_cli(
    corpus: Annotated[
        list[str],
        typer.Option(
            "--corpus",
            "-c",
            metavar="KIND=PATH",
            help=f"KIND is {', '.join(CORPUS_NAMES)}; may be given again.",
        ),
    ],
    methods: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[METHOD]...",
            help=f"{', '.join((*METHOD_NAMES, *PRESETS))}, or sums such as sd+tfidf, ranks:sd+words.",
        ),
    ] = None,
    model: Model = DEFAULT_MODEL,
    window: Window = None,
    seeds: Seeds = 10,
    format: ChosenFormat = None,  # noqa: A002 - the option's name
    out: OutFile = None,
    results: Results = None,
    device: Device = "auto",
    dtype: Dtype = "auto",
) -> None:
    """Put methods beside all cheap baselines, on several corpora, each with its own measures.

    ProppLearner: mean average precision, with the paper's labels and with all. ROCStories salience:
    Spearman with the share of votes, area under the curve. TRIPOD: mean average precision, agreement within
    one sentence. Each figure with a bootstrap interval over stories; Wilcoxon's and the permutation test
    against random, TF-IDF and the best cheap baseline. Scores by a language model are kept story by story:
    the same command goes on where it was interrupted.

    \b
    Examples:
      barthes bench -c rocstories-salience=val.json -c tripod=synopses.csv        the baselines alone
      barthes bench sd sd+tfidf -c propplearner=tales/ --model gpt2 --out table.md
      barthes bench ranks:sd+words+position -c labelled=mine.tsv --format json
    """
    asked = methods or []
    for method in asked:
        check_method(method)
    remark_presets(asked)
    given = list(dict.fromkeys(corpus))
    chosen = check_output(format, out, corpora=[check_corpus(each)[1] for each in given])
    from barthes.evaluation.bench import bench
    from barthes.evaluation.evaluate import check_evaluation
    from barthes.models.deferred import DeferredModel

    needed = any(describe_method(method).needs_model for method in asked)
    cache = open_cache(results, needed=needed)
    lazy = DeferredModel(model, device=device, dtype=dtype, cache=cache)
    opened = []
    with show_progress("reading") as progress:
        for place, each in enumerate(given):
            progress(place, len(given))
            opened.append(open_corpus(each))
            check_evaluation(opened[-1])
    with results_kept(cache):
        if needed:
            identify(lazy)
        with show_progress("benchmark") as progress:
            found = bench(
                asked, opened, model=lazy, window=window, cache=cache, seeds=seeds, progress=progress
            )
        write_tables(found, chosen, out)
