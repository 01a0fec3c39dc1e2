"""Words for counting: a light tokeniser, the same for every text, that needs no language pipeline."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from barthes.narrative import Narrative

__all__ = ["Tokenize", "count_words", "split_narrative", "split_words"]

Tokenize = Callable[[Narrative], Sequence[Sequence[str]]]
"""Gives the words of each sentence of a narrative; a corpus with tokens of its own brings its own."""

# Books differ in how they set the same mark; a count must not.
_TYPOGRAPHY = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "—": "--", "…": "..."})

_TOKEN = re.compile(
    r"""
      n't\b | '(?:s|m|d|ll|re|ve)\b        # clitics stand alone, as in the Penn Treebank: do n't, it 's
    | [^\W_]+?(?=n't\b)                    # ... and so does what comes before n't
    | [^\W_]+(?:-[^\W_]+)*                 # a word, hyphens included
    | (?P<mark>[^\w\s]|_)(?P=mark)*        # punctuation is kept; -- and ... are one mark
    """,
    re.VERBOSE | re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def split_words(text: str) -> list[str]:
    """The words and punctuation marks of a text, as written but for quotes, dashes and composed accents.

    >>> split_words("“I don’t know,” said the well-known wolf.")
    ['"', 'I', 'do', "n't", 'know', ',', '"', 'said', 'the', 'well-known', 'wolf', '.']
    """
    plain = unicodedata.normalize("NFC", text).translate(_TYPOGRAPHY)
    return [match.group() for match in _TOKEN.finditer(plain)]


def split_narrative(narrative: Narrative) -> list[list[str]]:
    """The words of each sentence of a narrative; what belongs to no sentence is not counted."""
    return [split_words(sentence.text) for sentence in narrative]


def count_words(text: str) -> int:
    """How many words a person would count: no punctuation, *don't* and *well-known* are one each.

    In a script without spaces every unbroken run of characters is a word.

    >>> count_words("“I don’t know,” said the well-known wolf.")
    7
    """
    return len(_WORD.findall(unicodedata.normalize("NFC", text)))
