"""`barthes bench`: methods and all cheap baselines on several corpora, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from barthes.cli import shared_options as shared
from barthes.cli.command import Command
from barthes.cli.console import show_progress
from barthes.cli.evaluate import FormatOption, check_methods, check_output, prepared, write_tables
from barthes.cli.help_panels import argument, option
from barthes.cli.output import check_apart
from barthes.corpora import check_corpus, open_corpus
from barthes.files import expand_home
from barthes.models.embedded import DEFAULT_MODEL

if TYPE_CHECKING:
    from barthes_research.bench.kept_scores import KeptScores

Scores = Annotated[
    list[str] | None,
    option(
        "Method", "Scores computed elsewhere, as a row NAME (JSON file). Repeatable.", metavar="NAME=FILE"
    ),
]


def bench_cli(
    corpus: Annotated[
        list[str], option("Input", f"{shared.CORPUS_HELP} Repeatable.", "--corpus", "-c", metavar="KIND=PATH")
    ],
    methods: Annotated[list[str] | None, argument("METHOD", shared.METHOD_HELP)] = None,
    scores: Scores = None,
    unit: shared.LabelledUnit = "sentence",
    model: shared.Model = DEFAULT_MODEL,
    format: FormatOption = None,  # noqa: A002 - the option's name
    out: shared.OutFile = None,
    results: shared.Results = None,
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
    check_methods(asked, model)
    given = list(dict.fromkeys(corpus))
    chosen = check_output(format, out, [check_corpus(each)[1] for each in given])
    kept = _load_scores(scores, out)
    from barthes.evaluation.corpus import choose_unit
    from barthes.evaluation.evaluate import check_evaluation
    from barthes_research.bench.bench import bench
    from barthes_research.bench.tables import lay_out

    corpora = []
    with show_progress("reading") as progress:
        for done, each in enumerate(given):
            progress(done, len(given))
            corpora.append(choose_unit(open_corpus(each), unit))
            check_evaluation(corpora[-1])
    with prepared(asked, model, results, dtype) as (deferred, cache):
        with show_progress("benchmark") as progress:
            found = bench(
                asked,
                corpora,
                unit=unit,
                scores=kept,
                model=deferred,
                cache=cache,
                progress=progress,
            )
        write_tables(found, lay_out(found), chosen, out)


def _load_scores(given: Sequence[str] | None, out: Path | None) -> list[KeptScores]:
    """Read the files of --scores NAME=FILE, after checking that the output is not one of them."""
    from barthes_research.bench.kept_scores import KeptScores

    found = []
    for each in given or []:
        name, _, path = each.partition("=")
        if not name.strip() or not path.strip():
            raise typer.BadParameter(f"{each!r} is not NAME=FILE", param_hint="--scores")
        if out is not None:
            check_apart(out, [expand_home(path)], kind="the scores")
        found.append(KeptScores.load(name.strip(), expand_home(path)))
    return found


BENCH = Command(bench_cli, panel="Evaluate methods")
