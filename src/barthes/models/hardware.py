"""Choose the device and the precision to compute with.

Some virtual machines report AMX, which multiplies bfloat16 matrices, without supporting it. oneDNN (torch's
library for matrix products) then ends the process with an illegal instruction at the first bfloat16 product.
So if the processor reports AMX, one product is tried in a child process. The result is stored in the cache
folder, one file per processor; if AMX does not work, oneDNN is configured not to use it.
"""

from __future__ import annotations

import logging
import os
import platform
import signal
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

import torch

from barthes.cache import cache_folder
from barthes.errors import BarthesError, ModelError, UnknownNameError
from barthes.files import write_atomically
from barthes.hashing import hash_bytes

_CPU = torch.device("cpu")
_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
_CPUINFO = Path("/proc/cpuinfo")
_ONEDNN_LIMIT = "ONEDNN_MAX_CPU_ISA"
_WITHOUT_AMX = "AVX512_CORE_FP16"  # oneDNN's highest level below AMX
_PRODUCT = "import torch; a = torch.ones(64, 64, dtype=torch.bfloat16); assert float((a @ a).sum()) == 64**3"
_TIMEOUT = 120  # seconds; importing torch and one product take two on an idle machine
_ANSWERS = {True: "works\n", False: "does not work\n"}
_CRASHES = (signal.SIGILL, signal.SIGSEGV, signal.SIGABRT)  # other signals come from the user or the system


def choose_device(name: str = "auto") -> torch.device:
    """Return the named device; for `auto` CUDA if available, otherwise MPS, otherwise the CPU."""
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:
        remedy = "Known devices are cpu, cuda, cuda:1, mps and auto."
        raise ModelError(f"the device {name!r} cannot be used here.", remedy=remedy) from error
    return device


def choose_dtype(name: str = "auto", device: torch.device = _CPU) -> torch.dtype:
    """Return the precision of matrix products: the named one, or for `auto` the best one for the device.

    That is bfloat16 if the hardware computes in it, because it is about twice as fast and keeps the ranking
    (docs/explanation/speed.md explains it); otherwise float32.
    """
    if name == "auto":
        return torch.bfloat16 if _computes_in_bfloat16(device) else torch.float32
    if name not in _DTYPES:
        raise UnknownNameError("dtype", name, [*_DTYPES, "auto"])
    return _DTYPES[name]


def _computes_in_bfloat16(device: torch.device) -> bool:
    """Return whether the device has bfloat16 units; emulated products are slower than float32.

    Nothing is timed, so the result is always the same on the same machine.
    """
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    if device.type == "cpu":
        known = torch.cpu.get_capabilities() if hasattr(torch.cpu, "get_capabilities") else {}  # newer torch
        # Where AMX does not work, AVX-512 could compute in bfloat16, but more slowly than in float32.
        return bool(known.get("avx512_bf16") or known.get("amx_bf16")) and check_processor()
    return False


@cache
def check_processor() -> bool:
    """Return False, and stop oneDNN from using AMX, if the processor reports AMX but cannot use it.

    Call it before the first matrix product, when oneDNN reads its limit. A limit set by the user is kept.
    """
    processor = _find_amx_processor()
    if processor is None or _amx_works(f"{processor}, torch {torch.__version__}"):
        return True
    os.environ.setdefault(_ONEDNN_LIMIT, _WITHOUT_AMX)
    return False


def _find_amx_processor() -> str | None:
    """Return the name of the processor if it reports AMX; None if it does not or if that is unknown."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return None
    try:
        lines = _CPUINFO.read_text(encoding="ascii", errors="replace").split("\n\n")[0].splitlines()
    except OSError:
        return None
    fields = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    flags = fields.get("flags", "").split()
    if "amx_tile" not in flags:
        return None
    return fields.get("model name", "unknown") + (" (virtual)" if "hypervisor" in flags else "")


def _amx_works(processor: str) -> bool:
    """Return whether a bfloat16 product works: the stored answer for this processor, or that of a trial."""
    path = None
    with suppress(OSError, ValueError, BarthesError):  # no answer yet, or no usable cache folder
        path = cache_folder() / f"amx-{hash_bytes(processor.encode())[:16]}"
        answer = path.read_text(encoding="utf-8")
        if answer in _ANSWERS.values():
            return answer == _ANSWERS[True]
    works = _try_product()
    if path is not None and works is not None:
        with suppress(OSError, BarthesError):  # not writable: try again next time
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, _ANSWERS[works])
    if not works:
        problem = "could not be tried" if works is None else "does not work"
        logging.getLogger("barthes").warning("AMX %s on this processor; computing without it.", problem)
    return bool(works)


def _try_product() -> bool | None:
    """Compute a bfloat16 product in a child process: False if it crashes or hangs, None if it cannot run."""
    # Without a limit on oneDNN, so that the answer depends only on the processor.
    environment = {name: value for name, value in os.environ.items() if name != _ONEDNN_LIMIT}
    command, null = [sys.executable, "-P", "-c", _PRODUCT], subprocess.DEVNULL
    try:
        code = subprocess.run(
            command, env=environment, stdin=null, stdout=null, stderr=null, timeout=_TIMEOUT, check=False
        ).returncode
    except subprocess.TimeoutExpired:
        return False
    except OSError:
        return None
    if code == 0:
        return True
    return False if -code in _CRASHES else None
