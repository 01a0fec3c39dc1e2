"""VA, verb anonymization: every verb of S_k becomes a form of *do*."""

from __future__ import annotations

from barthes.annotation.annotator import Annotator, annotate
from barthes.annotation.events import Annotation, SentenceAnnotation, Span
from barthes.narrative import Narrative
from barthes.removal.removal import Removed
from barthes.removal.rewriting import anonymize
from barthes.removal.verb_forms import is_verb

__all__ = ["VerbAnonymizer", "anonymize_verbs", "find_verbs"]


def anonymize_verbs(
    narrative: Narrative, annotation: Annotation, *, keep_auxiliaries: bool = False
) -> list[Removed]:
    """Each sentence in turn with its verbs as forms of *do*; *be* stays *be*, and modals stay.

    Args:
        narrative: The story.
        annotation: Its tokens and tags, from `annotate` or from a corpus.
        keep_auxiliaries: Whether to leave auxiliaries alone: *had* gone, *was* taken.

    >>> story = Narrative.from_sentences(["The wolf had eaten."])
    >>> annotation = annotate(story)
    >>> [removed.text for removed in anonymize_verbs(story, annotation)]
    ['The wolf did done.']
    >>> [removed.text for removed in anonymize_verbs(story, annotation, keep_auxiliaries=True)]
    ['The wolf had done.']
    """
    return [
        Removed(
            sentence.index, anonymize(sentence, known, find_verbs(known, keep_auxiliaries=keep_auxiliaries))
        )
        for sentence, known in zip(narrative, annotation, strict=True)
    ]


def find_verbs(annotation: SentenceAnnotation, *, keep_auxiliaries: bool) -> set[Span]:
    """The verbs of a sentence that become forms of *do*."""
    kept = [token for token in annotation.tokens if not (keep_auxiliaries and token.auxiliary)]
    return {token.span for token in kept if is_verb(token)}


class VerbAnonymizer:
    """VA as a removal function.

    Args:
        annotate: Where the annotation of a narrative comes from; by default from spaCy's parse.
        keep_auxiliaries: Whether to leave auxiliaries alone.
    """

    def __init__(self, annotate: Annotator = annotate, *, keep_auxiliaries: bool = False) -> None:
        self._annotate = annotate
        self._keep_auxiliaries = keep_auxiliaries

    def __call__(self, narrative: Narrative) -> list[Removed]:
        """Each sentence in turn with its verbs anonymised."""
        annotation = self._annotate(narrative)
        annotation.check(narrative)
        return anonymize_verbs(narrative, annotation, keep_auxiliaries=self._keep_auxiliaries)
