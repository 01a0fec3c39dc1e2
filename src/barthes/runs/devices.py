"""Where the workers of a run compute: one on each graphics card, or one on each core of the processor."""

from __future__ import annotations

import os
from pathlib import Path

from barthes.models.loading import list_model_files

__all__ = ["choose_devices", "count_cores", "device_kind", "fitting_workers", "worker_memory"]

_COPIES = 2.5  # times a model's files: its weights in float32, and what goes through them
_MEMBERSHIP = Path("/proc/self/cgroup")
_CGROUPS = Path("/sys/fs/cgroup")
_WORKER = 700_000_000  # bytes of the libraries and of a long story


def device_kind(device: str) -> str:
    """``cpu``, ``cuda`` or ``mps``: what `device` stands for on this machine."""
    if device != "auto":
        return device.partition(":")[0]
    from barthes.models.hardware import choose_device

    return choose_device(device).type


def choose_devices(device: str, *, model: str | None, workers: int | None, threads: int) -> list[str]:
    """A device for each worker.

    Without a number of workers: every card of the kind that is asked for, or as many processes as there are
    cores for their threads and memory for their copies of the model.

    Args:
        device: As for `barthes.load_model`.
        model: Its name; None where no model is needed.
        workers: How many workers there shall be; None to choose.
        threads: Of each worker.
    """
    kind = "cpu" if model is None else device_kind(device)
    if model is None or kind != "cuda":
        count = workers or fitting_workers(model, threads=threads)
        return ["cpu" if model is None else device] * count
    import torch

    cards = (
        [f"cuda:{i}" for i in range(torch.cuda.device_count())] if device in ("auto", "cuda") else [device]
    )
    cards = cards or [device]  # there is none here: whoever loads the model says so
    return [cards[i % len(cards)] for i in range(workers or len(cards))]


def fitting_workers(model: str | None, *, threads: int = 1) -> int:
    """How many processes have a core for each of their threads, and room for a copy of the model each."""
    fitting = max(1, count_cores() // threads)
    memory = _available_memory()
    if model is None or memory is None:
        return fitting
    return max(1, min(fitting, int(memory / worker_memory(model))))


def worker_memory(model: str | None) -> int:
    """Bytes that a process with its copy of a model needs, about; a model that is not here counts nothing."""
    files = [] if model is None else list_model_files(model)
    return int(_COPIES * sum(file.stat().st_size for file in files)) + _WORKER


def count_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _available_memory() -> int | None:
    """Bytes that can be had without swapping or being killed for it; None where that cannot be told."""
    found = [each for each in (_free_memory(), _granted_memory()) if each is not None]
    return min(found, default=None)


def _free_memory() -> int | None:
    """Bytes that the machine has."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, StopIteration):
        return None


def _granted_memory() -> int | None:
    """Bytes that the control groups of this process, as of a container or a job, leave it."""
    try:
        lines = _MEMBERSHIP.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return None
    left: list[int] = []
    for line in lines:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if not controllers:
            left += _walk_groups(_CGROUPS, path, "memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            left += _walk_groups(_CGROUPS / "memory", path, *names)
    return min(left, default=None)


def _walk_groups(root: Path, path: str, limit: str, usage: str, idle: str) -> list[int]:
    """What a group and those above it leave: all of their limits count."""
    parts = [part for part in path.split("/") if part not in ("", "..")]
    groups = [root.joinpath(*parts[:depth]) for depth in range(len(parts) + 1)]
    return [left for group in groups if (left := _left_in(group, limit, usage, idle)) is not None]


def _left_in(group: Path, limit: str, usage: str, idle: str) -> int | None:
    """None without a limit; pages of files that can be read again count as free."""
    try:
        allowed, used = (int((group / name).read_text(encoding="ascii")) for name in (limit, usage))
    except (OSError, ValueError):  # there is none, or it is "max"
        return None
    try:
        lines = (group / "memory.stat").read_text(encoding="ascii").splitlines()
        used -= next(int(line.split()[1]) for line in lines if line.split()[:1] == [idle])
    except (OSError, ValueError, StopIteration):
        pass
    return max(0, allowed - used)
