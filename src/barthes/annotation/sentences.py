"""Sentence splitting: spaCy proposes, the rules of print decide.

The parser of the English pipeline sees syntax, but it tears ``"Stop!" she cried.`` in two; punctuation alone
sees the quotes, but trips over ``Mr. Fox``. So the parser is asked passage by passage, and its answer counts
only where a sentence may end at all.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from barthes.annotation.abbreviations import ends_on_letter, is_abbreviated, numbers_item
from barthes.annotation.dialogue import changes_speaker, continues_sentence, exclaims_clause
from barthes.annotation.languages import resolve_language
from barthes.annotation.marks import Site, find_sites
from barthes.annotation.passages import find_passages
from barthes.annotation.proposals import propose_starts
from barthes.annotation.unwrapping import Unwrapped, unwrap

__all__ = ["split_sentences"]

_LONGEST_UNMARKED = 20  # words: a longer passage without any full stop is cut where spaCy cuts it


def split_sentences(text: str, *, language: str = "en") -> tuple[tuple[int, int], ...]:
    """The sentences of a text as half-open spans of characters, in order, no white space at their ends.

    Every character that is not white space is in one of them.

    Args:
        text: Any text. Blank lines part paragraphs; a single line break counts as the text uses it.
        language: An ISO code. English is split by its parser and the rules of dialogue, other languages by
            punctuation and the same rules.

    Raises:
        UnknownNameError: There is no such language.
        ModelError: The English pipeline is not installed.

    >>> text = '"Stop!" she cried. Mr. Fox ran.'
    >>> [text[start:end] for start, end in split_sentences(text)]
    ['"Stop!" she cried.', 'Mr. Fox ran.']
    """
    code = resolve_language(language)
    lines, asked = itertools.tee(unwrap(text, passage) for passage in find_passages(text))
    proposals = propose_starts((line.text for line in asked if _is_open(line)), language=code)
    spans: list[tuple[int, int]] = []
    for line in lines:
        proposed = next(proposals) if _is_open(line) else frozenset()
        spans.extend(line.trace(start, end) for start, end in _split_line(line, proposed))
    return tuple(spans)


def _is_open(line: Unwrapped) -> bool:
    """Whether there is anything to ask spaCy: a heading or a single `"Why?"` needs no parser."""
    return any(True for _ in _find_inner_sites(line.text)) or _is_unmarked(line.text)


def _split_line(line: Unwrapped, proposed: frozenset[int]) -> Iterator[tuple[int, int]]:
    """The spans of the sentences of a passage; none without a letter or digit unless the passage has none."""
    find = _find_unmarked_boundaries if _is_unmarked(line.text) else _find_boundaries
    start, last = 0, _find_last_word(line.text)
    for end, following in find(line, proposed):
        if following <= last and any(character.isalnum() for character in line.text[start:end]):
            yield start, end
            start = following
    yield start, len(line.text)


def _find_boundaries(line: Unwrapped, proposed: frozenset[int]) -> Iterator[tuple[int, int]]:
    for site in _find_inner_sites(line.text):
        if _is_boundary(line, site, proposed):
            yield site.end, site.start


def _find_unmarked_boundaries(line: Unwrapped, proposed: frozenset[int]) -> Iterator[tuple[int, int]]:
    for start in sorted(proposed):
        if line.text[start - 1] == " " and line.text[start - 2].isalnum():
            yield start - 1, start


def _is_boundary(line: Unwrapped, site: Site, proposed: frozenset[int]) -> bool:
    text = line.text
    if is_abbreviated(text, site) or numbers_item(text, site) or continues_sentence(text, site):
        return False
    if site.is_wide or changes_speaker(text, site) or exclaims_clause(text, site):
        return True
    if ends_on_letter(text, site) or (site.start in line.hard and not site.following.islower()):
        return True
    is_proposed = any(start in proposed for start in range(site.mark + 1, site.lead + 1))
    return is_proposed and (site.is_spaced or site.following.isupper())


def _find_inner_sites(text: str) -> Iterator[Site]:
    return (site for site in find_sites(text) if site.start < len(text))


def _is_unmarked(text: str) -> bool:
    """Whether a passage is long and has no full stop: nobody else can say where its sentences end."""
    if text.count(" ") < _LONGEST_UNMARKED:
        return False
    return not any(site.is_spaced or site.start == len(text) for site in find_sites(text))


def _find_last_word(text: str) -> int:
    """The offset of the last letter or digit, or -1."""
    return next((offset for offset in range(len(text) - 1, -1, -1) if text[offset].isalnum()), -1)
