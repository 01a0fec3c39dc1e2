import os
from pathlib import Path

import pytest

from barthes.corpora import ProppLearner
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
def store(tmp_path):
    return ScoreStore(tmp_path / "scores")


@pytest.fixture
def ledger(store):
    return Ledger(store)


@pytest.fixture(scope="session")
def propplearner():
    """The real corpus, which is not part of the project."""
    shared = Path(os.environ.get("BARTHES_SHARED", Path(__file__).parents[4] / "shared"))
    folder = shared / "data" / "propplearner"
    if not folder.is_dir():
        pytest.skip("ProppLearner is not here: set BARTHES_SHARED to the folder above data/propplearner")
    return ProppLearner(folder)
