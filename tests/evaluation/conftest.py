"""Corpora that are not part of the project, found where somebody has put them."""

import os
from pathlib import Path

import pytest

from barthes.corpora import ProppLearner

SHARED = Path(os.environ.get("BARTHES_SHARED", Path(__file__).parents[3] / "shared"))


@pytest.fixture(scope="session")
def shared():
    """A file or folder of the shared folder; the test is skipped where it is not here."""

    def find(path):
        if not (SHARED / path).exists():
            pytest.skip(f"{path} is not here: set BARTHES_SHARED to the folder that has it")
        return SHARED / path

    return find


@pytest.fixture(scope="session")
def propplearner(shared):
    """The real corpus."""
    return ProppLearner(shared("data/propplearner"))
