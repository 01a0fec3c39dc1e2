"""`barthes evaluate`: methods on a labelled corpus, one table."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from barthes.cli.options import ChosenLabels, Device, Dtype, Labels, Model, OutFile, Results, Seeds, Window
from barthes.cli.output import check_writable
from barthes.cli.presets import remark_presets
from barthes.cli.progress import show_progress
from barthes.cli.stored_results import results_kept
from barthes.cli.tables import EvaluationFormat, write_tables
from barthes.corpora.opening import CORPUS_NAMES, check_corpus, open_corpus
from barthes.errors import OutputError
from barthes.methods import METHOD_NAMES, PRESETS, check_method, needs_model
from barthes.models.embedded import DEFAULT_MODEL

if TYPE_CHECKING:
    from barthes.evaluation.model_identity import DeferredModel

__all__ = ["ChosenFormat", "check_output", "evaluate_cli", "identify"]


ChosenFormat = Annotated[
    EvaluationFormat | None,
    typer.Option("--format", "-f", help="By default by the ending of --out, else text."),
]
"""The option by which `barthes evaluate` and `barthes bench` take it."""


class Annotations(StrEnum):
    """Where words, tags and roles come from."""

    GOLD = "gold"
    PREDICTED = "predicted"


class Undefined(StrEnum):
    """What becomes of a story without a salient sentence."""

    SKIP = "skip"
    ZERO = "zero"
    ERROR = "error"


_ENDINGS = {
    "": EvaluationFormat.TEXT,
    ".txt": EvaluationFormat.TEXT,
    ".md": EvaluationFormat.MARKDOWN,
    ".tex": EvaluationFormat.LATEX,
    ".json": EvaluationFormat.JSON,
}


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
    labels: ChosenLabels = Labels.PAPER,
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
    _, path = check_corpus(corpus, labels=labels.value)
    chosen = check_output(format, out, corpora=[path])
    from barthes.evaluation.evaluate import check_evaluation, evaluate
    from barthes.evaluation.model_identity import DeferredModel
    from barthes.evaluation.store import ScoreStore, make_folder, scores_folder
    from barthes.report import evaluation_tables

    store = ScoreStore(scores_folder() if results is None else results)
    lazy = DeferredModel(model, device=device, dtype=dtype, memory=store.folder)
    opened = open_corpus(corpus, labels=labels.value)
    source = None if annotation is None else annotation.value
    check_evaluation(opened, annotation=source, undefined=undefined.value)
    with results_kept(store):
        if any(map(needs_model, [*methods, *others])):
            make_folder(store.folder)
            identify(lazy)
        with show_progress(f"evaluating on {opened.name}") as progress:
            evaluation = evaluate(
                methods,
                opened,
                against=others,
                model=lazy,
                window=window,
                annotation=source,
                store=store,
                seeds=seeds,
                undefined=undefined.value,
                progress=progress,
            )
        write_tables(evaluation, chosen, out, evaluation_tables)


def check_output(
    chosen: EvaluationFormat | None, out: Path | None, *, corpora: Sequence[Path]
) -> EvaluationFormat:
    """The format of the result; found out before the work, as is that it cannot be written.

    Raises:
        OutputError: The file cannot be written, is one of the corpora, or has an ending without a format.
    """
    found = chosen or _format_of(out)
    if out is not None:
        check_writable(out)
        for corpus in corpora:
            _check_apart(corpus, out)
    return found


def identify(model: DeferredModel) -> None:
    """Find out which model it is; its files may tell, else it is loaded."""
    with show_progress(f"loading {model.name}"):
        _ = model.fingerprint, model.precision


def _format_of(out: Path | None) -> EvaluationFormat:
    ending = "" if out is None else out.suffix.lower()
    if ending not in _ENDINGS:
        raise OutputError(
            f"there is no format for files that end in {ending}.",
            where=out,
            remedy="Use .txt, .md, .tex or .json, or add --format.",
        )
    return _ENDINGS[ending]


def _check_apart(corpus: Path, out: Path) -> None:
    """A corpus is never written over by its own figures."""
    if out.exists() and corpus.exists() and corpus.samefile(out):
        raise OutputError("is the corpus.", where=out, remedy="Give --out the name of another file.")


def _only_one(corpora: list[str]) -> str:
    """A second corpus must not take the place of the first without a word."""
    if len(corpora) > 1:
        raise typer.BadParameter("one corpus at a time: `barthes bench` takes several", param_hint="--corpus")
    return corpora[0]
