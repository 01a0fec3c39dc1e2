"""Two rows of a batch at a time, each on half of the processor's threads.

Two rows side by side are sooner done than one after the other on all threads, as passes are when a story is
scored (`barthes.models.side_by_side`). Gradients are added up in the order of the rows, so the same command
still gives the same weights. `benchmarks/finetuning.py --rows paired,single` compares both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

import torch
from torch import Tensor

from barthes.finetuning.fused_loss import Batch, FusedLoss
from barthes.models.side_by_side import count_readers, side_by_side

__all__ = ["choose_rows", "count_at_once", "draws_numbers", "pair_rows"]

Gradients = Sequence[Tensor | None]
"""Of each weight; None of one that a loss does not depend on."""

_MOST = 2  # each row in training takes more than a GiB with the embedded model


def count_at_once(device: str) -> int:
    """How many blocks are best read at a time: two on a processor with several threads, else one.

    >>> count_at_once("cuda")
    1
    """
    return min(_MOST, count_readers(device))


def choose_rows(batch: int, accumulate: int, *, at_once: int) -> tuple[int, int]:
    """The rows of a batch and the batches of a step, with as many blocks a step as the reader asked for.

    >>> choose_rows(1, 4, at_once=2), choose_rows(1, 3, at_once=2), choose_rows(2, 4, at_once=2)
    ((2, 2), (1, 3), (2, 4))
    """
    if batch % at_once == 0 or accumulate % at_once:
        return batch, accumulate
    return batch * at_once, accumulate // at_once


def draws_numbers(loss: FusedLoss) -> bool:
    """Whether a loss draws random numbers, as for dropout: rows side by side would draw each other's."""
    state = torch.get_rng_state()
    tokens = torch.zeros(1, 4, dtype=torch.long)
    with torch.no_grad():
        loss({"input_ids": tokens, "labels": tokens})
    drawn = not torch.equal(state, torch.get_rng_state())
    torch.set_rng_state(state)
    return drawn


def pair_rows(loss: FusedLoss, weights: Sequence[Tensor], *, at_once: int) -> FusedLoss:
    """A loss that reads so many rows at a time, and has the same value and gradients.

    Args:
        loss: What is added up over rows. It draws no random numbers.
        weights: All that is trained. Their gradients are held for each row, so there should be few.
        at_once: How many rows.
    """

    def sum_loss(batch: Batch) -> Tensor:
        count = len(batch["input_ids"])
        if count == 1 or not torch.is_grad_enabled():
            return loss(batch)
        rows = [{key: tensor[row : row + 1] for key, tensor in batch.items()} for row in range(count)]
        found: Tensor = _Sum.apply(partial(_read, loss, rows, weights, at_once), *weights)  # type: ignore[no-untyped-call]
        return found

    return sum_loss


class _Sum(torch.autograd.Function):
    """A sum over rows whose gradients are known with it."""

    @staticmethod
    def forward(ctx: Any, read: Callable[[], tuple[Tensor, Gradients]], *weights: Tensor) -> Tensor:
        total, ctx.gradients = read()
        return total

    @staticmethod
    def backward(ctx: Any, *scales: Tensor) -> Any:
        return None, *(None if each is None else scales[0] * each for each in ctx.gradients)


def _read(
    loss: FusedLoss, rows: Sequence[Batch], weights: Sequence[Tensor], at_once: int
) -> tuple[Tensor, Gradients]:
    """The summed loss of rows and its gradients."""

    def read_row(row: Batch) -> tuple[Tensor, Gradients]:
        with torch.enable_grad():
            found = loss(row)
            return found.detach(), torch.autograd.grad(found, weights, allow_unused=True)

    parts = list(side_by_side((partial(read_row, row) for row in rows), at_once=at_once))
    total = reduce(torch.add, (part for part, _ in parts))
    return total, [_add_up(column) for column in zip(*(gradients for _, gradients in parts), strict=True)]


def _add_up(column: Gradients) -> Tensor | None:
    known = [each for each in column if each is not None]
    return reduce(torch.add, known) if known else None
