"""`barthes reproduce`: every table of the paper, its figures beside ours."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from barthes.cli.console import guarded_stdout as stdout_guarded
from barthes.cli.console import print_error as complain
from barthes.cli.console import print_note as remark
from barthes.cli.console import show_progress
from barthes.cli.evaluation_output import identify, open_cache, results_kept
from barthes.cli.options import Device, Dtype, Labels
from barthes.errors import BarthesError
from barthes.files import expand_home, write_atomically
from barthes.models.embedded import DEFAULT_MODEL

if TYPE_CHECKING:
    from barthes.cache import ScoreCache
    from barthes.corpora.propplearner import ProppLearner
    from barthes.models.deferred import DeferredModel
    from barthes.models.language_model import LanguageModel
    from barthes.reproduction.reproduce import Reproduction

__all__ = ["reproduce_cli"]

_NO_MODEL = "none"
_KIND = "propplearner"


class ModeName(StrEnum):
    """How the experiments are run."""

    PAPER = "paper"
    PUBLISHED_FORMULA = "published-formula"


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
        ModeName, typer.Option("--as", help="As the authors' release computes, or as the formula says.")
    ] = ModeName.PAPER,
    only: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,…",
            help="Some of table1, table2, perplexity, ordering, deletion, cinderella. [default: all]",
        ),
    ] = None,
    labels: Labels = "paper",
    permutations: Annotated[int, typer.Option(min=1, help="Shufflings a tale.")] = 80,
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
    with results_kept(cache):
        settings = ReproductionSettings(
            tales,
            _find_models(
                {None: model, "domain": domain_model, "transductive": transductive_model},
                cache,
                device=device,
                dtype=dtype,
            ),
            MODES[mode.value],
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
        complain(f"interrupted; all scores are kept in {cache.path}: the same command writes the pages.")
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
        if name is not None and name != _NO_MODEL:
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
    from barthes.reproduction.page import render_html, render_markdown

    plain = found.to_dict()
    write_atomically(folder / "reproduction.json", found.to_json())
    write_atomically(folder / "reproduction.md", render_markdown(plain))
    write_atomically(folder / "reproduction.html", render_html(plain))
    from barthes.cli.reproduction_table import tabulate
    from barthes.report.terminal import PlainConsole

    with stdout_guarded():
        PlainConsole().print(tabulate(plain))
    for note in found.notes:
        complain(note) if note in found.failures else remark(note)
    remark(f"written to {folder}: reproduction.html, reproduction.md, reproduction.json.")
