"""Where the workers of a run compute: one on each graphics card, or one on each core of the processor."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from barthes.models.loading import list_model_files

_COPIES = 2.5  # times a model's files: its weights in float32, and what goes through them
_WORKER = 700_000_000  # bytes of the libraries and of a long story
_MEMBERSHIP = Path("/proc/self/cgroup")
_CGROUPS = Path("/sys/fs/cgroup")
# The files of a control group: limit, usage, and what counts as free in memory.stat; version 2 and version 1.
_NEW = ("memory.max", "memory.current", "inactive_file")
_OLD = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")


def device_kind(device: str) -> str:
    """Return ``cpu``, ``cuda`` or ``mps``: what `device` stands for on this machine."""
    if device != "auto":
        return device.partition(":")[0]
    from barthes.models.hardware import choose_device

    return choose_device(device).type


def choose_devices(device: str, *, model: str | None, workers: int | None, threads: int) -> list[str]:
    """Return a device for each worker.

    Without a number of workers: every card of the kind that is asked for, or as many processes as there are
    cores for their threads and memory for their copies of the model.

    Args:
        device: As for `barthes.load_model`.
        model: Its name; None where no model is needed.
        workers: How many workers there shall be; None to choose.
        threads: Of each worker.
    """
    if model is None:
        return ["cpu"] * (workers or fitting_workers(None, threads=threads))
    if device_kind(device) != "cuda":
        return [device] * (workers or fitting_workers(model, threads=threads))
    import torch

    count = torch.cuda.device_count() if device in ("auto", "cuda") else 0
    cards = [f"cuda:{i}" for i in range(count)] or [device]
    return [cards[i % len(cards)] for i in range(workers or len(cards))]


def fitting_workers(model: str | None, *, threads: int = 1) -> int:
    """Return how many processes have a core for each thread, and memory for a copy of the model each."""
    fitting = max(1, count_cores() // threads)
    memory = _available_memory()
    if model is None or memory is None:
        return fitting
    return max(1, min(fitting, int(memory / worker_memory(model))))


def worker_memory(model: str | None) -> int:
    """Return about how many bytes a process with its copy of a model needs."""
    files = [] if model is None else list_model_files(model)
    return int(_COPIES * sum(file.stat().st_size for file in files)) + _WORKER


def count_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _available_memory() -> int | None:
    """Return the bytes that can be used without swapping or being killed; None where that is not known.

    That is what the machine has, and what the control groups of this process (a container, a job) leave it.
    """
    found = list(_group_memory())
    with contextlib.suppress(OSError, LookupError, ValueError):
        found.append(_read_number(Path("/proc/meminfo"), "MemAvailable:") * 1024)
    return min(found, default=None)


def _group_memory() -> Iterator[int]:
    """Yield what each control group of this process leaves; all of their limits count."""
    try:
        lines = _MEMBERSHIP.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return
    for line in lines:
        _, controllers, path = (line + "::").split(":")[:3]
        if controllers and "memory" not in controllers.split(","):
            continue
        root, files = (_CGROUPS / "memory", _OLD) if controllers else (_CGROUPS, _NEW)
        parts = [part for part in path.split("/") if part not in ("", "..")]
        for depth in range(len(parts) + 1):
            with contextlib.suppress(OSError, ValueError):  # no limit, or "max"
                yield _memory_left(root.joinpath(*parts[:depth]), *files)


def _memory_left(group: Path, limit: str, usage: str, idle: str) -> int:
    allowed, used = (int((group / name).read_text(encoding="ascii")) for name in (limit, usage))
    with contextlib.suppress(OSError, LookupError):
        used -= _read_number(group / "memory.stat", idle)  # pages of files, which can be read again
    return max(0, allowed - used)


def _read_number(path: Path, name: str) -> int:
    """Return the number that follows a name on a line of its own."""
    rows = [line.split() for line in path.read_text(encoding="ascii").splitlines()]
    return int({row[0]: row[1] for row in rows if len(row) > 1}[name])
