"""Baselines: methods that look at the words and their places, and at no language model."""

from barthes.baselines.frequencies import DocumentFrequencies
from barthes.baselines.length import Length
from barthes.baselines.position import Position
from barthes.baselines.random import Random
from barthes.baselines.tfidf import TfIdf

__all__ = ["DocumentFrequencies", "Length", "Position", "Random", "TfIdf"]
