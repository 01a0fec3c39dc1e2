from pathlib import Path

import pytest

from barthes.cache import ScoreCache
from barthes_research.corpora.tale import read_tale
from research.tests.reproduction.tales import AskedModel, read_corpus

CRANE = Path(__file__).parents[1] / "corpora" / "data" / "crane1.sty"


@pytest.fixture
def corpus(tmp_path):
    return read_corpus(tmp_path / "tales")


@pytest.fixture
def model(corpus):
    return AskedModel([tale.narrative.text for tale in corpus])


@pytest.fixture
def models(corpus):
    """A model for each fine-tuning; the better it knows the corpus, the later it comes."""
    texts = [tale.narrative.text for tale in corpus]
    smoothing = {None: 100.0, "domain": 1.0, "transductive": 0.01}
    models = {each: AskedModel(texts, k=k) for each, k in smoothing.items()}
    for each, model in models.items():
        model.name = f"model of {each}"
    return models


@pytest.fixture
def cache(tmp_path):
    with ScoreCache(tmp_path / "scores.sqlite3") as cache:
        yield cache


@pytest.fixture(scope="session")
def crane():
    """A tale of four sentences that we wrote, in Story Workbench's format."""
    return read_tale(CRANE.read_bytes(), name=CRANE.name)
