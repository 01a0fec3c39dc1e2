"""Find the words of a sentence that tell one event, so that they can be deleted and the rest stays.

They are the words that PAA would replace: the predicate with its particles, auxiliaries and adverbs before
it, and its ARG0 and ARG1. Two kinds of arguments stay, because the rest needs them: those that contain
another event (*he said **that the wolf had come***) and those that another event shares (***the wolf** came
and ate*). Words and commas that joined the event to the rest go with it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import groupby, pairwise

from barthes.annotation.events import Event, SentenceAnnotation, Span, Token
from barthes.removal.participants import PRONOUNS, encloses, is_word

_JOINING = frozenset(["CC", "IN", "TO", "WDT", "WP", "WP$", "WRB", ",", ":"])
_SEPARATING = frozenset(["CC", ",", ":"])
_HELPING = frozenset(["MD", "TO", "RB", "RBR", "RBS"])
_COMPLEMENTIZERS = frozenset(["if", "that", "whether"])
_STRAIGHT = frozenset("\"'")
_OPENING = frozenset("“„‘‚«‹「『([{") | {"``", "-LRB-"}


def find_event_words(annotation: SentenceAnnotation, event: Event) -> set[int]:
    """Return the positions of the tokens that go with an event; all tokens if no word is left."""
    tokens = annotation.tokens
    others = [each for each in annotation.events if each.predicate != event.predicate and each.verbal]
    spans = [
        span
        for argument in event.arguments
        if argument.role in PRONOUNS
        for span in argument.spans
        if not _is_needed(span, event, others, tokens)
    ]
    spans += [token.span for token in event.trigger]
    words = {i for i, token in enumerate(tokens) if any(_contains(span, token.span) for span in spans)}
    verbs = [
        i for i, token in enumerate(tokens) if token.span in {e.predicate.span for e in annotation.events}
    ]
    for i in verbs:
        if tokens[i].span == event.predicate.span:
            words |= set(_find_helpers(tokens, i, words))
    words |= set(_fill_gaps(tokens, words))
    words |= set(_find_joints(tokens, words, verbs))
    words |= set(_find_empty_quotations(tokens, words))
    has_rest = any(is_word(token.text) for i, token in enumerate(tokens) if i not in words)
    return words if has_rest else set(range(len(tokens)))


def _is_needed(span: Span, event: Event, others: list[Event], tokens: tuple[Token, ...]) -> bool:
    """Return whether an argument contains another event, or another event shares it."""
    for other in others:
        if _contains(span, other.predicate.span):
            return True
        for around in (each for argument in other.arguments for each in argument.spans):
            if not _contains(around, event.predicate.span):
                if span[0] < around[1] and around[0] < span[1]:
                    return True
            elif _is_antecedent(span, around, event, tokens):
                return True
    return False


def _is_antecedent(span: Span, around: Span, event: Event, tokens: tuple[Token, ...]) -> bool:
    """Return whether the event modifies its own argument, within that of another event.

    In *the dog that followed her barked* the dog stays without *followed*; in *he knew the dog followed her*
    it is a word of the clause and goes.
    """
    if span[0] != around[0]:
        return False
    before = [token for token in tokens if span[1] <= token.start < event.predicate.start]
    has_auxiliary = any(token.auxiliary or token.tag == "MD" for token in before)
    is_clause = all(token.auxiliary or token.tag in _HELPING for token in before)
    return not is_clause or (event.predicate.tag in ("VBG", "VBN") and not has_auxiliary)


def _find_helpers(tokens: tuple[Token, ...], predicate: int, words: Collection[int]) -> Iterator[int]:
    """Yield the auxiliaries and adverbs before the predicate, also across a subject that goes."""
    for i in reversed(range(predicate)):
        if i not in words and not (tokens[i].auxiliary or tokens[i].tag in _HELPING):
            return
        yield i


def _fill_gaps(tokens: tuple[Token, ...], words: Collection[int]) -> Iterator[int]:
    """Yield the words that join two runs of words that go: *eaten **by** the wolf*."""
    for left, right in pairwise(_find_runs(words)):
        gap = range(left.stop, right.start)
        if all(tokens[i].tag in _JOINING for i in gap):
            yield from gap


def _find_joints(tokens: tuple[Token, ...], words: Collection[int], verbs: Collection[int]) -> Iterator[int]:
    """Yield the words and commas that joined the runs of words that go to the rest.

    A separator stays if it still separates two clauses, or a verb from a clause that was its argument.
    """
    for run in _find_runs(words):
        start, stop = run.start, run.stop
        is_end = stop == len(tokens) or tokens[stop].tag in _SEPARATING or not is_word(tokens[stop].text)
        dropped = _JOINING if is_end else _JOINING - _SEPARATING
        while start > 0 and tokens[start - 1].tag in dropped:
            start -= 1
        yield from range(start, run.start)
        if not any(verb in run for verb in verbs):  # only an argument goes
            continue
        is_separated = any(tokens[i].tag in _SEPARATING for i in range(start, run.start))
        has_verb = any(verb < start for verb in verbs)
        is_coordinated = stop < len(tokens) and tokens[stop].tag == "CC"
        if start == 0 or not (is_separated or (has_verb and not is_coordinated)):
            while stop < len(tokens) and tokens[stop].tag in _SEPARATING:
                yield stop
                stop += 1
        if stop < len(tokens) and tokens[stop].tag == "IN" and tokens[stop].text.lower() in _COMPLEMENTIZERS:
            yield stop


def _find_empty_quotations(tokens: tuple[Token, ...], words: Collection[int]) -> Iterator[int]:
    """Yield the marks of quotations and brackets in which no word is left."""
    for run in _find_runs(words):
        first, stop = run.start, run.stop
        while first > 0 and not is_word(tokens[first - 1].text) and not encloses(tokens[first]):
            first -= 1
        while stop < len(tokens) and not is_word(tokens[stop].text) and not encloses(tokens[stop - 1]):
            stop += 1
        is_enclosed = first < run.start and run.stop < stop and encloses(tokens[stop - 1])
        if is_enclosed and _opens(tokens, first):
            yield from range(first, stop)


def _opens(tokens: tuple[Token, ...], i: int) -> bool:
    """Return whether a token is an opening quotation mark or bracket; straight marks alternate."""
    if tokens[i].text in _STRAIGHT:
        return sum(token.text == tokens[i].text for token in tokens[:i]) % 2 == 0
    return tokens[i].text in _OPENING


def _find_runs(words: Collection[int]) -> list[range]:
    """Return the runs of adjacent positions.

    >>> _find_runs({1, 2, 5})
    [range(1, 3), range(5, 6)]
    """
    groups = groupby(enumerate(sorted(words)), key=lambda pair: pair[1] - pair[0])
    runs = [[i for _, i in group] for _, group in groups]
    return [range(run[0], run[-1] + 1) for run in runs]


def _contains(outer: Span, inner: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]
