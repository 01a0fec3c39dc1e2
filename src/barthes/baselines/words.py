"""A light tokenizer for counting words, without a language pipeline."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from barthes.narrative import Narrative

Tokenize = Callable[[Narrative], Sequence[Sequence[str]]]
"""Returns the words of each sentence of a narrative."""

# Different typography of the same mark.
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
    """Return the words and punctuation marks of a text, with quotes, dashes and accents normalised.

    >>> split_words("“I don’t know,” said the well-known wolf.")
    ['"', 'I', 'do', "n't", 'know', ',', '"', 'said', 'the', 'well-known', 'wolf', '.']
    """
    plain = unicodedata.normalize("NFC", text).translate(_TYPOGRAPHY)
    return [match.group() for match in _TOKEN.finditer(plain)]


def split_narrative(narrative: Narrative) -> list[list[str]]:
    """Return the words of each sentence of a narrative."""
    return [split_words(str(sentence)) for sentence in narrative]


def count_words(text: str) -> int:
    """Return the number of words without punctuation; *don't* and *well-known* are one each.

    In a script without spaces, every unbroken run of characters is a word.

    >>> count_words("“I don’t know,” said the well-known wolf.")
    7
    """
    return len(_WORD.findall(unicodedata.normalize("NFC", text)))
