"""`barthes evaluate` and `barthes bench`: methods on labelled corpora, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from barthes.cli.console import show_progress
from barthes.cli.output import check_apart, check_writable, choose_format, write_table, write_text
from barthes.cli.shared_options import (
    Device,
    Dtype,
    Labels,
    Model,
    OutFile,
    Results,
    Seeds,
    Window,
    note_presets,
)
from barthes.cli.story_scorer import identify, kept_in_cache, open_cache
from barthes.corpora.opening import CORPUS_NAMES, check_corpus, open_corpus
from barthes.methods import METHOD_NAMES, PRESETS, check_method, describe_method
from barthes.models.embedded import DEFAULT_MODEL

if TYPE_CHECKING:
    from barthes.cache import ScoreCache
    from barthes.evaluation.bench import Bench
    from barthes.evaluation.result import Evaluation
    from barthes.models.deferred import DeferredModel

EvaluationFormat = Literal["text", "markdown", "latex", "json"]
FormatOption = Annotated[
    EvaluationFormat | None,
    typer.Option("--format", "-f", help="By default by the ending of --out, else text."),
]

_ENDINGS: dict[str, EvaluationFormat] = {
    ".txt": "text",
    ".md": "markdown",
    ".tex": "latex",
    ".json": "json",
    "": "text",
}
_NAMES = ", ".join((*METHOD_NAMES, *PRESETS))
_CORPORA = ", ".join(CORPUS_NAMES)


def evaluate_cli(
    methods: Annotated[
        list[str],
        typer.Argument(metavar="METHOD...", help=f"{_NAMES}, or sums such as sd+tfidf, ranks:sd+tfidf."),
    ],
    corpora: Annotated[
        list[str], typer.Option("--corpus", "-c", metavar="KIND=PATH", help=f"KIND is {_CORPORA}.")
    ],
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="METHOD", help="Compare each with this method too; may be given again."),
    ] = None,
    labels: Labels = "paper",
    model: Model = DEFAULT_MODEL,
    window: Window = None,
    annotation: Annotated[
        Literal["gold", "predicted"] | None,
        typer.Option(help="The corpus's own words, tags and roles, or Barthes'. [default: gold if any]"),
    ] = None,
    undefined: Annotated[
        Literal["skip", "zero", "error"],
        typer.Option(help="Stories without a salient sentence: left out, 0, or refused."),
    ] = "skip",
    seeds: Seeds = 10,
    format: FormatOption = None,  # noqa: A002 - the option's name
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
    if len(corpora) > 1:  # the second must not replace the first silently
        raise typer.BadParameter("one corpus at a time: `barthes bench` takes several", param_hint="--corpus")
    others = against or []
    _check_methods([*methods, *others])
    chosen = _check_output(format, out, [check_corpus(corpora[0], labels=labels)[1]])
    from barthes.evaluation.evaluate import check_evaluation, evaluate

    corpus = open_corpus(corpora[0], labels=labels)
    check_evaluation(corpus, annotation=annotation, undefined=undefined)
    with _scoring([*methods, *others], model, results, device, dtype) as (lazy, cache):
        with show_progress(f"evaluating on {corpus.name}") as progress:
            evaluation = evaluate(
                methods,
                corpus,
                against=others,
                model=lazy,
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
        list[str],
        typer.Option("--corpus", "-c", metavar="KIND=PATH", help=f"KIND is {_CORPORA}; may be given again."),
    ],
    methods: Annotated[
        list[str] | None,
        typer.Argument(metavar="[METHOD]...", help=f"{_NAMES}, or sums such as sd+tfidf, ranks:sd+words."),
    ] = None,
    model: Model = DEFAULT_MODEL,
    window: Window = None,
    seeds: Seeds = 10,
    format: FormatOption = None,  # noqa: A002 - the option's name
    out: OutFile = None,
    results: Results = None,
    device: Device = "auto",
    dtype: Dtype = "auto",
) -> None:
    """Compare methods with all cheap baselines, on several corpora, each with its own measures.

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
    _check_methods(asked)
    given = list(dict.fromkeys(corpus))
    chosen = _check_output(format, out, [check_corpus(each)[1] for each in given])
    from barthes.evaluation.bench import bench
    from barthes.evaluation.evaluate import check_evaluation

    corpora = []
    with show_progress("reading") as progress:
        for done, each in enumerate(given):
            progress(done, len(given))
            corpora.append(open_corpus(each))
            check_evaluation(corpora[-1])
    with _scoring(asked, model, results, device, dtype) as (lazy, cache):
        with show_progress("benchmark") as progress:
            found = bench(
                asked, corpora, model=lazy, window=window, cache=cache, seeds=seeds, progress=progress
            )
        _write(found, chosen, out)


def _check_methods(methods: Sequence[str]) -> None:
    for method in methods:
        check_method(method)
    note_presets(methods)


def _check_output(
    chosen: EvaluationFormat | None, out: Path | None, corpora: Sequence[Path]
) -> EvaluationFormat:
    """Return the format of the result, after checking before the work that it can be written."""
    chosen = choose_format(chosen, out, _ENDINGS, "text")
    if out is not None:
        check_writable(out)
        check_apart(out, corpora, kind="the corpus")
    return chosen


@contextmanager
def _scoring(
    methods: Sequence[str], model: str, results: Path | None, device: str, dtype: str
) -> Iterator[tuple[DeferredModel, ScoreCache]]:
    """Open the score cache and, if a method needs it, identify the model; say what is kept at Ctrl-C."""
    from barthes.models.deferred import DeferredModel

    is_needed = any(describe_method(method).needs_model for method in methods)
    cache = open_cache(results, needed=is_needed)
    lazy = DeferredModel(model, device=device, dtype=dtype, cache=cache)
    with kept_in_cache(cache):
        if is_needed:
            identify(lazy)
        yield lazy, cache


def _write(found: Evaluation | Bench, chosen: EvaluationFormat, out: Path | None) -> None:
    """Write the tables to a file (atomically), or print them."""
    from barthes.report import evaluation_tables as tables

    if chosen == "text":
        write_table(lambda file: tables.print_tables(found, file=file), out)
        return
    render = {"markdown": tables.to_markdown, "latex": tables.to_latex, "json": tables.to_json}[chosen]
    write_text(render(found), out)
