"""Rewriting a sentence: some verbs and participants are replaced, every other character stays."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from barthes.annotation.events import Annotation, Argument, Event, SentenceAnnotation, Span, Token
from barthes.narrative import Narrative, Sentence
from barthes.removal.joining import Piece, join
from barthes.removal.participants import WORDS, find_participants
from barthes.removal.verb_forms import is_verb, name_do_form

__all__ = ["anonymize", "rewrite"]

_OPENING = "\"'“„‘‚«‹「『([{-–—*_"
_CLOSING = "\"'”’»›」』)]} \t\n"
_ENDING = ".!?:…"


def rewrite(
    narrative: Narrative,
    index: int,
    annotation: Annotation,
    events: Iterable[Event],
    *,
    arguments: bool = False,
) -> str:
    """Sentence `index` of a narrative with some of its events anonymised and the others left alone.

    Args:
        narrative: The story.
        index: The sentence's index.
        annotation: The annotation of the whole narrative.
        events: The events to anonymise, of that sentence.
        arguments: Whether their ARG0 and ARG1 are anonymised too.

    >>> wolf, ate, goat = Token(0, 4, "Wolf", "NN"), Token(5, 8, "ate", "VBD"), Token(9, 13, "goat", "NN")
    >>> event = Event(ate, (Argument("ARG0", (wolf.span,)), Argument("ARG1", (goat.span,))))
    >>> annotation = Annotation((SentenceAnnotation((wolf, ate, goat), (event,)),))
    >>> story = Narrative.from_sentences(["Wolf ate goat."])
    >>> rewrite(story, 0, annotation, [event]), rewrite(story, 0, annotation, [event], arguments=True)
    ('Wolf did goat.', 'Someone did something.')
    """
    chosen = list(events)
    verbs = {event.predicate.span for event in chosen if is_verb(event.predicate)}
    replaced = [argument for event in chosen for argument in event.arguments] if arguments else []
    return anonymize(narrative[index], annotation[index], verbs, replaced)


def anonymize(
    sentence: Sentence,
    annotation: SentenceAnnotation,
    verbs: Collection[Span],
    arguments: Iterable[Argument] = (),
) -> str:
    """The sentence with these verbs as forms of *do* and these arguments as *someone* and *something*."""
    return join(sentence, _cut(sentence, annotation, verbs, find_participants(annotation, arguments)))


def _cut(
    sentence: Sentence, annotation: SentenceAnnotation, verbs: Collection[Span], roles: Sequence[str | None]
) -> Iterator[Piece]:
    """The sentence in pieces: a token each, and one for a run of tokens that share a role."""
    tokens = annotation.tokens
    i = 0
    while i < len(tokens):
        first, role = i, roles[i]
        while role is not None and i + 1 < len(tokens) and roles[i + 1] == role:
            i += 1
        if role is not None:
            yield _stand_in(sentence, tokens, range(first, i + 1), role)
        elif tokens[i].span in verbs:
            yield Piece(tokens[i], tokens[i], name_do_form(tokens, i), changed=True)
        else:
            yield Piece(tokens[i], tokens[i], tokens[i].text)
        i += 1


def _stand_in(sentence: Sentence, tokens: Sequence[Token], run: range, role: str) -> Piece:
    """The one word for a run of tokens: *someone*, *Something*, *someone's*; or nothing, for no role."""
    first, last = tokens[run.start], tokens[run.stop - 1]
    start, end = first.start - sentence.start, last.end - sentence.start
    source = sentence.text[start:end]
    begins = source[:1].isupper() and _begins(sentence.text[:start])
    if not role:
        return Piece(first, last, "", changed=True, begins=begins)
    word = WORDS[role] + ("'s" if _possesses(tokens, run.stop) else "")
    if _is_shouted(source) and (len(run) > 1 or _is_shouted(sentence.text)):
        word = word.upper()
    return Piece(first, last, word, changed=True, begins=begins)


def _possesses(tokens: Sequence[Token], stop: int) -> bool:
    """Whether a run of tokens that stops here ends as *the king's* or *my* do, and what is his follows."""
    if tokens[stop - 1].tag not in ("PRP$", "POS") or stop == len(tokens):
        return False
    return any(character.isalnum() for character in tokens[stop].text)


def _begins(before: str) -> bool:
    """Whether a capital after these characters is owed to its place, not to a name."""
    if before[-1:] in tuple(_OPENING):
        return True
    before = before.rstrip(_CLOSING)
    return not before or before[-1] in _ENDING


def _is_shouted(text: str) -> bool:
    return text.isupper() and sum(map(str.isalpha, text)) > 1
