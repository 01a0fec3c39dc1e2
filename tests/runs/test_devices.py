from __future__ import annotations

import pytest

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


@pytest.fixture
def groups(tmp_path, monkeypatch):
    monkeypatch.setattr(devices, "_CGROUPS", tmp_path / "groups")
    monkeypatch.setattr(devices, "_MEMBERSHIP", tmp_path / "cgroup")
    read = devices._read_number
    machine = lambda path, name: 8 if name == "MemAvailable:" else read(path, name)  # noqa: E731
    monkeypatch.setattr(devices, "_read_number", machine)

    def write(membership, **files):
        (tmp_path / "cgroup").write_text(membership)
        for name, content in files.items():
            path = tmp_path / "groups" / name.replace("__", "/").replace("-", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)

    return write


def test_memory_is_what_the_machine_has_without_groups(groups):
    assert devices._available_memory() == 8192
    groups("0::/\n")
    assert devices._available_memory() == 8192


def test_memory_is_what_a_container_leaves(groups):
    files = {"memory-max": "5000\n", "memory-current": "2000\n", "memory-stat": "anon 1\ninactive_file 500\n"}
    groups("0::/\n", **files)
    assert devices._available_memory() == 3500
    groups("0::/job/step\n", **{"job__memory-max": "1000\n", "job__memory-current": "400\n"})
    assert devices._available_memory() == 600
    groups("0::/job/step\n", **{"job__step__memory-max": "max\n", "job__step__memory-current": "400\n"})
    assert devices._available_memory() == 600
    groups("0::/job/step\n", **{"job__memory-max": "300\n"})
    assert devices._available_memory() == 0


def test_memory_is_what_an_older_container_leaves(groups):
    files = {"limit_in_bytes": "7000\n", "usage_in_bytes": "1000\n", "stat": "total_inactive_file 200\n"}
    files = {f"memory__memory-{name}": content for name, content in files.items()}
    groups("4:cpu,memory:/of/the/host\n1:name=systemd:/\n", **files)
    assert devices._available_memory() == 6200
    groups("4:memory:/\n", **{"memory__memory-limit_in_bytes": "9223372036854771712\n"})
    assert devices._available_memory() == 8192
