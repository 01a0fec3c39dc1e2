"""Penn tags from spaCy's tagger for tokens that are given: nothing is tokenised anew."""

from __future__ import annotations

from collections.abc import Sequence

from barthes.annotation.pipeline import load_english

__all__ = ["tag_words"]

_NEEDED = ("tok2vec", "tagger")


def tag_words(sentences: Sequence[Sequence[str]]) -> list[list[str]]:
    """The tag of every word, each sentence tagged by itself. The first call loads spaCy's pipeline.

    Raises:
        ModelError: The English pipeline is not installed.

    >>> tag_words([["The", "wolf", "was", "n't", "hungry", "."]])
    [['DT', 'NN', 'VBD', 'RB', 'JJ', '.']]
    """
    from spacy.tokens import Doc

    pipeline = load_english()
    docs = [Doc(pipeline.vocab, words=list(words)) for words in sentences]
    others = [name for name in pipeline.pipe_names if name not in _NEEDED]
    return [[token.tag_ for token in doc] for doc in pipeline.pipe(docs, disable=others)]
