import os
from pathlib import Path

import pytest

from barthes.corpora import ProppLearner
from barthes.corpora.tale import read_tale

CRANE = Path(__file__).parents[2] / "corpora" / "data" / "crane1.sty"


@pytest.fixture(scope="session")
def crane():
    """A tale of four sentences that we wrote, in Story Workbench's format."""
    return read_tale(CRANE.read_bytes(), name=CRANE.name)


@pytest.fixture(scope="session")
def propplearner():
    """The real corpus, which is not part of the project."""
    shared = Path(os.environ.get("BARTHES_SHARED", Path(__file__).parents[4] / "shared"))
    folder = shared / "data" / "propplearner"
    if not folder.is_dir():
        pytest.skip("ProppLearner is not here: set BARTHES_SHARED to the folder above data/propplearner")
    return ProppLearner(folder)
