"""Annotation: where the sentences of a text begin and end."""

from barthes.annotation.sentences import split_sentences

__all__ = ["split_sentences"]
