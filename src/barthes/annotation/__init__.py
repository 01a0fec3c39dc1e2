"""Annotation: where sentences begin and end, and the events in them."""

from barthes.annotation.sentences import split_sentences

__all__ = ["split_sentences"]
