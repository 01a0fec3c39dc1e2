"""What all tests share: one thread, and property tests that do not mind a busy machine."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# The tiny models are too small for two threads. Before torch is imported, and for commands we start.
os.environ.setdefault("OMP_NUM_THREADS", "1")

settings.register_profile("steady", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", parent=settings.get_profile("steady"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "steady")

# Real servers with their deadlines, clusters and browsers: each of them wants all of a small machine.
ALONE = (
    "tests/browser/",
    "tests/web/",
    "tests/runs/test_ray_",
    "tests/runs/test_local",
    "tests/cli/test_run.py",
)

# Whole commands, trainings, runs and corpora: left to `make test`.
SLOW = (
    "tests/cli/",
    "tests/corpora/test_propplearner.py",
    "tests/corpora/test_rocstories.py",
    "tests/evaluation/test_bench.py",
    "tests/finetuning/",
    "tests/fuzz/",
    "tests/integrations/",
    "tests/reproduction/",
    "tests/runs/",
    "tests/test_benchmarks.py",
    "tests/test_claims.py",
    "tests/test_docs.py",
    "tests/test_results.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what must not share the machine, and what `make check` leaves out."""
    for item in items:
        if item.nodeid.startswith(ALONE):
            item.add_marker(pytest.mark.alone)
        if item.nodeid.startswith(SLOW):
            item.add_marker(pytest.mark.slow)


@pytest.fixture
def two_threads() -> Iterator[None]:
    """Two threads for torch, in place of the one that the tests have."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def own_score_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the tests' scores apart from the user's, and from each other's."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setattr("barthes.cache.cache_file", lambda: folder / "scores.sqlite3")
