"""Published corpora with labels; reading them needs no language model."""

from barthes_research.corpora.fairytaleqa import FairytaleQA
from barthes_research.corpora.hippocorpus import Hippocorpus
from barthes_research.corpora.propplearner import ProppLearner
from barthes_research.corpora.recall import Recall
from barthes_research.corpora.rocstories import RocStories
from barthes_research.corpora.rocstories_salience import RocStoriesSalience
from barthes_research.corpora.tale import Tale
from barthes_research.corpora.telegraphic import Telegraphic
from barthes_research.corpora.tripod import Tripod

__all__ = [
    "FairytaleQA",
    "Hippocorpus",
    "ProppLearner",
    "Recall",
    "RocStories",
    "RocStoriesSalience",
    "Tale",
    "Telegraphic",
    "Tripod",
]
