from pathlib import Path

import pytest

from barthes.corpora.tale import read_tale

CRANE = Path(__file__).parents[2] / "corpora" / "data" / "crane1.sty"


@pytest.fixture(scope="session")
def crane():
    """A tale of four sentences that we wrote, in Story Workbench's format."""
    return read_tale(CRANE.read_bytes(), name=CRANE.name)
