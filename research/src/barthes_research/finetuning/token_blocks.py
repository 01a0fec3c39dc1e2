"""Pack stories into blocks of tokens, and compute a network's loss on them.

A story consists of its start token, its tokens and its end token. Short stories share a block; stories longer
than a block are cut::

    story      ⟨s⟩ a b c d e f g ⟨/s⟩
    block 1    ⟨s⟩ [a b c d]
    block 2             d [e f g ⟨/s⟩]        […]: predicted here

A block that continues a story starts with the last token before it, so every token but the start token,
including the end token, is predicted exactly once.
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

IGNORED = -100  # the label of a token that is not predicted, in transformers and torch
_SHORTEST = 2  # tokens of a piece: one repeated and one predicted
_OPEN = 64  # blocks that are searched for room


@dataclass(frozen=True, slots=True)
class TokenBlock:
    """The tokens of a block, and which of them are predicted."""

    tokens: tuple[int, ...]
    predicted: tuple[bool, ...]

    def __len__(self) -> int:
        return len(self.tokens)

    def __add__(self, other: TokenBlock) -> TokenBlock:
        return TokenBlock(self.tokens + other.tokens, self.predicted + other.predicted)


@dataclass(frozen=True, slots=True)
class MeasuredLoss:
    """The mean negative log-probability of tokens, in nats, and the number of tokens."""

    nats: float
    tokens: int

    @property
    def perplexity(self) -> float:
        """exp(nats), or infinity where that overflows."""
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
) -> list[TokenBlock]:
    """Pack stories into blocks (first fit), in an order that depends on the seed."""
    pieces = [piece for story in stories for piece in _cut([start, *encode(story), end], size)]
    random.Random(seed).shuffle(pieces)
    closed: list[TokenBlock] = []  # not searched for room, so that packing many short stories is fast
    open_: list[TokenBlock] = []
    for piece in pieces:
        for place, block in enumerate(open_):
            if len(block) + len(piece) <= size:
                open_[place] = block + piece
                break
        else:
            open_.append(piece)
            place = len(open_) - 1
        is_full = len(open_[place]) > size - _SHORTEST
        if is_full or len(open_) > _OPEN:
            closed.append(open_.pop(place if is_full else 0))
    return closed + open_


def _cut(tokens: Sequence[int], size: int) -> list[TokenBlock]:
    """Cut a story into pieces that overlap by one token."""
    pieces = (tuple(tokens[first : first + size]) for first in range(0, len(tokens) - 1, size - 1))
    return [TokenBlock(piece, (False, *[True] * (len(piece) - 1))) for piece in pieces]


def count_tokens(blocks: Iterable[TokenBlock]) -> int:
    """Return the number of predicted tokens."""
    return sum(sum(block.predicted) for block in blocks)


def check_enough(blocks: Sequence[TokenBlock], size: int) -> None:
    """Raise TrainingError if the text is shorter than two full blocks, which is too little to learn from."""
    found, needed = count_tokens(blocks), 2 * size
    if found < needed:
        raise TrainingError(
            f"the stories to train on have {found:,} tokens; two blocks of {size:,} are needed,"
            f" that is {needed:,}.",
            remedy=f"Give more text{f', or a block of at most {found // 2}' if found >= 32 else ''}.",
        )


def collate(blocks: Sequence[TokenBlock]) -> dict[str, torch.Tensor]:
    """Return blocks as ``input_ids`` and ``labels`` of shape (blocks, tokens).

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
    blocks: Sequence[TokenBlock],
    *,
    products: torch.dtype | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> MeasuredLoss:
    """Return the network's mean loss over the predicted tokens of blocks, without dropout.

    Later blocks of a long story do not see its earlier ones, so the result is higher than that of
    `barthes perplexity`, which reads longer contexts.

    Args:
        products: Precision of matrix products; float32 by default.
        progress: Called with the number of finished blocks and of all blocks.
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
