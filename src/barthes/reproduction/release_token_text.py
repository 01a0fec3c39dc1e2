"""Move an annotation onto a tale's tokens, joined by spaces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from barthes.annotation.events import Annotation, Argument, Event, SentenceAnnotation, Span, Token
from barthes.narrative import Narrative

__all__ = ["move_annotation"]


def move_annotation(
    annotation: Annotation,
    words: Sequence[Sequence[str]],
    tags: Sequence[Sequence[str]] | None = None,
) -> Annotation:
    """An annotation, laid over other spellings of its tokens that are joined by spaces.

    Args:
        annotation: Tokens, tags and events.
        words: The new spelling of every token, sentence by sentence.
        tags: Its new tag; by default it keeps the one it has.

    >>> quote, wolf = Token(0, 1, '"', "``"), Token(1, 5, "Wolf", "NN")
    >>> annotation = Annotation((SentenceAnnotation((quote, wolf)),))
    >>> [token.span for token in move_annotation(annotation, [["``", "Wolf"]]).tokens]
    [(0, 2), (3, 7)]
    """
    kept = tags or [[token.tag for token in sentence.tokens] for sentence in annotation]
    moved = []
    for known, span, spelt, tagged in zip(annotation, _join(words).spans, words, kept, strict=True):
        tokens = tuple(_place(known.tokens, spelt, tagged, span[0]))
        events = tuple(_move_event(event, known.tokens, tokens) for event in known.events)
        moved.append(SentenceAnnotation(tokens, events))
    return Annotation(tuple(moved))


def _join(words: Iterable[Sequence[str]]) -> Narrative:
    return Narrative.from_sentences([" ".join(sentence) for sentence in words])


def _place(
    tokens: Sequence[Token], words: Sequence[str], tags: Sequence[str], position: int
) -> Iterable[Token]:
    for token, word, tag in zip(tokens, words, tags, strict=True):
        yield Token(position, position + len(word), word, tag, token.auxiliary)
        position += len(word) + 1


def _move_event(event: Event, old: Sequence[Token], new: Sequence[Token]) -> Event:
    places = {before.span: after for before, after in zip(old, new, strict=True)}
    arguments = [(each.role, [_move_span(span, old, new) for span in each.spans]) for each in event.arguments]
    return Event(
        places[event.predicate.span],
        tuple(Argument(role, tuple(filter(None, spans))) for role, spans in arguments if any(spans)),
        tuple(places[token.span] for token in event.particles),
        event.frame,
    )


def _move_span(span: Span, old: Sequence[Token], new: Sequence[Token]) -> Span | None:
    """Where the tokens inside a span have gone; None where there are none."""
    pairs = zip(old, new, strict=True)
    inside = [after for before, after in pairs if span[0] <= before.start and before.end <= span[1]]
    return (inside[0].start, inside[-1].end) if inside else None
