"""Baselines: methods that look at the words and their places, and at no language model."""

from barthes.baselines.centroid import Centroid
from barthes.baselines.distinct_words import Words
from barthes.baselines.frequencies import DocumentFrequencies
from barthes.baselines.length import Length
from barthes.baselines.position import Position
from barthes.baselines.random import Random
from barthes.baselines.similarity import Similarity
from barthes.baselines.tfidf import TfIdf

__all__ = [
    "Centroid",
    "DocumentFrequencies",
    "Length",
    "Position",
    "Random",
    "Similarity",
    "TfIdf",
    "Words",
]
