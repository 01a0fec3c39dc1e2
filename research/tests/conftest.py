"""Settings and fixtures: those of all tests."""

import pytest

from tests.baselines.conftest import count_script
from tests.conftest import keep_interrupts, own_score_cache, propplearner, shared, two_threads

__all__ = ["count_script", "keep_interrupts", "own_score_cache", "propplearner", "shared", "two_threads"]

# Commands, trainings and whole corpora: not part of `make check`.
SLOW = tuple(
    f"research/tests/{name}"
    for name in (
        "bench/test_bench.py",
        "cli/",
        "corpora/test_propplearner.py",
        "corpora/test_rocstories.py",
        "finetuning/",
        "reproduction/",
        "test_benchmarks.py",
        "test_results.py",
    )
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that `make check` leaves out."""
    for item in items:
        if item.nodeid.startswith(SLOW):
            item.add_marker(pytest.mark.slow)
