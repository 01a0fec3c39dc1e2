"""SD, sentence deletion: r(S_k) is nothing at all."""

from __future__ import annotations

from barthes.narrative import Narrative
from barthes.removal.removal import Removed

__all__ = ["delete_sentences"]


def delete_sentences(narrative: Narrative) -> list[Removed]:
    """Each sentence in turn is deleted.

    >>> delete_sentences(Narrative.from_sentences(["The wolf came.", "It rained."]))
    [Removed(index=0, text=''), Removed(index=1, text='')]
    """
    return [Removed(sentence.index, "") for sentence in narrative]
