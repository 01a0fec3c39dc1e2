from pathlib import Path

import pytest

from barthes_research.corpora import ProppLearner
from barthes_research.corpora.tale import read_tale
from tests.evaluation.conftest import check_problem, save

__all__ = ["DATA", "check_problem", "save"]

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def crane_bytes():
    """A tale of four sentences that we wrote, in Story Workbench's format."""
    return (DATA / "crane1.sty").read_bytes()


@pytest.fixture(scope="session")
def crane(crane_bytes):
    return read_tale(crane_bytes, name="crane1.sty")


@pytest.fixture
def broken(crane_bytes):
    """Reads the tale with some of its characters replaced; each must be there exactly once."""

    def read(*replacements, rule="paper"):
        text = crane_bytes.decode()
        for old, new in replacements:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        return read_tale(text.encode(), name="crane1.sty", rule=rule)

    return read


@pytest.fixture(scope="session")
def shared_data(shared):
    """Finds a real corpus, none of which is part of the project."""
    return lambda name: shared(f"data/{name}")


@pytest.fixture(scope="session")
def propplearner_path(shared_data):
    return shared_data("propplearner")


@pytest.fixture(scope="session")
def corrected(propplearner_path):
    return ProppLearner(propplearner_path, rule="corrected")
