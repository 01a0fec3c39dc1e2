"""Devices and precisions on simulated hardware: what torch and the system report is replaced."""

from __future__ import annotations

import os

import pytest
import torch

from barthes.errors import ModelError, UnknownNameError
from barthes.models import hardware
from barthes.models.hardware import check_processor, choose_device, choose_dtype

LIMIT = "ONEDNN_MAX_CPU_ISA"
WORKS, DIES, HANGS = "pass", "import os; os.kill(os.getpid(), 4)", "import time; time.sleep(60)"


@pytest.mark.parametrize("native", [True, False])
def test_the_default_precision(monkeypatch, native):
    monkeypatch.setattr(
        torch.cuda, "is_bf16_supported", lambda including_emulation: native or including_emulation
    )
    assert choose_dtype("auto", torch.device("cuda")) is (torch.bfloat16 if native else torch.float32)
    assert choose_dtype("auto", torch.device("mps")) is torch.float32
    assert choose_dtype() is torch.float32


def test_a_named_device_or_precision_is_used(monkeypatch):
    monkeypatch.setattr(hardware, "check_processor", lambda: None)
    assert choose_dtype("bfloat16") is choose_dtype(torch.bfloat16) is torch.bfloat16
    assert choose_device("cpu") == torch.device("cpu")
    with pytest.raises(UnknownNameError, match="Did you mean 'float32'"):
        choose_dtype("float23")
    with pytest.raises(ModelError, match="cannot be used here"):
        choose_device("tpu9")


@pytest.fixture
def check(tmp_path, monkeypatch):
    """Return a function that checks a simulated processor, with some code in the child process."""
    monkeypatch.setattr(hardware, "_CPUINFO", tmp_path / "cpuinfo")
    monkeypatch.setattr(hardware, "_TIMEOUT", 1)
    monkeypatch.setenv(LIMIT, "")  # so that it is restored afterwards
    monkeypatch.delenv(LIMIT)

    def ask(flags: str | None, child: str) -> str | None:
        if flags is not None:
            (tmp_path / "cpuinfo").write_text(f"model name : Xeon 9\nflags : {flags}\n")
        monkeypatch.setattr(hardware, "_PRODUCT", child)
        check_processor.cache_clear()
        check_processor()
        return os.environ.get(LIMIT)

    yield ask
    check_processor.cache_clear()


@pytest.mark.parametrize(
    ("child", "limit"), [(WORKS, None), *((bad, "AVX512_CORE_FP16") for bad in (DIES, HANGS))]
)
def test_amx_is_tried_in_a_child_process(check, caplog, child, limit):
    assert check("fpu amx_bf16 amx_tile", child) == limit
    assert ("AMX does not work" in caplog.text) is (limit is not None)


def test_a_limit_set_by_the_user_is_kept_but_not_passed_to_the_child(check, monkeypatch):
    monkeypatch.setenv(LIMIT, "AVX2")
    assert check("amx_bf16 amx_tile", f"import os; assert '{LIMIT}' not in os.environ; {DIES}") == "AVX2"


@pytest.mark.parametrize("flags", ["fpu avx512_bf16", None])
def test_a_processor_that_does_not_report_amx_is_not_tried(check, flags):
    assert check(flags, DIES) is None


def test_the_product_does_not_crash_on_this_machine():
    check_processor()  # sets the limit if AMX does not work
    exec(hardware._PRODUCT)
