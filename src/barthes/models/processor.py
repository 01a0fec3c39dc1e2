"""What the processor can do where it says more than that.

Some virtual machines show their guests a processor with AMX, which multiplies tiles of bfloat16 numbers, and
hide the shapes that its tiles can have. oneDNN, which multiplies matrices for torch, believes the one and
does not ask for the other: the first product in bfloat16 ends the process with an illegal instruction. Here
the shapes are asked for, and where there are none oneDNN is told to leave AMX alone.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import platform
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

__all__ = ["has_broken_tiles", "lacks_shapes", "spare_broken_tiles"]

_LIMIT = "ONEDNN_MAX_CPU_ISA"
_WITHOUT_TILES = "AVX512_CORE_FP16"  # all that oneDNN knows below AMX
_SHAPES = 0x1D  # of CPUID's leaves: in eax the number of palettes, which are sets of shapes

# eax = leaf; ecx = 0; cpuid; return eax. ebx, which the caller may need, is put aside meanwhile.
_CODE = bytes.fromhex("53 89f8 31c9 0fa2 5b c3")


def spare_broken_tiles() -> None:
    """Keep oneDNN from using tiles that do not work; what the reader has told it stands.

    It looks once, at its first product, so this has to come before.
    """
    if _LIMIT not in os.environ and has_broken_tiles():
        os.environ[_LIMIT] = _WITHOUT_TILES


@cache
def has_broken_tiles() -> bool:
    """Whether the processor claims AMX and has no tile of any shape.

    Where that cannot be asked, as on other systems and architectures or where a program may not run code
    that it brings along, it is taken at its word.
    """
    return _claims_tiles() and lacks_shapes(_ask_processor)


def lacks_shapes(ask: Callable[[int], int | None]) -> bool:
    """Whether a processor knows no shape of tiles, as far as it can be asked.

    Args:
        ask: Gives what CPUID leaves in eax for a leaf: for leaf 0 the highest one, and for one above that
            something about another.

    >>> lacks_shapes({0: 0x20, 0x1D: 1}.get), lacks_shapes({0: 0x20, 0x1D: 0}.get)
    (False, True)
    """
    highest, palettes = ask(0), ask(_SHAPES)
    return highest is not None and (highest < _SHAPES or palettes == 0)


def _claims_tiles() -> bool:
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return False
    try:
        with Path("/proc/cpuinfo").open(encoding="ascii", errors="replace") as lines:
            return any(line.startswith("flags") and "amx_tile" in line.split() for line in lines)
    except OSError:
        return False


def _ask_processor(leaf: int) -> int | None:
    """What the instruction CPUID leaves in eax; None where it cannot be run from here."""
    try:
        page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    except OSError:
        return None
    page.write(_CODE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(page))
    answer: int = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint32)(start)(leaf)
    return answer
