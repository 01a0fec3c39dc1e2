"""Score a corpus: list the texts, find out what is done already, score the rest, and write each result."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from barthes.cache import ScoreCache
from barthes.models.deferred import DeferredModel, identify_model
from barthes.models.language_model import LanguageModel
from barthes.runs.devices import choose_devices, device_kind
from barthes.runs.engine import Engine, Load, WorkerSetup
from barthes.runs.inputs import Input, find_inputs
from barthes.runs.local_engine import InlineEngine, ProcessEngine
from barthes.runs.result_files import ResultFiles
from barthes.runs.run_manifest import RunManifest, load_manifest
from barthes.runs.run_settings import RunSettings, Shard, describe_run, find_versions
from barthes.runs.scheduler import Progress, Scheduler, Summary
from barthes.runs.storage import Storage, open_storage
from barthes.runs.text_tables import Columns

RESULTS = "results"
"""The folder of the result files in the folder of the run."""


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
    progress: Progress = lambda progress: None,
    load: Load | None = None,
    identify: Load | None = None,
    make_engine: Callable[[WorkerSetup, Sequence[str]], Engine] | None = None,
) -> Summary:
    """Score every text that has no result yet, and write results as they come.

    After an interruption, call it again to continue.

    Args:
        paths: As for `find_inputs`.
        out: The folder of the run, or an address that fsspec knows.
        settings: How texts are scored.
        workers: Processes; 1 computes in this one. By default one per GPU, otherwise one per core.
        shard: The share of the texts that this call scores.
        retry_failed: Whether to retry texts that failed, which may have been corrected since.
        cache: Whether to use the score cache that all runs share.
        columns: The names of the columns of tables.
        progress: Called with the progress of the run.
        load: Loads the model onto a device; by default `barthes.load_model` with the name in `settings`.
        identify: Loads the model to find its fingerprint and precision, if `load` cannot do that here.
        make_engine: Makes the engine from the setup and the workers' devices; by default a local one.

    Raises:
        OutputError: The run was started with other settings, another process is working on it, or it cannot
            be written.
        ReadingError: A text is missing, or two have the same id.
        ModelError: The model cannot be found or used.
    """
    storage = open_storage(out)
    storage.make()
    load = load or functools.partial(load_by_name, settings)
    with storage.lock(shard.name, wait=False), _restored_threads():
        old = load_manifest(storage)
        inputs = list(find_inputs(paths, columns=columns, known=old.by_id if old else None))
        model = _defer(settings, identify or load) if settings.needs_model else None
        device = None if model is None else device_kind(settings.device)
        identity = describe_run(settings, identify_model(model), device)
        identity |= {"threads": settings.threads, "versions": find_versions()}
        setup = WorkerSetup(settings, load, identity, cache=cache and model is not None)
        _update_manifest(storage, setup, inputs, retry_failed=retry_failed)
        storage.subfolder(RESULTS).remove_temporary(f"{shard.name}.")
        files = ResultFiles(storage.subfolder(RESULTS), writer=shard.name)
        index = files.scan()
        files.remove(index.damaged)
        scheduler = Scheduler(files, index, shard.choose(inputs), columns, retry_failed=retry_failed)
        if scheduler.waiting:
            name = settings.model if settings.needs_model else None
            devices = choose_devices(settings.device, model=name, workers=workers, threads=settings.threads)
            if model is not None and model.is_loaded and make_engine is None and len(devices) == 1:
                loaded = model.load()
                setup = replace(setup, load=lambda device: loaded)
            elif model is not None:
                model.release()
            scheduler.run((make_engine or _make_local_engine)(setup, devices), progress)
            if not storage.is_local:  # no locks: another process may have started it with other settings
                _update_manifest(storage, setup, inputs)
        return scheduler.summarise()


def load_by_name(settings: RunSettings, device: str) -> LanguageModel:
    """Load the model of a run, with the run's number of threads."""
    from barthes.models.loading import load_model

    model = load_model(settings.model, device=device, dtype=settings.dtype)
    import torch

    torch.set_num_threads(settings.threads)
    return model


@contextlib.contextmanager
def _restored_threads() -> Iterator[None]:
    """Restore the number of torch's threads afterwards."""
    torch = sys.modules.get("torch")
    before = None if torch is None else torch.get_num_threads()
    try:
        yield
    finally:
        if torch is not None:
            torch.set_num_threads(before)


def _defer(settings: RunSettings, load: Load) -> DeferredModel:
    """Return the model, which is not loaded if its fingerprint is cached."""
    return DeferredModel(
        settings.model,
        device=settings.device,
        dtype=settings.dtype,
        cache=ScoreCache(),
        load=functools.partial(load, settings.device),
    )


def _update_manifest(
    storage: Storage, setup: WorkerSetup, inputs: Sequence[Input], *, retry_failed: bool = False
) -> None:
    """Write the manifest of this start if it is the first or has other texts.

    A corrected text gets its new hash here, before it is retried: the record of its failure belongs to the
    old hash and no longer counts.

    Raises:
        OutputError: The run was started with other settings or texts.
    """
    identity = dict(setup.identity)
    versions = identity.pop("versions")
    new = RunManifest(setup.settings.to_dict() | identity, versions, inputs)
    with storage.lock("manifest", wait=True):  # shards may start at the same time
        old = load_manifest(storage)
        if old is not None:
            has_changed = bool(old.find_changed(new))
            failed = ResultFiles(storage.subfolder(RESULTS)).scan().failed_ids if has_changed else set()
            old.check(new, where=storage.where, failed=failed, retry_failed=retry_failed)
        if old is None or [each.key for each in old.inputs] != [each.key for each in inputs]:
            new.save(storage)


def _make_local_engine(setup: WorkerSetup, devices: Sequence[str]) -> Engine:
    return InlineEngine(setup, device=devices[0]) if len(devices) == 1 else ProcessEngine(setup, devices)
