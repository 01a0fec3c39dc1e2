from __future__ import annotations

from barthes.runs import devices
from barthes.runs.devices import choose_devices, fitting_workers


def test_one_worker_a_core(monkeypatch):
    monkeypatch.setattr(devices, "count_cores", lambda: 8)
    assert choose_devices("cpu", model=None, workers=None, threads=1) == ["cpu"] * 8
    assert choose_devices("cpu", model=None, workers=None, threads=3) == ["cpu"] * 2
    assert choose_devices("cpu", model=None, workers=3, threads=1) == ["cpu"] * 3


def test_no_more_workers_than_copies_of_the_model_fit(monkeypatch, tmp_path):
    model = tmp_path / "model.gguf"
    model.write_bytes(bytes(1000))
    monkeypatch.setattr(devices, "count_cores", lambda: 8)
    monkeypatch.setattr(devices, "_available_memory", lambda: 3 * 700_003_000)
    assert fitting_workers(str(model)) == 3
    monkeypatch.setattr(devices, "_available_memory", lambda: 1000)
    assert fitting_workers(str(model)) == 1
    monkeypatch.setattr(devices, "_available_memory", lambda: None)
    assert fitting_workers(str(model)) == 8


def test_the_machine_has_cores():
    assert devices.count_cores() >= 1
    assert devices.device_kind("cuda:1") == "cuda"
