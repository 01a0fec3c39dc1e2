"""Find which sentences of a story later ones refer to: a cut must not leave a reference without its object.

::

    A bell hung in the tower.      ◀─┐ "the bell" needs the sentence that has it first
    It was cracked.                ◀─┤ "It" needs the sentence before
    Nobody rang the bell, but …      │
    "Who rang it?" she asked.      ◀─┘ a question and its answer need each other

The rules use the tags of English words; for other languages only names, numbers, questions, links such as
*but* and quotation marks count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from barthes.annotation.annotator import annotate
from barthes.annotation.events import Token
from barthes.narrative import Narrative

_DEFINITE = frozenset({"the", "this", "that", "these", "those", "both", "such"})
_PRONOUNS = frozenset({"he", "she", "it", "they", "him", "her", "them", "his", "its", "their"})
_POINTERS = frozenset({"this", "that", "these", "those", "such", "another", "other", "others"})
_LINKS = frozenset("but so therefore instead otherwise however yet nor or neither besides too".split())
_BEFORE_NOUNS = ("NN", "JJ", "CD", "RB", "VBG", "VBN")  # tags after a determiner
_OPENING = 3  # tokens at the beginning of a sentence in which a pronoun refers to an earlier one
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W_]+)*|\d+|[^\w\s]")
_QUOTES = re.compile(r"[“”«»„\"]")
_QUESTION = re.compile(r"\?[\"'”’»]+|\?\s*$")


@dataclass(frozen=True, slots=True)
class References:
    """The later sentences that refer to each sentence.

    Attributes:
        firm: By a name, a number, *this one* and the like, as an answer, or within a quotation. A question
            needs its answer, too.
        loose: By a pronoun or a noun with *the*, which readers can often still follow after a cut.
    """

    firm: tuple[frozenset[int], ...]
    loose: tuple[frozenset[int], ...]


def find_references(narrative: Narrative) -> References:
    """Return which later sentences refer to each sentence of a story.

    >>> story = "A bell hung there. It was old. The bell rang. It rained."
    >>> narrative = Narrative(story, ((0, 18), (19, 30), (31, 45), (46, 56)))
    >>> sorted(find_references(narrative).loose[0])
    [1, 2]
    """
    firm: list[set[int]] = [set() for _ in narrative]
    loose: list[set[int]] = [set() for _ in narrative]
    sentences = _read_tokens(narrative)
    names: dict[str, int] = {}
    nouns: dict[str, int] = {}
    for k, tokens in enumerate(sentences):
        for name in _find_names(tokens):
            if (first := names.setdefault(name, k)) < k:
                firm[first].add(k)
        found = list(_find_nouns(tokens))
        for noun, determiner in found:
            if determiner in _DEFINITE and nouns.get(noun, k) < k:
                loose[nouns[noun]].add(k)
        for noun, _ in found:
            nouns.setdefault(noun, k)
        if k and _is_question(narrative[k - 1].text):
            firm[k - 1].add(k)
            firm[k].add(k - 1)
        elif k and _needs_previous(tokens):
            firm[k - 1].add(k)
        elif k and _has_pronoun(tokens, sentences[k - 1]):
            loose[k - 1].add(k)
    for first, last in _find_quotations(narrative):
        for k in range(first, last):
            firm[k].add(k + 1)
            firm[k + 1].add(k)
    return References(tuple(map(frozenset, firm)), tuple(map(frozenset, loose)))


def _read_tokens(narrative: Narrative) -> list[Sequence[Token]]:
    """Return the tokens of each sentence; without tags if the language is not English."""
    if narrative.language.startswith("en"):
        return [sentence.tokens for sentence in annotate(narrative)]
    return [
        [Token(found.start(), found.end(), found[0], "") for found in _WORD.finditer(sentence.text)]
        for sentence in narrative
    ]


def _find_names(tokens: Sequence[Token]) -> Iterator[str]:
    for place, token in enumerate(tokens):
        is_name = token.tag.startswith("NNP") if token.tag else place > 0 and token.text[0].isupper()
        if is_name or (token.tag == "CD" and token.text.casefold() != "one") or token.text.isdigit():
            yield token.text.casefold()


def _find_nouns(tokens: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """Yield the last noun of each noun phrase, in the singular, with its determiner."""
    determiner = ""
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.tag in ("DT", "PRP$", "WDT", "PDT"):
            determiner = token.text.casefold()
        elif token.tag in ("NN", "NNS"):
            if following is None or following.tag not in ("NN", "NNS", "POS"):
                yield _singular(token), determiner
                determiner = ""
        elif token.tag[:2] not in ("JJ", "CD", "VB", "RB", "NN"):
            determiner = ""


def _singular(token: Token) -> str:
    word = token.text.casefold()
    return word.removesuffix("s") if token.tag == "NNS" else word


def _open(tokens: Sequence[Token]) -> list[str]:
    """Return the first words of a sentence."""
    return [word for word in (token.text.casefold() for token in tokens) if word.isalnum()][:_OPENING]


def _is_question(text: str) -> bool:
    """Return whether a sentence is, or quotes, a question: ``“Who is it?” she asked.``"""
    return _QUESTION.search(text) is not None


def _needs_previous(tokens: Sequence[Token]) -> bool:
    """Return whether a sentence is linked to the one before it."""
    opening = _open(tokens)
    return bool(opening) and (opening[0] in _LINKS or _points(tokens))


def _has_pronoun(tokens: Sequence[Token], before: Sequence[Token]) -> bool:
    """Return whether a sentence begins with a pronoun that the one before it does not begin with.

    In a chain of sentences about the same person, any but the first can go.
    """
    pronouns = _PRONOUNS.intersection(_open(tokens))
    return bool(pronouns) and not pronouns.intersection(_open(before))


def _points(tokens: Sequence[Token]) -> bool:
    """Return whether a sentence has *this*, *the other* or the like without a noun."""
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        is_noun_phrase = following is not None and following.tag.startswith(_BEFORE_NOUNS)
        is_alone = not is_noun_phrase or (following is not None and following.text in ("one", "ones"))
        if token.tag in ("DT", "JJ", "NN", "NNS") and token.text.casefold() in _POINTERS and is_alone:
            return True
    return False


def _find_quotations(narrative: Narrative) -> Iterator[tuple[int, int]]:
    """Yield the first and the last sentence of each quotation that is longer than one."""
    opened: int | None = None
    for sentence in narrative:
        if len(_QUOTES.findall(sentence.text)) % 2:
            if opened is not None:
                yield opened, sentence.index
            opened = sentence.index if opened is None else None
