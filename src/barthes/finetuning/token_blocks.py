"""Pack stories into blocks of tokens, and compute a network's loss on them.

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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from barthes.errors import TrainingError

if TYPE_CHECKING:
    import torch

IGNORED = -100
"""The label of a token that is not predicted, in transformers and torch."""

_LEAST = 2  # no piece is shorter: a token that is repeated and one that is predicted
_OPEN = 64  # blocks that are searched for room
_ROWS = 256  # tokens projected at a time by the fused loss: 50 MB of logits with the default model
_PROBE = 24  # tokens: enough to see whether the fused loss is what the network computes
_TOLERANCE = 1e-4  # nats per token


@dataclass(frozen=True, slots=True)
class TokenBlock:
    """Tokens that are read at once, and which of them are predicted."""

    tokens: tuple[int, ...]
    predicted: tuple[bool, ...]

    def __len__(self) -> int:
        return len(self.tokens)

    def __add__(self, other: TokenBlock) -> TokenBlock:
        return TokenBlock(self.tokens + other.tokens, self.predicted + other.predicted)


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
) -> list[TokenBlock]:
    """Return the blocks of stories, in an order that the seed decides.

    Pieces that do not fill a block go, one by one, into the first block that has room for them.

    >>> blocks = pack(["a b c d e f g", "h"], encode=lambda text: [ord(word) for word in text.split()],
    ...               start=1, end=2, size=5, seed=0)
    >>> sorted("".join(map(chr, block.tokens[1:])) for block in blocks)
    ['abcd', 'efg\\x02', 'h\\x02']
    """
    pieces = [piece for story in stories for piece in _cut([start, *encode(story), end], size)]
    random.Random(seed).shuffle(pieces)
    closed: list[TokenBlock] = []  # too full for anything, so that many short stories are packed quickly
    open_: list[TokenBlock] = []
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


def _cut(tokens: Sequence[int], size: int) -> list[TokenBlock]:
    """Cut one story; each piece but the first repeats one token, which it does not predict."""
    pieces = (tuple(tokens[first : first + size]) for first in range(0, len(tokens) - 1, size - 1))
    return [TokenBlock(piece, (False, *[True] * (len(piece) - 1))) for piece in pieces]


def count_tokens(blocks: Iterable[TokenBlock]) -> int:
    """Return how many tokens are predicted in all."""
    return sum(sum(block.predicted) for block in blocks)


def check_enough(blocks: Sequence[TokenBlock], size: int) -> None:
    """Refuse less text than two full blocks, from which a model learns nothing but that text's words."""
    found, needed = count_tokens(blocks), 2 * size
    if found < needed:
        raise TrainingError(
            f"the stories to train on have {found:,} tokens; two blocks of {size:,} are needed,"
            f" which is {needed:,}.",
            remedy=f"Give more text{f', or a block of at most {found // 2}' if found >= 32 else ''}.",
        )


def collate(blocks: Sequence[TokenBlock]) -> dict[str, torch.Tensor]:
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
    blocks: Sequence[TokenBlock],
    *,
    products: torch.dtype | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> MeasuredLoss:
    """Return the network's mean loss over the predicted tokens of blocks, read one by one without dropout.

    A long story's later blocks do not see its earlier ones, so `barthes perplexity`, which reads longer
    contexts, gives lower figures. `products` is the precision of matrix products, float32 by default;
    `progress` is called with the blocks done and all blocks.
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


FusedLoss = Callable[[Mapping[str, "torch.Tensor"]], "torch.Tensor"]
"""Minus the summed log-probability of the predicted tokens of ``input_ids`` and ``labels``, in nats."""


def find_fused_loss(network: Any) -> FusedLoss | None:
    """Return a loss without a table of all logits, for a network with adapters in float32 on the CPU.

    A block of 1,024 tokens has 50 million logits with the default model: 200 MB that a plain cross-entropy
    reads several times. torch's `linear_cross_entropy` projects 256 tokens at a time: 10.9 instead of 11.7
    CPU seconds per 1,000 tokens (means of five runs). Where the projection is trained, nothing is gained.

    None where torch is too old for it, or where it is not the network's own loss, which is tried out on a
    few tokens: a network may scale or cap its logits, or add to its loss.
    """
    import torch

    head = network.get_output_embeddings()
    if head is None or not hasattr(torch.nn.functional, "linear_cross_entropy"):
        return None
    body = network.get_base_model().base_model
    options = torch.nn.LinearCrossEntropyOptions(batch_chunk_size=_ROWS, chunking_method=None)

    def sum_loss(batch: Mapping[str, torch.Tensor]) -> torch.Tensor:
        hidden = body(input_ids=batch["input_ids"], use_cache=False).last_hidden_state
        loss: torch.Tensor = torch.nn.functional.linear_cross_entropy(
            hidden[:, :-1].flatten(0, 1),
            head.weight,
            batch["labels"][:, 1:].flatten(),
            linear_bias=getattr(head, "bias", None),
            reduction="sum",
            options=options,
        )
        return loss

    return sum_loss if _is_own_loss(sum_loss, network) else None


def _is_own_loss(sum_loss: FusedLoss, network: Any) -> bool:
    """Return whether a loss is the network's own, on a few tokens and without dropout."""
    import torch

    words = network.get_input_embeddings().weight.shape[0]
    tokens = (torch.arange(_PROBE) * 7919 % words)[None]
    was_training = network.training
    network.eval()
    try:
        with torch.no_grad():
            own = network(input_ids=tokens, labels=tokens, use_cache=False).loss
            fused = sum_loss({"input_ids": tokens, "labels": tokens}) / (_PROBE - 1)
    except Exception:  # an unusual network may raise anything; its own loss is then used
        return False
    finally:
        network.train(was_training)
    return bool((own - fused).abs() <= _TOLERANCE)
