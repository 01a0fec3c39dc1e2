"""Devices and precisions on simulated hardware: what torch reports is replaced."""

from __future__ import annotations

import os

import pytest
import torch

from barthes.errors import UnknownNameError
from barthes.hashing import hash_bytes
from barthes.models import hardware
from barthes.models.hardware import check_processor, choose_device, choose_dtype


@pytest.mark.parametrize(
    ("units", "broken", "expected"),
    [
        ({"avx512_f": True, "avx512_bf16": False, "amx_bf16": False}, False, torch.float32),
        ({"avx512_f": True, "avx512_bf16": True}, False, torch.bfloat16),
        ({"amx_bf16": True}, False, torch.bfloat16),
        ({"avx512_bf16": True, "amx_bf16": True}, True, torch.float32),
        ({}, False, torch.float32),
    ],
)
def test_a_processor_with_bfloat16_units_computes_in_bfloat16(monkeypatch, units, broken, expected):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: units, raising=False)
    monkeypatch.setattr(hardware, "check_processor", lambda: not broken)
    assert choose_dtype("auto", torch.device("cpu")) is expected
    assert choose_dtype("float32", torch.device("cpu")) is torch.float32


@pytest.mark.parametrize("native", [True, False])
def test_the_default_precision_of_other_devices(monkeypatch, native):
    monkeypatch.setattr(
        torch.cuda, "is_bf16_supported", lambda including_emulation: native or including_emulation
    )
    assert choose_dtype("auto", torch.device("cuda")) is (torch.bfloat16 if native else torch.float32)
    assert choose_dtype("auto", torch.device("mps")) is torch.float32
    monkeypatch.delattr(torch.cpu, "get_capabilities", raising=False)  # an older torch
    assert choose_dtype() is torch.float32


def test_a_named_device_or_precision_is_used():
    assert choose_dtype("bfloat16") is torch.bfloat16
    assert choose_device("cpu") == torch.device("cpu")
    with pytest.raises(UnknownNameError, match="Did you mean 'float32'"):
        choose_dtype("float23")


# Processors that report AMX but cannot use it.

REPORTING = "processor : 0\nmodel name : Xeon 9\nflags : fpu hypervisor amx_bf16 amx_tile\n\nprocessor : 1\n"
LIMIT = "ONEDNN_MAX_CPU_ISA"
WORKS, DIES, HANGS = "pass", "import os; os.kill(os.getpid(), 4)", "import time; time.sleep(60)"
KEY = f"Xeon 9 (virtual), torch {torch.__version__}"


@pytest.fixture
def answers(tmp_path, monkeypatch):
    """A processor that reports AMX, an empty cache folder, and no limit on oneDNN."""
    (tmp_path / "cpuinfo").write_text(REPORTING)
    monkeypatch.setattr(hardware, "_CPUINFO", tmp_path / "cpuinfo")
    monkeypatch.setattr(hardware.sys, "platform", "linux")
    monkeypatch.setattr(hardware.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(hardware, "_TIMEOUT", 1)
    monkeypatch.setenv("BARTHES_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(LIMIT, "")  # so that it is restored afterwards
    monkeypatch.delenv(LIMIT)
    check_processor.cache_clear()
    yield tmp_path / "cache" / f"amx-{hash_bytes(KEY.encode())[:16]}"
    check_processor.cache_clear()


def ask(monkeypatch, child):
    """Check the processor as a new process would, with this code in the child process."""
    monkeypatch.setattr(hardware, "_PRODUCT", child)
    check_processor.cache_clear()
    return check_processor()


@pytest.mark.parametrize(("child", "works"), [(WORKS, True), (DIES, False), (HANGS, False)])
def test_a_product_is_tried_once_and_the_answer_stored(answers, monkeypatch, caplog, child, works):
    assert ask(monkeypatch, child) is works
    assert os.environ.get(LIMIT) == (None if works else "AVX512_CORE_FP16")
    assert answers.read_text() == ("works\n" if works else "does not work\n")
    assert ("AMX does not work" in caplog.text) is not works
    monkeypatch.setattr(hardware.subprocess, "run", lambda *_, **__: pytest.fail("tried again"))
    assert ask(monkeypatch, child) is works
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"amx_bf16": True}, raising=False)
    assert choose_dtype("auto") is (torch.bfloat16 if works else torch.float32)
    assert choose_dtype("bfloat16") is torch.bfloat16


@pytest.mark.parametrize("damage", [b"", b"\xff", b"works"])
def test_a_damaged_answer_is_replaced(answers, monkeypatch, damage):
    answers.parent.mkdir()
    answers.write_bytes(damage)
    assert not ask(monkeypatch, DIES)
    assert answers.read_text() == "does not work\n"


@pytest.mark.parametrize("cache", ["/dev/null/barthes", "~nobody-here/cache"])
def test_without_a_cache_it_is_tried_each_time(answers, monkeypatch, cache):
    monkeypatch.setenv("BARTHES_CACHE", cache)
    assert not ask(monkeypatch, DIES)
    assert ask(monkeypatch, WORKS)


@pytest.mark.parametrize("child", ["raise MemoryError", "import os; os.kill(os.getpid(), 9)", None])
def test_the_answer_is_not_stored_if_the_child_could_not_try(answers, monkeypatch, caplog, child):
    if child is None:
        monkeypatch.setattr(hardware.sys, "executable", "/no/such/python")
    assert not ask(monkeypatch, child or WORKS)
    assert not answers.exists()
    assert "AMX could not be tried" in caplog.text


def test_a_limit_set_by_the_user_is_kept_but_not_passed_to_the_child(answers, monkeypatch):
    monkeypatch.setenv(LIMIT, "AVX2")
    assert not ask(monkeypatch, f"import os; assert '{LIMIT}' not in os.environ; {DIES}")
    assert os.environ[LIMIT] == "AVX2"
    assert answers.read_text() == "does not work\n"


@pytest.mark.parametrize(
    ("cpuinfo", "machine", "system"),
    [
        (REPORTING, "aarch64", "linux"),
        (REPORTING, "x86_64", "win32"),
        ("model name : Xeon 9\nflags : fpu avx512_bf16\n", "x86_64", "linux"),
        (None, "x86_64", "linux"),
    ],
)
def test_a_processor_that_does_not_report_amx_is_not_tried(
    answers, monkeypatch, tmp_path, cpuinfo, machine, system
):
    (tmp_path / "cpuinfo").unlink()
    if cpuinfo is not None:
        (tmp_path / "cpuinfo").write_text(cpuinfo)
    monkeypatch.setattr(hardware.platform, "machine", lambda: machine)
    monkeypatch.setattr(hardware.sys, "platform", system)
    assert ask(monkeypatch, DIES)
    assert LIMIT not in os.environ


def test_the_product_does_not_crash_on_this_machine():
    check_processor()  # sets the limit if AMX does not work
    exec(hardware._PRODUCT)
