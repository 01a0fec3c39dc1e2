"""PAA, predicate and argument anonymization: verbs become *do*, ARG0 *someone*, ARG1 *something*."""

from __future__ import annotations

from barthes.annotation.annotator import Annotator, annotate
from barthes.annotation.events import Annotation
from barthes.narrative import Narrative
from barthes.removal.removal import Removed
from barthes.removal.rewriting import anonymize
from barthes.removal.verb_anonymization import find_verbs

__all__ = ["PredicateArgumentAnonymizer", "anonymize_predicates_and_arguments"]


def anonymize_predicates_and_arguments(
    narrative: Narrative, annotation: Annotation, *, keep_auxiliaries: bool = False
) -> list[Removed]:
    """Each sentence in turn with its verbs as forms of *do* and its main participants as pronouns.

    Args:
        narrative: The story.
        annotation: Its tokens, tags and events, from `annotate` or from a corpus.
        keep_auxiliaries: Whether to leave auxiliaries alone: *had* gone, *was* taken.

    >>> story = Narrative.from_sentences(["The wolf was eaten by a fox."])
    >>> [removed.text for removed in anonymize_predicates_and_arguments(story, annotate(story))]
    ['Something be done by someone.']
    """
    removals = []
    for sentence, known in zip(narrative, annotation, strict=True):
        verbs = find_verbs(known, keep_auxiliaries=keep_auxiliaries)
        arguments = [argument for event in known.events for argument in event.arguments]
        removals.append(Removed(sentence.index, anonymize(sentence, known, verbs, arguments)))
    return removals


class PredicateArgumentAnonymizer:
    """PAA as a removal function.

    Args:
        annotate: Where the annotation of a narrative comes from; by default from spaCy's parse.
        keep_auxiliaries: Whether to leave auxiliaries alone.
    """

    def __init__(self, annotate: Annotator = annotate, *, keep_auxiliaries: bool = False) -> None:
        self._annotate = annotate
        self._keep_auxiliaries = keep_auxiliaries

    def __call__(self, narrative: Narrative) -> list[Removed]:
        """Each sentence in turn with its verbs and their participants anonymised."""
        annotation = self._annotate(narrative)
        annotation.check(narrative)
        return anonymize_predicates_and_arguments(
            narrative, annotation, keep_auxiliaries=self._keep_auxiliaries
        )
