"""Find the words of a sentence that become *someone* or *something*.

ARG0 becomes *someone* and ARG1 *something*; ARG0 wins where they overlap. An argument without a verb is
replaced as a whole. In one with a clause, verbs (anonymized as verbs) and function words stay: modals,
*to*, *not*, *and*, *that*, *who*, particles and punctuation. Quotation marks and brackets always stay.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import groupby, islice

from barthes.annotation.events import Argument, SentenceAnnotation, Span, Token

PRONOUNS = {"ARG0": "someone", "ARG1": "something"}

_ENCLOSING = frozenset("\"'“”„‟‘’‚«»‹›「」『』()[]{}") | {"``", "''", "-LRB-", "-RRB-"}
_JOINING_TAGS = frozenset(["CC", "EX", "MD", "WDT", "WP", "WP$", "WRB"])
_JOINING_WORDS = frozenset(
    "although because if lest n't not nt n’t since so that though unless until whether while".split()
)
_HYPHENS = ("-", "‐", "‑")
_FILLING_TAGS = frozenset(["IN", "PDT", "RB", "RBR", "RBS", "RP", "TO", "UH", ""])


def find_participants(annotation: SentenceAnnotation, arguments: Iterable[Argument]) -> list[str | None]:
    """Return the role that replaces each token of the sentence, or None.

    An empty role means that the token is dropped: an adverb or preposition among the verbs of a clause.
    """
    roles = _Roles(annotation)
    for argument in sorted(arguments, key=lambda argument: argument.role):  # ARG0 first: it wins
        if argument.role in PRONOUNS:
            for span in argument.spans:
                roles.add(argument.role, span)
    return roles.finish()


def is_word(text: str) -> bool:
    """Return whether a token has a letter or digit."""
    return any(map(str.isalnum, text))


class _Roles:
    """The roles of a sentence's tokens, collected argument by argument."""

    def __init__(self, annotation: SentenceAnnotation) -> None:
        self._tokens = annotation.tokens
        predicates = {event.predicate.span for event in annotation.events if event.verbal}
        self._verbs = {t.span for t in self._tokens if t.auxiliary or t.span in predicates}
        self._particles = {t.span for event in annotation.events for t in event.particles}
        self._roles: list[str | None] = [None] * len(self._tokens)
        self._strong: set[int] = set()  # tokens of an argument without a verb

    def add(self, role: str, span: Span) -> None:
        """Add one span of an argument; words that already have a role keep it."""
        first = bisect_left(self._tokens, span[0], key=lambda token: token.start)
        stop = bisect_right(self._tokens, span[1], key=lambda token: token.end)
        inside = self._trim(range(first, stop))
        has_clause = any(self._tokens[i].span in self._verbs for i in inside)
        for i in inside:
            if encloses(self._tokens[i]) or (has_clause and self._is_kept(i)):
                continue
            if not has_clause:
                self._strong.add(i)
            self._roles[i] = self._roles[i] or role

    def finish(self) -> list[str | None]:
        """Return the roles, without those of words that a pronoun cannot replace."""
        for i in range(1, len(self._roles) - 1):
            if self._roles[i] is None and self._roles[i - 1] == self._roles[i + 1] and self._is_hyphen(i):
                self._roles[i] = self._roles[i - 1]
        for i in reversed(range(len(self._roles) - 1)):
            role, following = self._roles[i], self._roles[i + 1]
            if self._is_filling(i) and self._tokens[i].tag in ("IN", "TO") and following not in (None, role):
                self._roles[i] = None  # *by* in *done by someone*
        runs = [list(run) for _, run in groupby(range(len(self._roles)), key=self._roles.__getitem__)]
        for run in runs:
            if all(map(self._is_filling, run)) and self._touches_word(run):
                for i in run:
                    self._roles[i] = ""
        return self._roles

    def _trim(self, inside: range) -> range:
        """Cut off punctuation at both ends."""
        words = [i for i in inside if is_word(self._tokens[i].text)]
        return range(words[0], words[-1] + 1) if words else range(0)

    def _is_kept(self, i: int) -> bool:
        """Return whether a token of a clause is kept."""
        token = self._tokens[i]
        if token.span in self._verbs or token.span in self._particles or not is_word(token.text):
            return True
        if token.tag == "TO":
            return self._precedes_verb(i)
        return token.tag in _JOINING_TAGS or (token.text.lower() in _JOINING_WORDS and token.tag != "DT")

    def _precedes_verb(self, i: int) -> bool:
        following = (token for token in self._tokens[i + 1 :] if not token.tag.startswith("RB"))
        return any(token.span in self._verbs for token in islice(following, 1))

    def _is_filling(self, i: int) -> bool:
        return self._roles[i] is not None and i not in self._strong and self._tokens[i].tag in _FILLING_TAGS

    def _is_hyphen(self, i: int) -> bool:
        """Return whether a token joins its neighbours to one word (*wood-pile*), without spaces."""
        before, token, after = self._tokens[i - 1 : i + 2]
        return token.text in _HYPHENS and before.end == token.start and token.end == after.start

    def _touches_word(self, run: list[int]) -> bool:
        """Return whether the token before or after a run is a word."""
        sides = [i for i in (run[0] - 1, run[-1] + 1) if 0 <= i < len(self._tokens)]
        return any(is_word(self._tokens[i].text) for i in sides)


def encloses(token: Token) -> bool:
    """Return whether a token is a bracket or quotation mark, not the apostrophe of *the girls' father*."""
    return token.text in _ENCLOSING and not (token.tag == "POS" and token.text in ("'", "’"))
