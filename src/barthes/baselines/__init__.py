"""Baselines: methods without a language model."""

from barthes.baselines.frequencies import DocumentFrequencies
from barthes.baselines.surface_cues import Length, Position, Random
from barthes.baselines.word_methods import Centroid, Similarity, TfIdf, Words

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
