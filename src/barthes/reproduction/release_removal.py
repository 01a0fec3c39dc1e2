"""The release's removal functions, on a tale's token text.

SD deletes the sentence. VA replaces what spaCy's tagger calls a verb: *am, is, are, was, were* become *be*,
every other verb (*been* and *'s* too) the form of *do* that its tag asks for. PAA is VA, and then the words
of the corpus's own ARG0 and ARG1 become *someone* and *something*: ARG0 wins where they overlap, and a run
of the same pronoun shrinks to one.

What is not known of the release (capitals, clauses inside an argument) is done as elsewhere in Barthes.
"""

from __future__ import annotations

from collections.abc import Sequence

from barthes.annotation.events import Annotation, Token
from barthes.corpora.tale import Tale
from barthes.narrative import Narrative
from barthes.removal.removal import Removed, delete_sentences
from barthes.removal.rewriting import anonymize
from barthes.removal.verb_forms import copy_case, is_verb, name_do_form
from barthes.reproduction.release_tags import tag_words
from barthes.reproduction.release_token_text import move_annotation

__all__ = ["release_removals"]

_BE = frozenset(["am", "is", "are", "was", "were"])


def release_removals(tale: Tale) -> dict[str, list[Removed]]:
    """What stands in the place of each sentence of `tale.token_narrative` in turn, by method.

    Args:
        tale: A tale of ProppLearner; it is tagged once for all methods.

    Raises:
        ModelError: VA and PAA need spaCy's English pipeline, and it is not installed.
    """
    tags = tag_words(tale.words)
    words = [list(map(_anonymize_verb, *pair)) for pair in zip(tale.words, tags, strict=True)]
    return {
        "sd": delete_sentences(tale.token_narrative),
        "va": [Removed(index, " ".join(sentence)) for index, sentence in enumerate(words)],
        "paa": _anonymize_arguments(words, move_annotation(tale.annotation, words, tags)),
    }


def _anonymize_verb(word: str, tag: str) -> str:
    if not is_verb(Token(0, len(word), word, tag)):
        return word
    any_verb = Token(0, 4, "sing", tag)
    return copy_case("be" if word.lower() in _BE else name_do_form([any_verb], 0), word)


def _anonymize_arguments(words: Sequence[Sequence[str]], annotation: Annotation) -> list[Removed]:
    """The sentences, whose verbs are anonymised already, without their participants."""
    narrative = Narrative.from_sentences([" ".join(sentence) for sentence in words])
    removals = []
    for sentence, known in zip(narrative, annotation, strict=True):
        arguments = [argument for event in known.events for argument in event.arguments]
        removals.append(Removed(sentence.index, anonymize(sentence, known, (), arguments)))
    return removals
