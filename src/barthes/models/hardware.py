"""Choose the device and the precision to compute with.

Some virtual machines report AMX, which multiplies bfloat16 matrices, without supporting it. oneDNN (torch's
library for matrix products) then ends the process with an illegal instruction at the first such product. So
if low precision is asked for and the processor reports AMX, one product is tried in a child process. If it
fails, oneDNN is configured not to use AMX.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import torch

from barthes.errors import ModelError, UnknownNameError

_CPU = torch.device("cpu")
_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
_CPUINFO = Path("/proc/cpuinfo")
_ONEDNN_LIMIT = "ONEDNN_MAX_CPU_ISA"
_WITHOUT_AMX = "AVX512_CORE_FP16"  # oneDNN's highest level below AMX
_PRODUCT = "import torch; a = torch.ones(64, 64, dtype=torch.bfloat16); assert float((a @ a).sum()) == 64**3"
_TIMEOUT = 120  # seconds; importing torch and one product take two on an idle machine


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


def choose_dtype(name: str | torch.dtype = "auto", device: torch.device = _CPU) -> torch.dtype:
    """Return the precision of matrix products: the named one, or for `auto` the best one for the device.

    That is bfloat16 on a GPU that computes in it, otherwise float32. On CPUs bfloat16 is an option that saves
    little time (docs/explanation/speed.md has figures).
    """
    named = str(name).removeprefix("torch.")
    if named == "auto":
        is_fast = device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
        return torch.bfloat16 if is_fast else torch.float32
    if named not in _DTYPES:
        raise UnknownNameError("dtype", named, [*_DTYPES, "auto"])
    if named != "float32" and device.type == "cpu":
        check_processor()
    return _DTYPES[named]


@cache
def check_processor() -> None:
    """Stop oneDNN from using AMX if the processor reports AMX but cannot use it.

    Call it before the first product in low precision, when oneDNN reads its limit. A limit set by the user is
    kept.
    """
    if _reports_amx() and not _try_product():
        logging.getLogger("barthes").warning("AMX does not work on this processor; computing without it.")
        os.environ.setdefault(_ONEDNN_LIMIT, _WITHOUT_AMX)


def _reports_amx() -> bool:
    try:
        return " amx_tile" in _CPUINFO.read_text(encoding="ascii", errors="replace")
    except OSError:  # not Linux
        return False


def _try_product() -> bool:
    """Return whether a child process can compute a product in bfloat16, without a limit on oneDNN."""
    environment = {name: value for name, value in os.environ.items() if name != _ONEDNN_LIMIT}
    command = [sys.executable, "-P", "-c", _PRODUCT]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, timeout=_TIMEOUT, check=False)
    except (subprocess.TimeoutExpired, OSError):
        return False
    return done.returncode == 0
