"""Pack stories into blocks of tokens, and measure a network's loss on them.

A story is its start token, its tokens and its end token. Those that fit a block are packed whole, several to
a block; longer ones are cut::

    story      ⟨s⟩ a b c d e f g ⟨/s⟩
    block 1    ⟨s⟩ [a b c d]
    block 2             d [e f g ⟨/s⟩]        […]: predicted here

A block that continues a story starts with the last token before it, so that every token of every story, its
end included, is predicted exactly once. A start token is never predicted.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from barthes.errors import TrainingError

if TYPE_CHECKING:
    import torch

__all__ = [
    "IGNORED",
    "Block",
    "MeasuredLoss",
    "check_enough",
    "collate",
    "count_tokens",
    "measure_loss",
    "pack",
]

_LEAST = 2  # no piece is shorter: a token that is repeated and one that is predicted
_OPEN = 64  # blocks that are searched for room
IGNORED = -100
"""The label of a token that is not predicted, in transformers and torch."""


@dataclass(frozen=True, slots=True)
class Block:
    """Tokens that are read at once, and which of them are predicted."""

    tokens: tuple[int, ...]
    predicted: tuple[bool, ...]

    def __len__(self) -> int:
        return len(self.tokens)

    def __add__(self, other: Block) -> Block:
        return Block(self.tokens + other.tokens, self.predicted + other.predicted)


@dataclass(frozen=True, slots=True)
class MeasuredLoss:
    """Minus the mean log-probability of tokens, in nats, and the number of tokens."""

    nats: float
    tokens: int

    @property
    def perplexity(self) -> float:
        """exp of the loss; infinite where that is too large for a number.

        >>> round(MeasuredLoss(math.log(20), 100).perplexity, 9)
        20.0
        """
        return math.exp(self.nats) if self.nats < 700 else math.inf

    def to_dict(self) -> dict[str, float]:
        """Return plain data."""
        return {"perplexity": self.perplexity, "nats_per_token": self.nats, "tokens": self.tokens}


def pack(
    stories: Iterable[str],
    *,
    encode: Callable[[str], Sequence[int]],
    start: int,
    end: int,
    size: int,
    seed: int,
) -> list[Block]:
    """Return the blocks of stories, in an order that the seed decides.

    Pieces that do not fill a block go, one by one, into the first block that has room for them.

    >>> blocks = pack(["a b c d e f g", "h"], encode=lambda text: [ord(word) for word in text.split()],
    ...               start=1, end=2, size=5, seed=0)
    >>> sorted("".join(map(chr, block.tokens[1:])) for block in blocks)
    ['abcd', 'efg\\x02', 'h\\x02']
    """
    pieces = [piece for story in stories for piece in _cut([start, *encode(story), end], size)]
    random.Random(seed).shuffle(pieces)
    closed: list[Block] = []  # too full for anything, so that many short stories are packed quickly
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


def _cut(tokens: Sequence[int], size: int) -> list[Block]:
    """Cut one story; each piece but the first repeats one token, which it does not predict."""
    pieces = (tuple(tokens[first : first + size]) for first in range(0, len(tokens) - 1, size - 1))
    return [Block(piece, (False, *[True] * (len(piece) - 1))) for piece in pieces]


def count_tokens(blocks: Iterable[Block]) -> int:
    """Return how many tokens are predicted in all."""
    return sum(sum(block.predicted) for block in blocks)


def check_enough(blocks: Sequence[Block], size: int) -> None:
    """Refuse to train on too little text, from which a model learns nothing but that text's words.

    Raises:
        TrainingError: There are fewer tokens than two full blocks have.
    """
    found, needed = count_tokens(blocks), 2 * size
    if found < needed:
        remedy = f"Give more text, or a block of at most {found // 2}." if found >= 32 else "Give more text."
        raise TrainingError(
            f"the stories to train on have {found:,} tokens; two blocks of {size:,} are needed,"
            f" which is {needed:,}.",
            remedy=remedy,
        )


def collate(blocks: Sequence[Block]) -> dict[str, torch.Tensor]:
    """Return blocks as ``input_ids`` and ``labels`` of the shape (rows, tokens).

    Padding comes last, where a causal network does not see it, and is not predicted: no mask is needed.
    """
    import torch

    width = max(len(block) for block in blocks)
    tokens = torch.zeros(len(blocks), width, dtype=torch.long)
    labels = torch.full_like(tokens, IGNORED)
    for row, block in enumerate(blocks):
        ids = torch.tensor(block.tokens)
        tokens[row, : len(block)] = ids
        labels[row, : len(block)] = torch.where(torch.tensor(block.predicted), ids, IGNORED)
    return {"input_ids": tokens, "labels": labels}


def measure_loss(
    network: Any,
    blocks: Sequence[Block],
    *,
    products: torch.dtype | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> MeasuredLoss:
    """Return the network's mean loss over the predicted tokens of blocks, read one by one without dropout.

    A long story's later blocks do not see its earlier ones, so `barthes perplexity`, which reads longer
    contexts, gives lower figures.

    Args:
        network: A causal network.
        blocks: What to read.
        products: The precision of matrix products; float32 by default.
        progress: Called with the blocks done and all blocks.
    """
    import torch

    device = network.device
    lower = products not in (None, torch.float32)
    total = 0.0
    was_training = network.training
    network.eval()
    progress(0, len(blocks))
    for done, block in enumerate(blocks, start=1):
        batch = {key: tensor.to(device) for key, tensor in collate([block]).items()}
        with torch.no_grad(), torch.autocast(device.type, products, enabled=lower):
            total += float(network(**batch, use_cache=False).loss) * sum(block.predicted)
        progress(done, len(blocks))
    network.train(was_training)
    count = count_tokens(blocks)
    return MeasuredLoss(total / max(count, 1), count)
