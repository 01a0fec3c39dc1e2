from pathlib import Path

import pytest

from barthes_research.corpora import ProppLearner
from barthes_research.corpora.tale import read_tale
from tests.evaluation.conftest import save

__all__ = ["DATA", "check_problem", "save"]

DATA = Path(__file__).parent / "data"


def check_problem(corpus, file, item, kind, reason):
    """Check that one item of a corpus was malformed, and why."""
    [problem] = corpus.problems
    assert (problem.file, problem.item, problem.kind) == (file, item, kind)
    assert reason in problem.what
    assert repr(corpus) == f"{type(corpus).__name__}({len(corpus)} stories, 1 problems)"


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
