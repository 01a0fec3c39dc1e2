"""Settings of all tests (one thread, no deadlines) and fixtures for shared data."""

from __future__ import annotations

import inspect
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The tiny models are too small for two threads. Set before torch is imported, and for child processes.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A background job ignores Ctrl-C, and its child processes would too.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("steady", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", parent=settings.get_profile("steady"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "steady")

# Servers, clusters and browsers need a small machine for themselves.
ALONE = (
    "tests/browser/",
    "tests/jobs/",
    "tests/web/",
    "tests/runs/test_ray_",
    "tests/runs/test_pool",
    "tests/runs/test_kills",
    "tests/cli/test_run.py",
    "tests/integrations/test_mcp_server.py",
)

# Commands, trainings, runs and corpora: not part of `make check`.
SLOW = (
    "tests/cli/",
    "tests/fuzz/",
    "tests/integrations/",
    "tests/runs/",
    "tests/test_claims.py",
    "tests/test_docs.py",
    "tests/test_own_method.py",
)


# What tests may use that Windows does not have; there they are skipped.
POSIX = ("os.mkfifo", "SIGKILL", "preexec_fn")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that run alone and tests that `make check` leaves out; skip what Windows cannot run."""
    for item in items:
        source = inspect.getsource(item.function) if os.name == "nt" and hasattr(item, "function") else ""
        if any(name in source for name in POSIX):
            item.add_marker(pytest.mark.skip(reason="needs what Windows does not have"))
        if item.nodeid.startswith(ALONE):
            item.add_marker(pytest.mark.alone)
        if item.nodeid.startswith(SLOW):
            item.add_marker(pytest.mark.slow)


@pytest.fixture
def two_threads() -> Iterator[None]:
    """Use two torch threads instead of one."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def own_score_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test its own score cache."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setattr("barthes.cache.cache_file", lambda: folder / "scores.sqlite3")


@pytest.fixture(autouse=True)
def keep_interrupts() -> Iterator[None]:
    """Hear Ctrl-C again after a command was interrupted in this process."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def shared() -> Callable[[str], Path]:
    """Return the path of a file or folder of the shared folder; skip the test if it is missing."""
    folder = Path(os.environ.get("BARTHES_SHARED", Path(__file__).parents[2] / "shared"))

    def find(path: str) -> Path:
        if not (folder / path).exists():
            pytest.skip(f"{path} is missing: set BARTHES_SHARED to the folder that has it")
        return folder / path

    return find


@pytest.fixture(scope="session")
def propplearner(shared):
    """The ProppLearner corpus."""
    from barthes_research.corpora import ProppLearner

    return ProppLearner(shared("data/propplearner"))
