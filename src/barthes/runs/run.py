"""A run: list the texts, look what is done already, have the rest done, keep each result as it comes."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from barthes.evaluation.model_identity import DeferredModel, identify_model
from barthes.evaluation.store import scores_folder
from barthes.models.language_model import LanguageModel
from barthes.runs.address import open_folder
from barthes.runs.cache import cache_file, cache_limit
from barthes.runs.course import Watch, unwatched
from barthes.runs.devices import choose_devices, device_kind
from barthes.runs.engine import Engine, Load, Workplace
from barthes.runs.folder import Folder
from barthes.runs.inputs import Input, find_inputs
from barthes.runs.local import InlineEngine, ProcessEngine
from barthes.runs.manifest import Manifest, load_manifest
from barthes.runs.settings import Circumstances, RunSettings
from barthes.runs.shard import Shard
from barthes.runs.store import ResultStore
from barthes.runs.tables import Columns
from barthes.runs.work import Summary, Work

__all__ = ["RESULTS", "load_by_name", "run_corpus"]

RESULTS = "results"
"""The folder of the results, in that of the run."""


def run_corpus(
    paths: Iterable[str | os.PathLike[str]],
    out: str | Path,
    settings: RunSettings,
    *,
    workers: int | None = None,
    shard: Shard = Shard(),  # noqa: B008 - frozen
    retry_failed: bool = False,
    cache: bool = True,
    columns: Columns = Columns(),  # noqa: B008 - frozen
    watch: Watch = unwatched,
    load: Load | None = None,
    identify: Load | None = None,
    hire: Callable[[Workplace, Sequence[str]], Engine] | None = None,
) -> Summary:
    """Score every text that has no result yet, and keep each result as it comes.

    Whenever it is interrupted, calling it again goes on from there.

    Args:
        paths: As for `find_inputs`.
        out: The folder of the run, or an address that fsspec knows.
        settings: How texts are scored.
        workers: Processes; 1 computes in this one. By default one a device or core.
        shard: The share of the texts that this call does.
        retry_failed: Whether texts that failed are tried again; they may have been mended since.
        cache: Whether scores are taken from, and given to, the cache that all runs share.
        columns: What the columns of tables are called.
        watch: Hears how far it is.
        load: Loads the model onto a device; by default `barthes.load_model` with the name in `settings`.
        identify: Loads it to tell its fingerprint and precision, where that is not done by `load`.
        hire: Makes the engine from the workplace and the workers' devices; by default a local one.

    Raises:
        OutputError: The run was started otherwise, is being worked on by another process, or cannot be
            written.
        ReadingError: There is no such text, or two have the same id.
        ModelError: The model cannot be had or used.
    """
    folder = open_folder(out)
    folder.prepare()
    load = load or functools.partial(load_by_name, settings)
    with folder.hold(shard.name, wait=False), _threads_kept():
        old = load_manifest(folder)
        inputs = list(find_inputs(paths, columns=columns, known=old.by_id if old else None))
        model = _defer(settings, identify or load)
        workplace = _furnish(settings, load, model, cache=cache)
        manifest = _settle(folder, workplace, inputs, retry_failed=retry_failed)
        results = folder.inside(RESULTS)
        results.sweep(f"{shard.name}.")
        store = ResultStore(results, writer=shard.name)
        dropped = store.compact()
        index = store.scan()
        index.damaged += dropped
        work = Work(store, index, shard.choose(manifest.inputs), columns, retry_failed=retry_failed)
        if work.waiting:
            devices = _devices(settings, workers)
            if hire is None and len(devices) == 1 and model is not None and model.is_loaded:
                workplace = replace(workplace, load=lambda device: model.load())  # not a second time
            elif model is not None:
                model.release()
            work.do((hire or _hire)(workplace, devices), watch)
            if not folder.has_locks:  # has somebody started it otherwise, in the moment when we did?
                _settle(folder, workplace, inputs)
            store.compact()
        return work.sum_up()


def load_by_name(settings: RunSettings, device: str) -> LanguageModel:
    """The model of a run, computing with as many threads as the run says."""
    from barthes.models.loading import load_model

    model = load_model(settings.model, device=device, dtype=settings.dtype)
    import torch

    torch.set_num_threads(settings.threads)
    return model


@contextlib.contextmanager
def _threads_kept() -> Iterator[None]:
    """Leave this process with the threads that it had: others compute in it, too."""
    torch = sys.modules.get("torch")
    before = None if torch is None else torch.get_num_threads()
    try:
        yield
    finally:
        if torch is not None:
            torch.set_num_threads(before)


def _defer(settings: RunSettings, load: Load) -> DeferredModel | None:
    """The model, which is not loaded if its fingerprint is remembered."""
    if not settings.needs_model:
        return None
    return DeferredModel(
        settings.model,
        device=settings.device,
        dtype=settings.dtype,
        memory=scores_folder(),
        load=functools.partial(load, settings.device),
    )


def _furnish(settings: RunSettings, load: Load, model: DeferredModel | None, *, cache: bool) -> Workplace:
    """All that workers need."""
    kind = None if model is None else device_kind(settings.device)
    found = Circumstances.find(settings, identify_model(model), kind)
    identity = found.to_dict() | {"threads": settings.threads, "versions": dict(Circumstances.versions())}
    path = cache_file() if cache and settings.needs_model else None
    return Workplace(settings, load, identity, cache=path, limit=cache_limit() if path else None)


def _settle(
    folder: Folder, workplace: Workplace, inputs: Sequence[Input], *, retry_failed: bool = False
) -> Manifest:
    """The manifest of this start: written if it is the first or has more texts, refused if it is another.

    A text that was mended gets its new hash here, before it is tried again: from this moment on it is one
    that is not done yet, for the record of its failure is of the text that it was.
    """
    identity = dict(workplace.identity)
    versions = identity.pop("versions")
    new = Manifest(workplace.settings.to_dict() | identity, versions, inputs)
    with folder.hold("manifest", wait=True):  # shards start at the same time
        old = load_manifest(folder)
        if old is not None:
            failed = _find_failed(folder) if old.find_changed(new) else {}
            old.check(new, where=folder.where, failed=failed, retry_failed=retry_failed)
        if old is None or _signs(old.inputs) != _signs(new.inputs):
            new.save(folder)
    return new


def _find_failed(folder: Folder) -> dict[str, str]:
    """Why texts have no result, by id; none of them has one under any hash."""
    return ResultStore(folder.inside(RESULTS)).scan().failed


def _signs(inputs: Sequence[Input]) -> list[tuple[str, str]]:
    return [(each.id, each.sha256) for each in inputs]


def _devices(settings: RunSettings, workers: int | None) -> list[str]:
    model = settings.model if settings.needs_model else None
    return choose_devices(settings.device, model=model, workers=workers, threads=settings.threads)


def _hire(workplace: Workplace, devices: Sequence[str]) -> Engine:
    if len(devices) == 1:
        return InlineEngine(workplace, device=devices[0])
    return ProcessEngine(workplace, devices)
