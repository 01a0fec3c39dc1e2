"""`barthes reproduce`: every table of the paper, its figures beside ours."""

from __future__ import annotations

import os
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from barthes.cli.complaints import complain, remark
from barthes.cli.progress import show_progress
from barthes.cli.streams import stdout_guarded
from barthes.errors import BarthesError, OutputError, ReadingError
from barthes.files import write_atomically
from barthes.models.embedded import DEFAULT_MODEL

if TYPE_CHECKING:
    from barthes.corpora.propplearner import ProppLearner
    from barthes.corpora.rocstories import RocStories
    from barthes.evaluation.experiments.models import Lineup
    from barthes.evaluation.experiments.reproduction import Reproduction
    from barthes.evaluation.model_identity import DeferredModel
    from barthes.evaluation.store import ScoreStore
    from barthes.models.language_model import LanguageModel

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
    permutations: Annotated[int, typer.Option(min=1, help="Shufflings a tale.")] = 80,
    stories: Annotated[int, typer.Option(min=1, help="How many ROCStories, from the beginning.")] = 1000,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FOLDER", help="Where pages, JSON and scores go.")
    ] = Path("reproduction"),
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")] = "auto",
    dtype: Annotated[str, typer.Option(help="auto, float32, bfloat16, float16.")] = "auto",
) -> None:
    """Run every experiment of the paper and show our figures beside the published ones.

    Writes reproduction.json, reproduction.md and reproduction.html into a folder, and keeps every score
    there: the same command goes on where it was interrupted, and takes seconds when all is done. Rows whose
    model is not given are shown as not run.

    \b
    Examples:
      barthes reproduce -c propplearner=ProppLearner.zip --model none     what needs no model
      barthes reproduce -c propplearner=tales/ --rocstories stories.jsonl everything, embedded model
      barthes reproduce -c propplearner=tales/ --model gpt2 -o gpt2/      the paper's model (online)
      barthes reproduce -c propplearner=tales/ --as published-formula -o formula/
    """
    from barthes.evaluation.experiments.catalogue import EXPERIMENTS, choose_experiments
    from barthes.evaluation.experiments.modes import find_mode
    from barthes.evaluation.experiments.reproduction import Settings, reproduce
    from barthes.evaluation.store import ScoreStore

    chosen = None if only is None else choose_experiments([name.strip() for name in only.split(",")])
    tales = _open_corpus(corpus)
    given, absent = _open_stories(rocstories, stories, chosen or EXPERIMENTS, asked=chosen is not None)
    _make_folder(out)
    store = ScoreStore(out / "scores")
    names = {None: model, "domain": domain_model, "transductive": transductive_model}
    try:
        models = _identify(names, store, chosen or EXPERIMENTS, device=device, dtype=dtype)
        settings = Settings(
            tales,
            models,
            find_mode(mode.value),
            stories=given,
            absent=absent,
            only=chosen,
            permutations=permutations,
        )
        with show_progress("reproducing") as progress:
            found = reproduce(settings, store, progress=progress)
    except KeyboardInterrupt:
        complain(
            f"interrupted; what is finished is kept in {store.folder}. The same command goes on from there."
        )
        raise typer.Exit(130) from None
    finally:
        for sentence in store.stale:
            remark(sentence)
    _write(found, out)


def _open_corpus(text: str) -> ProppLearner:
    """ProppLearner, from ``propplearner=PATH`` or from a path alone: no other corpus has these tables."""
    from barthes.corpora.opening import check_corpus
    from barthes.corpora.propplearner import ProppLearner

    if "=" not in text or Path(text).exists():
        return ProppLearner(Path(text).expanduser())
    kind, path = check_corpus(text)
    if kind != _KIND:
        raise BarthesError(
            f"the paper's experiments are on ProppLearner, not on {kind}.",
            remedy=f"Give {_KIND}=PATH; `barthes evaluate` measures methods on other corpora.",
        )
    return ProppLearner(path)


def _open_stories(
    path: Path | None, limit: int, chosen: tuple[str, ...], *, asked: bool
) -> tuple[RocStories | None, str]:
    """ROCStories, or why there are none; an error only where deletion detection was asked for by name."""
    from barthes.corpora.rocstories import RocStories

    if path is None or "deletion" not in chosen:
        if asked and "deletion" in chosen:
            raise typer.BadParameter("deletion detection needs --rocstories FILE")
        return None, "--rocstories was not given"
    try:
        return RocStories(path, limit=limit), ""
    except ReadingError as error:
        if asked:
            raise
        remark(f"deletion detection will not be run: {error}")
        return None, f"{path.name}: {error.problem.rstrip('.')}"


def _identify(
    names: dict[str | None, str | None],
    store: ScoreStore,
    chosen: tuple[str, ...],
    *,
    device: str,
    dtype: str,
) -> Lineup:
    """The models that are given, each known by its fingerprint before the work begins."""
    from barthes.evaluation.experiments.models import Lineup
    from barthes.evaluation.model_identity import DeferredModel

    if set(chosen) <= {"table1"}:
        return Lineup()
    given: dict[str | None, DeferredModel] = {}
    for setting, name in names.items():
        if name is not None and name != _NO_MODEL:
            load = partial(_load_alone, given, name, device=device, dtype=dtype)
            given[setting] = DeferredModel(name, device=device, dtype=dtype, memory=store.folder, load=load)
    for model in given.values():
        with show_progress(f"loading {model.name}"):
            _ = model.fingerprint
    return Lineup(given)


def _load_alone(
    given: dict[str | None, DeferredModel], name: str, *, device: str, dtype: str
) -> LanguageModel:
    """Load a model after letting go of the others: three of them need not fit into memory together."""
    from barthes.models.loading import load_model

    for model in given.values():
        model.release()
    return load_model(name, device=device, dtype=dtype)


def _make_folder(folder: Path) -> None:
    """Find out before the work, not after it, that results cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = "is a file" if folder.is_file() else f"cannot be made ({error.strerror})"
        raise OutputError(f"{what}.", where=folder, remedy="Give --out the name of a folder.") from error
    if not os.access(folder, os.W_OK):
        raise OutputError("may not be written to.", where=folder, remedy="Choose another folder.")


def _write(found: Reproduction, folder: Path) -> None:
    from barthes.report.reproduction import render_html, render_markdown

    plain = found.to_dict()
    write_atomically(folder / "reproduction.json", found.to_json())
    write_atomically(folder / "reproduction.md", render_markdown(plain))
    write_atomically(folder / "reproduction.html", render_html(plain))
    from barthes.cli.reproduction_table import tabulate
    from barthes.report.console import PlainConsole

    with stdout_guarded():
        PlainConsole().print(tabulate(plain))
    for note in found.notes:
        remark(note)
    remark(f"written to {folder}: reproduction.html, reproduction.md, reproduction.json.")
