"""Memory that is kept from one step to the next, in large pages.

A step asks for hundreds of large tensors and gives them back. Left alone, the C library hands each of them
back to the system and asks for it anew, and the system clears it page by page, 4 KB at a time: a sixth of the
time of training goes there. `benchmarks/finetuning.py --memory kept,returned` compares both.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["ask_for_large_pages", "memory_kept"]

# Of glibc's malloc.h, with what holds where nobody has said otherwise.
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_MAX, _ARENA_MAX = -1, -2, -4, -8
_KEPT = {_MMAP_MAX: 0, _TRIM_THRESHOLD: 2**31 - 1, _TOP_PAD: 64 * 2**20, _ARENA_MAX: 1}
_RETURNED = {
    _MMAP_MAX: 65_536,
    _TRIM_THRESHOLD: 128 * 2**10,
    _TOP_PAD: 128 * 2**10,
    _ARENA_MAX: 8 * (os.cpu_count() or 1),
}


def ask_for_large_pages() -> None:
    """Let torch ask Linux for pages of 2 MB, unless the reader has chosen.

    It looks once, at its first tensor, so this has to come before; importing transformers makes one.
    """
    os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")


@contextmanager
def memory_kept() -> Iterator[None]:
    """Keep what is freed meanwhile, and give it back to the system at the end; on Linux with glibc.

    Threads that are started meanwhile share one store of it: one for each would hold half a GiB more.
    """
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    if library is None or not hasattr(library, "mallopt"):  # as in musl
        yield
        return
    _tell(library, _KEPT)
    try:
        yield
    finally:
        _tell(library, _RETURNED)
        library.malloc_trim(0)


def _tell(library: ctypes.CDLL, options: dict[int, int]) -> None:
    for option, value in options.items():
        library.mallopt(option, value)
