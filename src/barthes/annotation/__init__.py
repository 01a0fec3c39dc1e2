"""Sentence splitting and event annotation."""

from barthes.annotation.sentence_splitting import split_sentences

__all__ = ["split_sentences"]
