"""`barthes reproduce`: the paper's experiments, its figures beside ours."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from barthes.cli import shared_options as shared
from barthes.cli.command import Command
from barthes.cli.console import end_interrupted, print_error, print_note, show_progress
from barthes.cli.help_panels import option
from barthes.cli.story_scorer import cached_work, identify, open_cache
from barthes.errors import BarthesError
from barthes.files import expand_home, write_atomically
from barthes.models.embedded import DEFAULT_MODEL

if TYPE_CHECKING:
    from barthes.cache import ScoreCache
    from barthes.models.deferred import DeferredModel
    from barthes.models.language_model import LanguageModel
    from barthes_research.corpora.propplearner import ProppLearner
    from barthes_research.reproduction.reproduce import Reproduction

_KIND = "propplearner"
_ROCSTORIES = 1000  # as many as in the paper


def reproduce_cli(
    corpus: Annotated[
        str,
        option(
            "Input",
            "ProppLearner: a folder of .sty files, or a zip.",
            "--corpus",
            "-c",
            metavar="propplearner=PATH",
        ),
    ],
    rocstories: Annotated[Path | None, option("Input", "ROCStories, for deletion detection.")] = None,
    model: Annotated[str, option("Model", f"{shared.MODEL_HELP} Or none.", metavar="MODEL")] = DEFAULT_MODEL,
    domain_model: Annotated[
        str | None, option("Model", "Model fine-tuned on other narratives.", metavar="MODEL")
    ] = None,
    transductive_model: Annotated[
        str | None, option("Model", "Model fine-tuned on the corpus itself.", metavar="MODEL")
    ] = None,
    mode: Annotated[
        Literal["paper", "published-formula"],
        option("Method", "Compute as the authors' release does, or by the formula in the paper.", "--as"),
    ] = "paper",
    only: Annotated[
        str | None,
        option(
            "Method",
            "Some of table1, table2, perplexity, ordering, deletion, cinderella. [default: all]",
            metavar="NAME,…",
        ),
    ] = None,
    labels: shared.Labels = None,
    permutations: Annotated[int, option("Method", "Shuffled orders per tale.", min=1)] = 80,
    out: Annotated[
        Path, option("Output", "Folder for pages, JSON and scores.", "--out", "-o", metavar="FOLDER")
    ] = Path("reproduction"),
    device: shared.Device = "auto",
    dtype: shared.Dtype = "auto",
) -> None:
    """Run the paper's experiments and compare the figures.

    Writes reproduction.md and reproduction.json to a folder and saves every score there:
    run the same command again to continue after an interruption. Rows whose model is not given are marked as
    not run. The exit code is 2 if a text could not be scored or a model could not be used; the pages name
    it and contain the rest.

    \b
    Examples:
      barthes reproduce -c propplearner=ProppLearner.zip --model none
      barthes reproduce -c propplearner=tales/ --rocstories stories.jsonl
      barthes reproduce -c propplearner=tales/ --model gpt2 -o ours/
      barthes reproduce -c propplearner=tales/ --as published-formula -o formula/
    """
    from barthes_research.corpora.rocstories import RocStories
    from barthes_research.reproduction.experiment import ReproductionSettings
    from barthes_research.reproduction.modes import MODES
    from barthes_research.reproduction.reproduce import (
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
    tales = _open_corpus(corpus, labels or "paper")
    given = None if rocstories is None else RocStories(rocstories, limit=_ROCSTORIES)
    out = expand_home(out)
    cache = open_cache(out)
    with cached_work(cache):
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
        # Find a wrong model now, not after hours.
        for each in choose_models(names, settings.models).values():
            identify(each)
        with show_progress("reproducing") as progress:
            found = reproduce(settings, cache, progress=progress)
    try:
        _write(found, out)
    except KeyboardInterrupt:
        raise end_interrupted(
            f"interrupted; scores are saved in {cache.path}. Run the same command to write the pages."
        ) from None
    if found.failures:
        raise typer.Exit(2)


def _open_corpus(text: str, labels: str) -> ProppLearner:
    """Open ProppLearner, from ``propplearner=PATH`` or from a path alone."""
    from barthes.corpora import check_corpus
    from barthes_research.corpora.propplearner import ProppLearner

    if "=" not in text or Path(text).exists():
        return ProppLearner(expand_home(text), rule=labels)
    kind, found = check_corpus(text)
    if kind != _KIND:
        raise BarthesError(
            f"the paper's experiments use ProppLearner, not {kind}.",
            remedy=f"Give {_KIND}=PATH, or use `barthes evaluate` for other corpora.",
        )
    return ProppLearner(found, rule=labels)


def _find_models(
    names: dict[str | None, str | None], cache: ScoreCache, *, device: str, dtype: str
) -> dict[str | None, DeferredModel]:
    """Return the given models by kind of fine-tuning, not loaded yet."""
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
    """Load a model after freeing the others, since three may not fit into memory."""
    from barthes.models.loading import load_model

    for model in given.values():
        model.release()
    return load_model(name, device=device, dtype=dtype)


def _write(found: Reproduction, folder: Path) -> None:
    from barthes_research.reproduction.page import render_markdown, render_results

    plain = found.to_dict()
    write_atomically(folder / "reproduction.json", found.to_json())
    write_atomically(folder / "reproduction.md", render_markdown(plain))
    print(render_results(plain), end="")
    for note in found.notes:
        print_error(note) if note in found.failures else print_note(note)
    print_note(f"written to {folder}: reproduction.md, reproduction.json.")


REPRODUCE = Command(reproduce_cli, panel="Evaluate methods")
