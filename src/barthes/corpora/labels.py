"""From Propp's functions to what is salient: the paper's rule, and one without its slip.

A token is salient when an ACTUAL group of a function other than the initial situation holds it; a
sentence when one of its tokens is; an event when a token of its trigger is.

- ``paper``: the authors' release keeps one function of a symbol and tale, a later one in place of an
  earlier one. ProppLearner: 170 functions, 205 of 1302 sentences. Figures in Otake et al. rest on it.
- ``corrected``: all functions. 174 functions, 211 sentences.
"""

from __future__ import annotations

from collections.abc import Iterable

from barthes.annotation.events import Annotation, Span
from barthes.corpora.functions import INITIAL_SITUATION, Function
from barthes.errors import UnknownNameError

__all__ = ["RULES", "choose_functions", "label_events", "label_sentences", "label_tokens"]

RULES = ("paper", "corrected")


def choose_functions(functions: Iterable[Function], *, rule: str = "paper") -> tuple[Function, ...]:
    """The functions that count as salient events under a rule, told or only implied."""
    if rule not in RULES:
        raise UnknownNameError("label rule", rule, RULES)
    events = [function for function in functions if function.symbol != INITIAL_SITUATION]
    if rule == "paper":
        return tuple({function.symbol: function for function in events}.values())
    return tuple(events)


def label_tokens(
    annotation: Annotation, functions: Iterable[Function], *, rule: str = "paper"
) -> tuple[tuple[bool, ...], ...]:
    """Whether each token is salient, sentence by sentence."""
    salient = _salient(functions, rule)
    return tuple(tuple(token.span in salient for token in sentence.tokens) for sentence in annotation)


def label_sentences(
    annotation: Annotation, functions: Iterable[Function], *, rule: str = "paper"
) -> tuple[bool, ...]:
    """Whether each sentence holds a salient token."""
    return tuple(any(labels) for labels in label_tokens(annotation, functions, rule=rule))


def label_events(
    annotation: Annotation, functions: Iterable[Function], *, rule: str = "paper"
) -> tuple[tuple[bool, ...], ...]:
    """Whether each event's trigger holds a salient token, sentence by sentence."""
    salient = _salient(functions, rule)
    return tuple(
        tuple(any(token.span in salient for token in event.trigger) for event in sentence.events)
        for sentence in annotation
    )


def _salient(functions: Iterable[Function], rule: str) -> set[Span]:
    chosen = choose_functions(functions, rule=rule)
    return {token.span for function in chosen for token in function.actual}
