"""The prompt of `ask`, which is a file with a number, and the parts of a long story that it is asked about.

::

    parts     [S_1 S_2 S_3 S_4]
                       [S_3 S_4 S_5 S_6]        each part shares half with the one before;
                                [S_5 S_6 S_7]   a sentence in two parts gets the mean of both ratings
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

RATINGS = (1, 2, 3, 4, 5)
_FILE = "prompt-1.toml"  # a change of the wording is a new file


@cache
def read_prompt() -> dict[str, str]:
    """Return the texts of the prompt: ``story``, ``rating`` (of one sentence) and ``all_ratings``."""
    return tomllib.loads(files(__package__).joinpath(_FILE).read_text(encoding="utf-8"))


def number_lines(sentences: Sequence[str]) -> list[str]:
    """Return each sentence as a line with its number.

    >>> number_lines(["A wolf came.", "It rained."])
    ['1. A wolf came.\\n', '2. It rained.\\n']
    """
    return [f"{number}. {' '.join(sentence.split())}\n" for number, sentence in enumerate(sentences, start=1)]


def write_story(sentences: Sequence[str]) -> str:
    """Return the story as it is shown to the model, with what it is asked about it."""
    return read_prompt()["story"].replace("{lines}", "".join(number_lines(sentences)))


def write_question(number: int) -> str:
    """Return the question about one sentence."""
    return read_prompt()["rating"].replace("{number}", str(number))


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
