"""Run a corpus on a Ray cluster: choose the device and the resources of workers, and identify the model."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from barthes.errors import BarthesError, ModelError
from barthes.models.deferred import DeferredModel
from barthes.models.language_model import LanguageModel
from barthes.runs.corpus_run import load_by_name, run_corpus
from barthes.runs.devices import device_kind, worker_memory
from barthes.runs.engine import Engine, Load, WorkerSetup
from barthes.runs.ray_cluster import RayCluster, WorkerResources, check_ray
from barthes.runs.ray_engine import ROOM_TIMEOUT, RayEngine, last_line, no_room
from barthes.runs.run_settings import RunSettings
from barthes.runs.scheduler import Summary


def run_on_ray(
    paths: Iterable[str | os.PathLike[str]],
    out: str | Path,
    settings: RunSettings,
    *,
    address: str | None = None,
    workers: int | None = None,
    cpus: float | None = None,
    gpus: float | None = None,
    load: Load | None = None,
    notify: Callable[[str], None] = lambda message: None,
    **options: Any,
) -> Summary:
    """Score every text that has no result yet on a Ray cluster; the results are those of `run_corpus`.

    Args:
        paths: As for `run_corpus`; files are read here and sent to the workers.
        out: As for `run_corpus`; results are written from here.
        settings: How texts are scored. The device ``auto`` is a GPU if the cluster has any.
        address: The address of a cluster; None to start one on this machine.
        workers: The number of actors; by default as many as there is room for.
        cpus: Processor cores of each; by default its threads.
        gpus: GPUs of each; by default 1 if the device is ``cuda``, otherwise none.
        load: As for `run_corpus`; it must work on every machine.
        notify: Called with messages about what takes time.
        options: Other options of `run_corpus`.

    Raises:
        ModelError: Ray is not installed, or the cluster cannot be reached or has no room; or as `run_corpus`.
    """
    check_ray()
    if load is None:
        location = DeferredModel(settings.model).location  # a relative path is wrong on other machines
        load = functools.partial(load_by_name, replace(settings, model=location))
    with RayCluster(address, notify=notify) as cluster:
        device = _choose_device(settings, cluster, gpus)
        if gpus is None:
            gpus = 1.0 if device == "cuda" else 0.0
        model = settings.model if settings.needs_model else None
        memory = 0 if cluster.is_own else worker_memory(model)  # here, it limits the number of workers
        resources = WorkerResources(settings.threads if cpus is None else cpus, gpus, memory)

        def make_engine(setup: WorkerSetup, devices: Sequence[str]) -> Engine:
            count = workers or (len(devices) if cluster.is_own else None)
            return RayEngine(setup, cluster, device=device, workers=count, resources=resources)

        return run_corpus(
            paths,
            out,
            settings if cluster.is_own else replace(settings, device=device),
            workers=workers,
            load=load,
            identify=functools.partial(_identify, cluster, resources, load),
            make_engine=make_engine,
            **options,
        )


def _choose_device(settings: RunSettings, cluster: RayCluster, gpus: float | None) -> str:
    """Return the kind of device; Ray chooses which GPU of a machine it is."""
    if not settings.needs_model:
        return "cpu"
    kind, colon, _ = settings.device.partition(":")
    if colon:
        raise ModelError(
            f"the device {settings.device!r} is one GPU of one machine.",
            remedy="Choose cuda: Ray gives each worker a GPU of its own.",
        )
    if kind == "auto" and gpus:
        kind = "cuda"
    elif kind == "auto" and cluster.is_own:
        kind = device_kind("auto")
    elif kind == "auto":
        cluster.connect()
        has_gpus = cluster.count(WorkerResources(cpus=0, gpus=0.01)) > 0
        kind = "cuda" if gpus is None and has_gpus else "cpu"
    if kind == "cuda" and gpus == 0:
        raise ModelError(
            "a worker without a GPU cannot compute on one.",
            remedy="Give each worker a share of a GPU, or choose the device cpu.",
        )
    return kind


def _identify(cluster: RayCluster, resources: WorkerResources, load: Load, device: str) -> LanguageModel:
    """Return the model loaded here, or its fingerprint and precision on a machine that has such a device."""
    if cluster.is_own or device_kind(device) != "cuda" or device_kind("auto") == "cuda":
        return load(device)
    ray = cluster.connect()
    if not cluster.count(resources):
        raise no_room(cluster, resources)
    answer = ray.remote(**resources.options)(_describe).remote(load, device)
    try:
        found = ray.get(answer, timeout=ROOM_TIMEOUT)
    except ray.exceptions.RayError as error:
        raise ModelError(
            f"no machine of the cluster could load the model ({last_line(error)}).",
            where=cluster.name,
            remedy="Install the same version of Barthes, with its dependencies, on every machine; "
            "if the cluster is busy, try again later.",
        ) from error
    if isinstance(found, BarthesError):
        raise found
    return cast(LanguageModel, found)


def _describe(load: Load, device: str) -> SimpleNamespace | BarthesError:
    try:
        model = load(device)
    except BarthesError as error:
        return error
    return SimpleNamespace(fingerprint=model.fingerprint, precision=model.precision)
