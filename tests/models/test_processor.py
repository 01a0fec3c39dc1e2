"""Processors that claim more than they have."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from barthes.models import processor
from barthes.models.processor import has_broken_tiles, lacks_shapes, spare_broken_tiles

PRODUCT = "import {}, torch; a = torch.ones(64, 64, dtype=torch.bfloat16); print(float((a @ a).sum()))"


def test_a_product_in_bfloat16_does_not_end_the_process():
    clean = {name: value for name, value in os.environ.items() if name != "ONEDNN_MAX_CPU_ISA"}
    script = PRODUCT.format("barthes.models")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=clean)
    assert (done.returncode, done.stdout) == (0, f"{64.0**3}\n"), done.stderr


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ({0: 0x20, 0x1D: 1}, False),
        ({0: 0x20, 0x1D: 0}, True),
        ({0: 0x1C, 0x1D: 7}, True),  # a leaf above the highest answers for another
        ({}, False),  # it cannot be asked
    ],
)
def test_tiles_without_shapes_are_broken(answers, expected):
    assert lacks_shapes(answers.get) is expected


@pytest.mark.parametrize(("broken", "expected"), [(True, "AVX512_CORE_FP16"), (False, None)])
def test_the_multiplying_library_is_told_of_broken_tiles_alone(monkeypatch, broken, expected):
    monkeypatch.setattr(processor, "has_broken_tiles", lambda: broken)
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "")  # so that it is put back afterwards
    monkeypatch.delenv("ONEDNN_MAX_CPU_ISA")
    spare_broken_tiles()
    assert os.environ.get("ONEDNN_MAX_CPU_ISA") == expected


def test_what_the_reader_has_chosen_stands(monkeypatch):
    monkeypatch.setattr(processor, "has_broken_tiles", lambda: True)
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "AVX2")
    spare_broken_tiles()
    assert os.environ["ONEDNN_MAX_CPU_ISA"] == "AVX2"


def test_this_processor_is_asked_without_harm():
    assert has_broken_tiles() in (True, False)
    assert has_broken_tiles() == has_broken_tiles.__wrapped__()


@pytest.mark.skipif(sys.platform != "linux", reason="asked on Linux alone")
def test_other_architectures_are_not_asked(monkeypatch):
    monkeypatch.setattr(processor.platform, "machine", lambda: "aarch64")
    assert has_broken_tiles.__wrapped__() is False


def test_where_no_code_may_be_brought_along_the_processor_is_taken_at_its_word(monkeypatch):
    def refuse(*args, **options):
        raise PermissionError("no memory is both written and run here")

    monkeypatch.setattr(processor.mmap, "mmap", refuse)
    assert has_broken_tiles.__wrapped__() is False
