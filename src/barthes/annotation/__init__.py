"""Split texts into sentences, and find the events in them."""

from barthes.annotation.sentence_splitting import split_sentences

__all__ = ["split_sentences"]
