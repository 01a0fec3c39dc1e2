from pathlib import Path

import pytest

from barthes.corpora.tale import read_tale
from barthes.evaluation.store import ScoreStore
from barthes.reproduction.models import Lineup
from barthes.reproduction.work import Ledger
from tests.evaluation.conftest import propplearner, shared  # noqa: F401 - fixtures
from tests.reproduction.tales import AskedModel, read_corpus

CRANE = Path(__file__).parents[1] / "corpora" / "data" / "crane1.sty"


@pytest.fixture
def corpus(tmp_path):
    return read_corpus(tmp_path / "tales")


@pytest.fixture
def model(corpus):
    return AskedModel([tale.narrative.text for tale in corpus])


@pytest.fixture
def lineup(corpus):
    """A model for each setting; the better it knows the corpus, the later it comes."""
    texts = [tale.narrative.text for tale in corpus]
    models = {
        setting: AskedModel(texts, k=k)
        for setting, k in [(None, 100.0), ("domain", 1.0), ("transductive", 0.01)]
    }
    for setting, each in models.items():
        each.name = f"model of {setting}"
    return Lineup(models)


@pytest.fixture
def store(tmp_path):
    return ScoreStore(tmp_path / "scores")


@pytest.fixture
def ledger(store):
    return Ledger(store)


@pytest.fixture(scope="session")
def crane():
    """A tale of four sentences that we wrote, in Story Workbench's format."""
    return read_tale(CRANE.read_bytes(), name=CRANE.name)
