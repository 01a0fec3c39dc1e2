import pytest

from barthes.evaluation.experiments.models import Lineup
from barthes.evaluation.experiments.work import Ledger
from barthes.evaluation.store import ScoreStore
from tests.evaluation.experiments.tales import AskedModel, read_corpus


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
