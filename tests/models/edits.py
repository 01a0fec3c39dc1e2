"""Texts and edits for the tiny models."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from barthes.models.language_model import Edit
from tests.tiny_models import WORDS, tiny_model

__all__ = ["MODELS", "edited_texts"]

MODELS = {name: tiny_model(name) for name in ("llama", "gpt2", "neox", "mistral", "gemma3", "gemma2")}
"""The windows of Mistral and Gemma are 8; Gemma 2 caps its scores at 2."""

_TOKENS = st.integers(0, len(WORDS) + 1)


@st.composite
def edited_texts(draw: Any) -> tuple[list[int], list[Edit]]:
    """A text of tokens and some edits of it."""
    tokens = draw(st.lists(_TOKENS, min_size=3, max_size=30))
    cut = st.tuples(st.integers(1, len(tokens)), st.integers(1, len(tokens)))
    replacement = st.lists(_TOKENS, max_size=3).map(tuple)
    reach = st.none() | st.integers(1, 40)
    edits = draw(st.lists(st.tuples(cut, replacement, reach), min_size=1, max_size=5))
    return tokens, [
        Edit(min(cut), max(cut), new, None if reach is None else max(cut) + reach)
        for cut, new, reach in edits
    ]
