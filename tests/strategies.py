"""Hypothesis strategies for stories."""

from __future__ import annotations

from hypothesis import strategies as st

from barthes.narrative import Narrative

_WORDS = "a the wolf sheep girl king came ate ran slept died married rained and but then".split()

sentences = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=6).map(
    lambda words: " ".join(words) + " ."
)
"""Sentences of one to six words that every tiny model knows."""


def narratives(min_size: int = 1, max_size: int = 6) -> st.SearchStrategy[Narrative]:
    return st.lists(sentences, min_size=min_size, max_size=max_size).map(Narrative.from_sentences)
