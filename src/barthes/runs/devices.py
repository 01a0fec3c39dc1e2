"""Choose a device for each worker of a run: one worker per GPU, or as many as cores and memory allow."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from barthes.models.loading import list_model_files

_COPIES = 2.5  # memory of a model as a multiple of its files: float32 weights, and activations
_WORKER = 700_000_000  # bytes of the libraries and of a long story
_MEMBERSHIP = Path("/proc/self/cgroup")
_CGROUPS = Path("/sys/fs/cgroup")
# Files of a control group (versions 2 and 1): limit, usage, and the field of memory.stat that can be freed.
_VERSION_2 = ("memory.max", "memory.current", "inactive_file")
_VERSION_1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")


def device_kind(device: str) -> str:
    """Return ``cpu``, ``cuda`` or ``mps``: what `device` stands for on this machine."""
    if device != "auto":
        return device.partition(":")[0]
    from barthes.models.hardware import choose_device

    return choose_device(device).type


def choose_devices(device: str, *, model: str | None, workers: int | None, threads: int) -> list[str]:
    """Return a device for each worker.

    Args:
        device: As for `barthes.load_model`.
        model: Its name; None if no model is needed.
        workers: The number of workers. None for one per GPU, otherwise as many as cores and memory allow.
        threads: Threads of each worker.
    """
    if model is None or device_kind(device) != "cuda":
        count = workers or count_fitting_workers(model, threads=threads)
        return ["cpu" if model is None else device] * count
    import torch

    gpus = torch.cuda.device_count() if device in ("auto", "cuda") else 0
    names = [f"cuda:{i}" for i in range(gpus)] or [device]
    return [names[i % len(names)] for i in range(workers or len(names))]


def count_fitting_workers(model: str | None, *, threads: int = 1) -> int:
    """Return for how many processes there are enough cores, and memory for a copy of the model each."""
    fitting = max(1, count_cores() // threads)
    memory = _available_memory()
    if model is None or memory is None:
        return fitting
    return max(1, min(fitting, int(memory / worker_memory(model))))


def worker_memory(model: str | None) -> int:
    """Estimate the bytes that a process with its copy of a model needs."""
    files = [] if model is None else list_model_files(model)
    return int(_COPIES * sum(file.stat().st_size for file in files)) + _WORKER


def count_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _available_memory() -> int | None:
    """Return the free bytes of the machine, or of this process's control groups if less; None if unknown."""
    found = list(_group_memory())
    with contextlib.suppress(OSError, LookupError, ValueError):
        found.append(_read_number(Path("/proc/meminfo"), "MemAvailable:") * 1024)
    return min(found, default=None)


def _group_memory() -> Iterator[int]:
    """Yield the memory left in each control group of this process, and in those above it."""
    try:
        lines = _MEMBERSHIP.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return
    for line in lines:
        _, controllers, path = (line + "::").split(":")[:3]
        if controllers and "memory" not in controllers.split(","):
            continue
        root, files = (_CGROUPS / "memory", _VERSION_1) if controllers else (_CGROUPS, _VERSION_2)
        parts = [part for part in path.split("/") if part not in ("", "..")]
        for depth in range(len(parts) + 1):
            with contextlib.suppress(OSError, ValueError):  # no limit, or "max"
                yield _memory_left(root.joinpath(*parts[:depth]), *files)


def _memory_left(group: Path, limit: str, usage: str, reclaimable: str) -> int:
    allowed, used = (int((group / name).read_text(encoding="ascii")) for name in (limit, usage))
    with contextlib.suppress(OSError, LookupError):
        used -= _read_number(group / "memory.stat", reclaimable)
    return max(0, allowed - used)


def _read_number(path: Path, name: str) -> int:
    """Return the number after a name that starts a line."""
    rows = [line.split() for line in path.read_text(encoding="ascii").splitlines()]
    return int({row[0]: row[1] for row in rows if len(row) > 1}[name])
