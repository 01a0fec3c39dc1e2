from __future__ import annotations

import pytest

from barthes.runs import devices
from barthes.runs.devices import choose_devices, count_fitting_workers


def test_one_worker_per_core(monkeypatch):
    monkeypatch.setattr(devices, "count_cores", lambda: 8)
    assert choose_devices("cpu", model=None, workers=None, threads=1) == ["cpu"] * 8
    assert choose_devices("cpu", model=None, workers=None, threads=3) == ["cpu"] * 2
    assert choose_devices("cpu", model=None, workers=3, threads=1) == ["cpu"] * 3


@pytest.mark.parametrize(("memory", "workers"), [(3 * 700_003_000, 3), (1000, 1), (None, 8)])
def test_memory_limits_the_number_of_workers(monkeypatch, tmp_path, memory, workers):
    model = tmp_path / "model.gguf"
    model.write_bytes(bytes(1000))
    monkeypatch.setattr(devices, "count_cores", lambda: 8)
    monkeypatch.setattr(devices, "_available_memory", lambda: memory)
    assert count_fitting_workers(str(model)) == workers


def test_cores_and_device_kind():
    assert devices.count_cores() >= 1
    assert devices.device_kind("cuda:1") == "cuda"


@pytest.fixture
def groups(tmp_path, monkeypatch):
    """Return a function that writes control group files; the machine has 8 KiB of memory."""
    monkeypatch.setattr(devices, "_CGROUPS", tmp_path / "groups")
    monkeypatch.setattr(devices, "_MEMBERSHIP", tmp_path / "cgroup")
    read = devices._read_number
    machine = lambda path, name: 8 if name == "MemAvailable:" else read(path, name)  # noqa: E731
    monkeypatch.setattr(devices, "_read_number", machine)

    def write(membership, files):
        (tmp_path / "cgroup").write_text(membership)
        for name, content in files.items():
            path = tmp_path / "groups" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{content}\n")

    return write


def test_without_groups_all_memory_is_available(groups):
    assert devices._available_memory() == 8192
    groups("0::/\n", {})
    assert devices._available_memory() == 8192


def test_memory_limit_of_a_container(groups):
    stat = "anon 1\ninactive_file 500"
    groups("0::/\n", {"memory.max": 5000, "memory.current": 2000, "memory.stat": stat})
    assert devices._available_memory() == 3500
    groups("0::/job/step\n", {"job/memory.max": 1000, "job/memory.current": 400})
    assert devices._available_memory() == 600
    groups("0::/job/step\n", {"job/step/memory.max": "max", "job/step/memory.current": 400})
    assert devices._available_memory() == 600
    groups("0::/job/step\n", {"job/memory.max": 300})
    assert devices._available_memory() == 0


def test_memory_limit_in_version_1_groups(groups):
    files = {"limit_in_bytes": 7000, "usage_in_bytes": 1000, "stat": "total_inactive_file 200"}
    files = {f"memory/memory.{name}": content for name, content in files.items()}
    groups("4:cpu,memory:/of/the/host\n1:name=systemd:/\n", files)
    assert devices._available_memory() == 6200
    groups("4:memory:/\n", {"memory/memory.limit_in_bytes": 9223372036854771712})
    assert devices._available_memory() == 8192
