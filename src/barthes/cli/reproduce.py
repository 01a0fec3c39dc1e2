"""`barthes reproduce`: every table of the paper, its figures beside ours."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from barthes.cli.console import guarded_stdout, print_error, print_note, show_progress
from barthes.cli.shared_options import Device, Dtype, Labels
from barthes.cli.story_scorer import identify, kept_in_cache, open_cache
from barthes.errors import BarthesError
from barthes.files import expand_home, write_atomically
from barthes.models.embedded import DEFAULT_MODEL

if TYPE_CHECKING:
    from rich.table import Table

    from barthes.cache import ScoreCache
    from barthes.corpora.propplearner import ProppLearner
    from barthes.models.deferred import DeferredModel
    from barthes.models.language_model import LanguageModel
    from barthes.reproduction.reproduce import Reproduction

_KIND = "propplearner"


def reproduce_cli(
    corpus: Annotated[
        str,
        typer.Option("--corpus", "-c", metavar="propplearner=PATH", help="A folder of .sty files, or a zip."),
    ],
    rocstories: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="ROCStories, for deletion detection."),
    ] = None,
    model: Annotated[
        str,
        typer.Option(help="Not fine-tuned: an embedded model, folder, GGUF file, hub name, or none."),
    ] = DEFAULT_MODEL,
    domain_model: Annotated[
        str | None, typer.Option(metavar="MODEL", help="One that was fine-tuned on other narratives.")
    ] = None,
    transductive_model: Annotated[
        str | None, typer.Option(metavar="MODEL", help="One that was fine-tuned on the corpus itself.")
    ] = None,
    mode: Annotated[
        Literal["paper", "published-formula"],
        typer.Option("--as", help="As the authors' release computes, or as the formula says."),
    ] = "paper",
    only: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,…",
            help="Some of table1, table2, perplexity, ordering, deletion, cinderella. [default: all]",
        ),
    ] = None,
    labels: Labels = "paper",
    permutations: Annotated[int, typer.Option(min=1, help="Shuffled orders of each tale.")] = 80,
    stories: Annotated[int, typer.Option(min=1, help="How many ROCStories, from the beginning.")] = 1000,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FOLDER", help="Where pages, JSON and scores go.")
    ] = Path("reproduction"),
    device: Device = "auto",
    dtype: Dtype = "auto",
) -> None:
    """Run every experiment of the paper and show our figures beside the published ones.

    Writes reproduction.json, reproduction.md and reproduction.html into a folder, and keeps every score
    there: the same command goes on where it was interrupted, and takes seconds when all is done. Rows whose
    model is not given are shown as not run. Exit code 2 where a text could not be scored or a model not be
    used; the pages say which, and have the rest.

    \b
    Examples:
      barthes reproduce -c propplearner=ProppLearner.zip --model none     what needs no model
      barthes reproduce -c propplearner=tales/ --rocstories stories.jsonl everything, embedded model
      barthes reproduce -c propplearner=tales/ --model gpt2 -o ours/      the paper's model (online)
      barthes reproduce -c propplearner=tales/ --as published-formula -o formula/
    """
    from barthes.corpora.rocstories import RocStories
    from barthes.reproduction.experiment import ReproductionSettings
    from barthes.reproduction.modes import MODES
    from barthes.reproduction.reproduce import (
        EXPERIMENTS,
        check_parser,
        choose_experiments,
        choose_models,
        reproduce,
    )

    chosen = None if only is None else choose_experiments([name.strip() for name in only.split(",")])
    if chosen is not None and "deletion" in chosen and rocstories is None:
        raise typer.BadParameter("deletion detection needs --rocstories FILE")
    names = tuple(EXPERIMENTS) if chosen is None else chosen
    tales = _open_corpus(corpus, labels)
    given = None if rocstories is None else RocStories(rocstories, limit=stories)
    out = expand_home(out)
    cache = open_cache(out)
    with kept_in_cache(cache):
        settings = ReproductionSettings(
            tales,
            _find_models(
                {None: model, "domain": domain_model, "transductive": transductive_model},
                cache,
                device=device,
                dtype=dtype,
            ),
            MODES[mode],
            stories=given,
            absent="--rocstories was not given",
            only=chosen,
            permutations=permutations,
        )
        check_parser(settings, names)
        # A wrong model is found before the work, not hours later.
        for each in choose_models(names, settings.models).values():
            identify(each)
        with show_progress("reproducing") as progress:
            found = reproduce(settings, cache, progress=progress)
    try:
        _write(found, out)
    except KeyboardInterrupt:
        print_error(f"interrupted; all scores are kept in {cache.path}: the same command writes the pages.")
        raise typer.Exit(130) from None
    if found.failures:
        raise typer.Exit(2)


def _open_corpus(text: str, labels: str) -> ProppLearner:
    """Open ProppLearner, from ``propplearner=PATH`` or from a path alone."""
    from barthes.corpora.opening import check_corpus
    from barthes.corpora.propplearner import ProppLearner

    if "=" not in text or Path(text).exists():
        return ProppLearner(expand_home(text), rule=labels)
    kind, found = check_corpus(text)
    if kind != _KIND:
        raise BarthesError(
            f"the paper's experiments are on ProppLearner, not on {kind}.",
            remedy=f"Give {_KIND}=PATH; `barthes evaluate` measures methods on other corpora.",
        )
    return ProppLearner(found, rule=labels)


def _find_models(
    names: dict[str | None, str | None], cache: ScoreCache, *, device: str, dtype: str
) -> dict[str | None, DeferredModel]:
    """Return the models that are given, by fine-tuning; none of them is loaded."""
    from barthes.models.deferred import DeferredModel

    given: dict[str | None, DeferredModel] = {}
    for fine_tuning, name in names.items():
        if name is not None and name != "none":
            load = partial(_load_alone, given, name, device=device, dtype=dtype)
            given[fine_tuning] = DeferredModel(name, device=device, dtype=dtype, cache=cache, load=load)
    return given


def _load_alone(
    given: dict[str | None, DeferredModel], name: str, *, device: str, dtype: str
) -> LanguageModel:
    """Load a model after releasing the others: three of them need not fit into memory together."""
    from barthes.models.loading import load_model

    for model in given.values():
        model.release()
    return load_model(name, device=device, dtype=dtype)


def _write(found: Reproduction, folder: Path) -> None:
    from barthes.report.terminal import PlainConsole
    from barthes.reproduction.page import render_html, render_markdown

    plain = found.to_dict()
    write_atomically(folder / "reproduction.json", found.to_json())
    write_atomically(folder / "reproduction.md", render_markdown(plain))
    write_atomically(folder / "reproduction.html", render_html(plain))
    with guarded_stdout():
        PlainConsole().print(_tabulate(plain))
    for note in found.notes:
        print_error(note) if note in found.failures else print_note(note)
    print_note(f"written to {folder}: reproduction.html, reproduction.md, reproduction.json.")


def _tabulate(plain: dict[str, Any]) -> Table:
    """Return all figures of a reproduction as one table."""
    from rich.table import Table

    names = [model["name"] for model in plain["models"].values() if model]
    title = f"as {plain['mode']}, {', '.join(names) or 'without a language model'}"
    table = Table("", "", title=title, title_justify="left")
    table.add_column("paper", justify="right")
    table.add_column("ours", justify="right")
    before = None
    for experiment, what, paper, ours in list_figures(plain):
        if before is not None and experiment != before:
            table.add_section()
        table.add_row("" if experiment == before else experiment, what, paper, ours)
        before = experiment
    return table


def list_figures(plain: dict[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """Yield experiment, what was measured, the paper's figure and ours; what was not run says so."""
    from barthes.report.numerals import format_share
    from barthes.reproduction.document import NOT_RUN, name_row, name_status

    def mark(figure: float, significant: bool) -> str:
        return f"{figure:.3f}{'†' if significant else ' '}"

    for name in ("table1", "table2", "perplexity", "ordering", "deletion", "cinderella"):
        part = plain[name]
        if part is None:
            yield name, "", "", NOT_RUN
        elif name == "table1":
            for row in part["rows"]:
                yield name, row["name"], str(row["paper"]), str(row["ours"])
        elif name == "table2":
            for row in part["rows"]:
                ours = NOT_RUN if row["ours"] is None else mark(row["ours"], row["dagger"])
                yield name, name_row(row), mark(row["paper"], row["paper_dagger"]), ours
                if row["method"] == "random" and part["random_expected"] is not None:
                    yield name, "Random, over all orders", "", mark(part["random_expected"], False)
        elif name == "perplexity":
            for row in part["rows"]:
                ours = NOT_RUN if row["perplexity"] is None else f"{row['perplexity']:.2f}"
                yield name, f"perplexity, {row['fine_tuning'] or 'no fine-tuning'}", "", ours
            for method, pair in part["spearman"].items():
                ours = name_status(pair) if pair["ours"] is None else f"{pair['ours']:.1f}"
                yield name, f"Spearman with MAP, {method.upper()}", f"{pair['paper']:.1f}", ours
        elif name == "cinderella":
            for row in part["sentences"]:
                yield name, row["text"], f"{row['paper']:.3f}", f"{row['ours']:.3f}"
        else:
            kind = "pairs" if "pairs" in part else "deletions"
            yield (
                name,
                f"accuracy, {part[kind]:,} {kind}",
                format_share(part["paper"]),
                format_share(part["accuracy"]),
            )
