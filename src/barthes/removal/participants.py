"""Which words of a sentence become *someone* and which *something*.

ARG0 is *someone*, ARG1 *something*, and ARG0 wins where they overlap. An argument without a verb in it is
replaced whole. In one with a clause inside, the clause's verbs stay (they are anonymised as verbs), and so
does what holds it together: modals, *to*, *not*, *and*, *that*, *who*, particles and punctuation.
Quotation marks and brackets are never replaced, so they stay in pairs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from barthes.annotation.events import Argument, SentenceAnnotation, Span, Token

__all__ = ["WORDS", "find_participants"]

WORDS = {"ARG0": "someone", "ARG1": "something"}

_ENCLOSING = frozenset("\"'“”„‟‘’‚«»‹›「」『』()[]{}") | {"``", "''", "-LRB-", "-RRB-"}
_JOINING_TAGS = frozenset(["CC", "EX", "MD", "WDT", "WP", "WP$", "WRB"])
_JOINING_WORDS = frozenset(
    "although because if lest n't not nt n’t since so that though unless until whether while".split()
)
_FILLING_TAGS = frozenset(["IN", "PDT", "RB", "RBR", "RBS", "RP", "TO", "UH", ""])


def find_participants(annotation: SentenceAnnotation, arguments: Iterable[Argument]) -> list[str | None]:
    """For each token of the sentence the role that replaces it, or None.

    An empty string says that the token goes and nothing comes: an adverb or preposition that is left alone
    among the verbs of a clause.
    """
    roles = _Roles(annotation)
    for argument in sorted(arguments, key=lambda argument: argument.role):  # ARG0 first: it wins
        if argument.role in WORDS:
            for span in argument.spans:
                roles.add(argument.role, span)
    return roles.settle()


class _Roles:
    """The roles of a sentence's tokens, as they are added."""

    def __init__(self, annotation: SentenceAnnotation) -> None:
        self._tokens = annotation.tokens
        predicates = {event.predicate.span for event in annotation.events if event.verbal}
        self._verbs = {t.span for t in self._tokens if t.auxiliary or t.span in predicates}
        self._particles = {t.span for event in annotation.events for t in event.particles}
        self._roles: list[str | None] = [None] * len(self._tokens)
        self._strong: set[int] = set()  # tokens of an argument without a verb

    def add(self, role: str, span: Span) -> None:
        """Add one stretch of an argument."""
        first = bisect_left(self._tokens, span[0], key=lambda token: token.start)
        stop = bisect_right(self._tokens, span[1], key=lambda token: token.end)
        inside = _trim(range(first, stop), self._tokens)
        has_clause = any(self._tokens[i].span in self._verbs for i in inside)
        for i in inside:
            if _encloses(self._tokens[i]) or (has_clause and self._joins(i)):
                continue
            if not has_clause:
                self._strong.add(i)
            self._roles[i] = self._roles[i] or role

    def settle(self) -> list[str | None]:
        """The roles, without the words that nothing can stand for."""
        for i in reversed(range(len(self._roles) - 1)):
            role, following = self._roles[i], self._roles[i + 1]
            if self._is_filling(i) and self._tokens[i].tag in ("IN", "TO") and following not in (None, role):
                self._roles[i] = None  # *by* in *done by someone*
        for run in _runs(self._roles):
            if all(self._is_filling(i) for i in run) and self._touches_word(run):
                for i in run:
                    self._roles[i] = ""
        return self._roles

    def _joins(self, i: int) -> bool:
        """Whether a token of a clause stays."""
        token = self._tokens[i]
        if token.span in self._verbs or token.span in self._particles or not _is_word(token):
            return True
        if token.tag == "TO":
            return self._precedes_verb(i)
        return token.tag in _JOINING_TAGS or (token.text.lower() in _JOINING_WORDS and token.tag != "DT")

    def _precedes_verb(self, i: int) -> bool:
        for token in self._tokens[i + 1 :]:
            if not token.tag.startswith("RB"):
                return token.span in self._verbs
        return False

    def _is_filling(self, i: int) -> bool:
        return self._roles[i] is not None and i not in self._strong and self._tokens[i].tag in _FILLING_TAGS

    def _touches_word(self, run: range) -> bool:
        """Whether a word stands beside a run, with no punctuation in between."""
        sides = [i for i in (run.start - 1, run.stop) if 0 <= i < len(self._tokens)]
        return any(_is_word(self._tokens[i]) for i in sides)


def _encloses(token: Token) -> bool:
    """Whether it is a bracket or quotation mark; the apostrophe of *the girls' father* is neither."""
    return token.text in _ENCLOSING and not (token.tag == "POS" and token.text in ("'", "’"))


def _trim(inside: range, tokens: Sequence[Token]) -> range:
    """Without the punctuation at both ends."""
    words = [i for i in inside if _is_word(tokens[i])]
    return range(words[0], words[-1] + 1) if words else range(0)


def _runs(roles: Sequence[str | None]) -> list[range]:
    """Stretches of tokens with the same role."""
    runs: list[range] = []
    for i, role in enumerate(roles):
        if role is None:
            continue
        if runs and runs[-1].stop == i and roles[i - 1] == role:
            runs[-1] = range(runs[-1].start, i + 1)
        else:
            runs.append(range(i, i + 1))
    return runs


def _is_word(token: Token) -> bool:
    return any(character.isalnum() for character in token.text)
