"""spaCy's documents as narratives, and profiles as what a document can carry along."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from barthes.narrative import Narrative
from barthes.salience.influence import Influence
from barthes.salience.profile import Profile
from barthes.salience.stability import Stability

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

__all__ = ["narrate", "recall_profile", "store_profile"]

_KEY = "barthes_salience"
_PLAIN = ("method", "model", "precision", "window")


def narrate(doc: Doc, sentences: Sequence[Span]) -> Narrative | None:
    """The narrative that a document's sentences make; None where there is nothing but white space.

    Offsets are those of ``doc.text``.
    """
    spans = []
    for sentence in sentences:
        text = sentence.text
        start = sentence.start_char + len(text) - len(text.lstrip())
        if end := len(text.strip()):
            spans.append((start, start + end))
    return Narrative(doc.text, tuple(spans), language=doc.lang_ or "en") if spans else None


def store_profile(doc: Doc, profile: Profile | None) -> None:
    """Put a profile into a document's `user_data`, as lists and numbers."""
    if profile is None:
        doc.user_data.pop(_KEY, None)
        return
    plain: dict[str, Any] = {name: getattr(profile, name) for name in _PLAIN}
    plain["notes"] = list(profile.notes)
    plain["spans"] = [list(span) for span in profile.narrative.spans]
    plain["language"] = profile.narrative.language
    plain["scores"] = [float(score) for score in profile.scores]
    plain["influences"] = None if profile.influences is None else profile.influences.to_lists()
    known = profile.stability
    plain["stability"] = None if known is None else list(map(list, (known.low, known.high, known.share)))
    doc.user_data[_KEY] = plain


def recall_profile(doc: Doc) -> Profile | None:
    """The profile that `store_profile` put there, or None."""
    plain = doc.user_data.get(_KEY)
    if plain is None:
        return None
    spans = tuple((start, end) for start, end in plain["spans"])
    known = plain["influences"]
    low, high, share = map(tuple, plain.get("stability") or ((), (), ()))  # missing in older documents
    return Profile(
        Narrative(doc.text, spans, language=plain["language"]),
        tuple(plain["scores"]),
        **{name: plain[name] for name in _PLAIN},
        notes=tuple(plain["notes"]),
        influences=None if known is None else Influence.from_lists(known),
        stability=Stability(low, high, share) if share else None,
    )
