"""A run on a Ray cluster: which device, how much of a machine each worker has, and who knows the model."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from barthes.errors import BarthesError, ModelError
from barthes.evaluation.model_memory import locate_model
from barthes.models.language_model import LanguageModel
from barthes.runs.cluster import RayCluster, Share, Tell, check_ray
from barthes.runs.devices import device_kind, worker_memory
from barthes.runs.engine import Engine, Load, Workplace
from barthes.runs.ray_engine import NO_TURN, RayEngine, last_line, no_room
from barthes.runs.run import load_by_name, run_corpus
from barthes.runs.settings import RunSettings
from barthes.runs.work import Summary

__all__ = ["run_on_ray"]


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
    tell: Tell = lambda what: None,
    **options: Any,
) -> Summary:
    """Score every text that has no result yet, on a Ray cluster; the results are those of `run_corpus`.

    Args:
        paths: As for `run_corpus`; files are read here and sent along.
        out: As for `run_corpus`; results are written from here.
        settings: How texts are scored. The device ``auto`` is a graphics card if the cluster has any.
        address: Of a cluster; None to start one on this machine.
        workers: Actors; by default as many as there is room for.
        cpus: Processor cores of each; by default its threads.
        gpus: Graphics cards of each; by default 1 where the device is ``cuda``, else none.
        load: As for `run_corpus`; every machine must be able to.
        tell: Hears what the start is waiting for.
        options: All others of `run_corpus`.

    Raises:
        ModelError: There is no Ray, no such cluster, or no room in it; or as for `run_corpus`.
    """
    check_ray()
    here = replace(settings, model=locate_model(settings.model))  # a relative path means nothing elsewhere
    load = load or functools.partial(load_by_name, here)
    with RayCluster(address, tell=tell) as cluster:
        device = _choose_device(settings, cluster, gpus)
        share = _choose_share(settings, cluster, device, cpus, gpus)

        def hire(workplace: Workplace, devices: Sequence[str]) -> Engine:
            count = workers or (len(devices) if cluster.is_own else None)
            return RayEngine(workplace, cluster, device=device, workers=count, share=share)

        return run_corpus(
            paths,
            out,
            settings if cluster.is_own else replace(settings, device=device),
            workers=workers,
            load=load,
            identify=functools.partial(_identify, cluster, share, load),
            hire=hire,
            **options,
        )


def _choose_device(settings: RunSettings, cluster: RayCluster, gpus: float | None) -> str:
    """The kind of device: which card of a machine it is, is for Ray to say."""
    if not settings.needs_model:
        return "cpu"
    kind, colon, _ = settings.device.partition(":")
    if colon:
        raise ModelError(
            f"{settings.device!r} is one card of one machine.",
            where="--device",
            remedy="Give cuda: Ray gives each worker a card of its own.",
        )
    if kind == "auto" and gpus:
        kind = "cuda"
    elif kind == "auto" and cluster.is_own:
        kind = device_kind("auto")
    elif kind == "auto":
        cluster.connect()
        with _head_answering(cluster):
            kind = "cuda" if gpus is None and cluster.count(Share(cpus=0, gpus=0.01)) else "cpu"
    if kind == "cuda" and gpus == 0:
        raise ModelError(
            "a worker without a graphics card cannot compute on one.",
            where="--gpus-per-worker",
            remedy="Leave it out, or give --device cpu.",
        )
    return kind


def _choose_share(
    settings: RunSettings, cluster: RayCluster, device: str, cpus: float | None, gpus: float | None
) -> Share:
    cards = (1.0 if device == "cuda" else 0.0) if gpus is None else gpus
    model = settings.model if settings.needs_model else None
    memory = 0 if cluster.is_own else worker_memory(model)  # here, the number of workers takes account of it
    return Share(cpus=settings.threads if cpus is None else cpus, gpus=cards, memory=memory)


@dataclass(frozen=True)
class _Described:
    """All that a run asks of its model before there are workers."""

    fingerprint: str
    precision: str


def _identify(cluster: RayCluster, share: Share, load: Load, device: str) -> LanguageModel:
    """The model, loaded here; or what a machine that has such a device tells of it."""
    if cluster.is_own or device_kind(device) != "cuda" or device_kind("auto") == "cuda":
        return load(device)
    ray = cluster.connect()
    with _head_answering(cluster):
        if not cluster.count(share):
            raise no_room(cluster, share)
        asked = {"num_cpus": share.cpus, "num_gpus": share.gpus, "memory": share.memory}
        found = _ask(ray, ray.remote(**asked)(_describe).remote(load, device), cluster)
    if isinstance(found, BarthesError):
        raise found
    return cast(LanguageModel, found)


@contextlib.contextmanager
def _head_answering(cluster: RayCluster) -> Iterator[None]:
    """Ray Client (``ray://``) raises errors of connections where Ray itself would wait."""
    try:
        yield
    except ConnectionError as error:
        raise cluster.tell_gone() from error


def _ask(ray: Any, answer: Any, cluster: RayCluster) -> Any:
    from ray.exceptions import GetTimeoutError, RayError

    where = cluster.address or "Ray"
    try:
        return ray.get(answer, timeout=NO_TURN)
    except GetTimeoutError as error:
        raise ModelError(
            f"no machine has told anything of the model for {NO_TURN / 60:.0f} minutes.",
            where=where,
            remedy="Give the same command when others have left room in the cluster.",
        ) from error
    except RayError as error:
        raise ModelError(
            f"the machine that was asked for the model has failed ({last_line(error)}).",
            where=where,
            remedy="Install the same version of Barthes, with all it needs, on every machine.",
        ) from error


def _describe(load: Load, device: str) -> _Described | BarthesError:
    try:
        model = load(device)
    except BarthesError as error:
        return error
    return _Described(model.fingerprint, model.precision)
