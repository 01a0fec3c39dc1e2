"""The prompt of `ask`, which is a file with a number, and the parts of a long story that it is asked about.

::

    parts     [S_1 S_2 S_3 S_4]
                       [S_3 S_4 S_5 S_6]        each part shares half with the one before;
                                [S_5 S_6 S_7]   a sentence in two parts gets the mean of both ratings
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

from barthes.hashing import hash_content

PROMPT = "prompt-1.txt"
"""The file of the current prompt. A change of the wording is a new file."""
RATINGS = (1, 2, 3, 4, 5)


@cache
def read_prompt() -> str:
    """Return the text of the prompt, with places for the ``{story}`` and the ``{question}``."""
    return files(__package__).joinpath(PROMPT).read_text(encoding="utf-8")


def identify_prompt() -> str:
    """Return the name and the hash of the prompt, for cache keys."""
    return f"{PROMPT} {hash_content(read_prompt())}"


def write_story(sentences: Sequence[str]) -> str:
    """Return the prompt up to the question, with the sentences on numbered lines.

    >>> write_story(["A wolf came."]).splitlines()[-2:]
    ['1. A wolf came.', '']
    """
    lines = "\n".join(f"{k}. {' '.join(sentence.split())}" for k, sentence in enumerate(sentences, start=1))
    before, _, _ = read_prompt().partition("{question}")
    return before.replace("{story}", lines)


def divide(lengths: Sequence[int], limit: int) -> Iterator[range]:
    """Yield the sentences of overlapping parts of at most `limit` tokens, at least two sentences each.

    >>> list(divide([10, 10, 10, 10, 10], 45)), list(divide([10, 10], 45))
    ([range(0, 4), range(2, 5)], [range(0, 2)])
    """
    start = 0
    while True:
        stop, total = start, 0
        while stop < len(lengths) and (total + lengths[stop] <= limit or stop < start + 2):
            total += lengths[stop]
            stop += 1
        yield range(start, stop)
        if stop == len(lengths):
            return
        start = max(start + 1, (start + stop) // 2)
