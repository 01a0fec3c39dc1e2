"""Memory is kept while a model is trained, and given back at the end."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from barthes.finetuning import memory
from barthes.finetuning.memory import ask_for_large_pages, memory_kept

GLIBC = sys.platform == "linux"

# Page faults of making and freeing the same large piece again and again.
COUNT = """
import ctypes, resource
from barthes.finetuning.memory import memory_kept
library = ctypes.CDLL(None)
library.malloc.restype, library.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        piece = library.malloc(64 * 2**20)
        ctypes.memset(piece, 1, 64 * 2**20)
        library.free(piece)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() // 2**20

alone = faults()
with memory_kept():
    faults()
    kept = faults()
    held = resident()
print(alone, kept, held - resident())
"""


@pytest.mark.skipif(not GLIBC, reason="glibc alone can be told")
def test_what_is_freed_is_used_again_and_given_back_in_the_end():
    done = subprocess.run([sys.executable, "-c", COUNT], capture_output=True, text=True, check=True)
    alone, kept, returned = map(int, done.stdout.split())
    assert 10 * kept < alone
    assert returned >= 50  # MiB


@pytest.mark.parametrize(("before", "after"), [(None, "1"), ("0", "0")])
def test_large_pages_are_asked_for_unless_the_reader_has_chosen(monkeypatch, before, after):
    monkeypatch.setenv("THP_MEM_ALLOC_ENABLE", before or "")  # so that it is put back afterwards
    if before is None:
        monkeypatch.delenv("THP_MEM_ALLOC_ENABLE")
    ask_for_large_pages()
    assert os.environ["THP_MEM_ALLOC_ENABLE"] == after


def test_a_library_that_cannot_be_told_is_left_alone(monkeypatch):
    monkeypatch.setattr(memory.ctypes, "CDLL", lambda name: object())
    with memory_kept():
        pass


def test_other_systems_are_left_alone(monkeypatch):
    monkeypatch.setattr(memory.sys, "platform", "darwin")
    monkeypatch.setattr(memory.ctypes, "CDLL", None)
    with memory_kept():
        pass
