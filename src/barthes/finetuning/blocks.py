"""Stories as blocks of tokens, none longer than the model reads at once.

A story is its start token, its tokens and its end token. Those that fit a block are packed whole, several to
a block; longer ones are cut::

    story      ⟨s⟩ a b c d e f g ⟨/s⟩
    block 1    ⟨s⟩ [a b c d]
    block 2             d [e f g ⟨/s⟩]        […]: predicted here

A block that goes on with a story starts with the last token before it, so that every token of every story,
its end included, is predicted exactly once. A start token is never predicted: nobody asks a model for it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from barthes.errors import TrainingError

__all__ = ["Block", "check_enough", "count_tokens", "pack"]


@dataclass(frozen=True, slots=True)
class Block:
    """Tokens that are read at once, and which of them are predicted."""

    tokens: tuple[int, ...]
    predicted: tuple[bool, ...]

    def __len__(self) -> int:
        return len(self.tokens)

    def __add__(self, other: Block) -> Block:
        return Block(self.tokens + other.tokens, self.predicted + other.predicted)


def pack(
    stories: Iterable[str],
    *,
    encode: Callable[[str], Sequence[int]],
    start: int,
    end: int,
    size: int,
    seed: int,
) -> list[Block]:
    """The blocks of stories, in an order that the seed decides.

    Pieces that do not fill a block go, one by one, into the first block that has room for them.

    >>> blocks = pack(["a b c d e f g", "h"], encode=lambda text: [ord(word) for word in text.split()],
    ...               start=1, end=2, size=5, seed=0)
    >>> sorted("".join(map(chr, block.tokens[1:])) for block in blocks)
    ['abcd', 'efg\\x02', 'h\\x02']
    """
    pieces = [piece for story in stories for piece in _cut(encode(story), start, end, size)]
    random.Random(seed).shuffle(pieces)
    return _fit(pieces, size)


def count_tokens(blocks: Iterable[Block]) -> int:
    """How many tokens are predicted in all."""
    return sum(sum(block.predicted) for block in blocks)


def check_enough(blocks: Sequence[Block], size: int) -> None:
    """Too little text teaches a model nothing but that text's words.

    Raises:
        TrainingError: There are fewer than two blocks full of tokens.
    """
    found, needed = count_tokens(blocks), 2 * size
    if found < needed:
        raise TrainingError(
            f"the stories to train on have {found:,} tokens; two blocks of {size:,} are needed,"
            f" which is {needed:,}.",
            remedy=f"Give more text, or a --block of at most {found // 2}."
            if found >= 32
            else "Give more text.",
        )


def _cut(tokens: Sequence[int], start: int, end: int, size: int) -> list[Block]:
    """The pieces of one story; each but the first repeats one token, which it does not predict."""
    whole = [start, *tokens, end]
    return [
        Block(tuple(whole[first : first + size]), (False, *[True] * (len(whole[first : first + size]) - 1)))
        for first in range(0, len(whole) - 1, size - 1)
    ]


def _fit(pieces: Iterable[Block], size: int) -> list[Block]:
    """First fit. Blocks too full for anything are set aside, so that many short stories stay quick."""
    closed: list[Block] = []
    open_: list[Block] = []
    for piece in pieces:
        for place, block in enumerate(open_):
            if len(block) + len(piece) <= size:
                open_[place] = block + piece
                break
        else:
            open_.append(piece)
            place = len(open_) - 1
        if len(open_[place]) > size - _LEAST or len(open_) > _OPEN:
            closed.append(open_.pop(place if len(open_[place]) > size - _LEAST else 0))
    return closed + open_


_LEAST = 2  # a token that is repeated and one that is predicted: no piece is shorter
_OPEN = 64  # blocks that are looked at for room
