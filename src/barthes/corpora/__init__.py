"""Corpora of labelled narratives. Reading one needs no language model."""

from barthes.corpora.corpus import Corpus, Labelled, LabelledNarrative
from barthes.corpora.propplearner import ProppLearner
from barthes.corpora.tale import Tale

__all__ = ["Corpus", "Labelled", "LabelledNarrative", "ProppLearner", "Tale"]
