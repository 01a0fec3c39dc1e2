"""A story that a transformer has read once, and its continuations after any number of edits.

The sums that are saved, for a story of T tokens and n sentences::

    one by one                         Barthes
    2 n passes over the whole story    1 pass over the story, n over what follows the edit: T / 2 on average
    logits for every token             logits for the tokens that are scored
    keys and values made 2 n times     made once, looked at by all
    a batch of one, or padding         continuations of all lengths side by side, no padding
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np
import torch
from torch import Tensor

from barthes.errors import ModelError
from barthes.models.attention import AttentionPlan, Segment
from barthes.models.head import VocabularyHead
from barthes.models.language_model import Edit, FloatArray
from barthes.models.side_by_side import count_readers, side_by_side

__all__ = ["SharedReading"]


class SharedReading:
    """What `CausalModel.read` gives: the story's hidden states, keys and values, ready to be shared.

    Args:
        network: A transformers model whose attention is `barthes.models.attention.attend`.
        head: Its projection to the vocabulary.
        tokens: The story, the start-of-text token first.
        products: The precision of the network's matrix products.
        pass_tokens: How many tokens go through the network at once. A single continuation is never
            torn apart, so one longer than this makes a pass of its own.
    """

    def __init__(
        self,
        network: Any,
        head: VocabularyHead,
        tokens: Sequence[int],
        *,
        products: torch.dtype = torch.float32,
        pass_tokens: int,
    ) -> None:
        self._network = network
        self._head = head
        self._products = products
        self._tokens = torch.tensor(list(tokens), device=network.device)
        self._pass_tokens = pass_tokens
        try:
            self.log_probabilities = self._read()
        except (RuntimeError, MemoryError) as error:
            if not _is_out_of_memory(error):
                raise
            raise self._too_large() from error

    @torch.inference_mode()
    def _read(self) -> FloatArray:
        last = len(self._tokens) - 1  # the last token is only predicted
        self._plan = AttentionPlan((Segment(0, 0, last),), recording=True)
        self._hidden = self._forward(self._tokens[:last], torch.arange(last), self._plan)
        return _nats(self._head.log_probabilities(self._hidden, self._tokens[1:]))

    def rescore(self, edits: Sequence[Edit]) -> Iterator[FloatArray]:
        """For each edit in turn, the log-probabilities of tokens[edit.stop :] after it; nats."""
        waiting = list(edits)
        readers = count_readers(self._network.device.type)
        while waiting:
            jobs = [partial(self._rescore_together, together) for together in self._divide(waiting)]
            try:
                for results in side_by_side(jobs, at_once=min(readers, len(jobs))):
                    yield from results
                    del waiting[: len(results)]
            except (RuntimeError, MemoryError) as error:
                if not _is_out_of_memory(error):
                    raise
                if readers == 1:  # before passes get smaller, there are fewer of them at a time
                    self._shrink(next(self._divide(waiting)), error)
                readers = 1

    def _shrink(self, failed: Sequence[Edit], error: Exception) -> None:
        """Let passes be half as large as one that did not fit into memory."""
        if len(failed) == 1:
            raise self._too_large() from error
        self._pass_tokens = max(1, sum(map(self._cost, failed)) // 2)

    def _too_large(self) -> ModelError:
        return ModelError(
            f"there is not enough memory to read {len(self._tokens)} tokens at once.",
            remedy="Give a smaller --window, such as 512.",
        )

    def _cost(self, edit: Edit) -> int:
        """How many tokens an edit sends through the network (the last one is only predicted)."""
        return len(edit.replacement) + max(0, len(self._tokens) - 1 - edit.stop)

    def _divide(self, edits: Sequence[Edit]) -> Iterator[list[Edit]]:
        """The edits in passes, each of as many as fit; at least one."""
        together: list[Edit] = []
        total = 0
        for edit in edits:
            if together and total + self._cost(edit) > self._pass_tokens:
                yield together
                together, total = [], 0
            together.append(edit)
            total += self._cost(edit)
        if together:
            yield together

    @torch.inference_mode()
    def _rescore_together(self, edits: Sequence[Edit]) -> list[FloatArray]:
        inputs = [self._continuation(edit) for edit in edits]
        lengths = [len(ids) for ids in inputs]
        stops = list(accumulate(lengths))
        segments = tuple(
            Segment(edit.start, stop - length, stop)
            for edit, stop, length in zip(edits, stops, lengths, strict=True)
            if length
        )
        hidden = self._hidden[:0]
        if segments:
            positions = torch.cat([torch.arange(s.prefix, s.prefix + s.stop - s.start) for s in segments])
            plan = AttentionPlan(segments, self._plan.keys, self._plan.values)
            hidden = self._forward(torch.cat(inputs), positions, plan)
        rows = [
            self._predictors(edit, hidden[stop - length : stop])
            for edit, stop, length in zip(edits, stops, lengths, strict=True)
        ]
        targets = [self._tokens[edit.stop :] for edit in edits]
        scored = _nats(self._head.log_probabilities(torch.cat(rows), torch.cat(targets)))
        return np.split(scored, np.cumsum([len(ids) for ids in targets])[:-1])

    def _continuation(self, edit: Edit) -> Tensor:
        replacement = torch.tensor(edit.replacement, dtype=torch.long, device=self._tokens.device)
        return torch.cat([replacement, self._tokens[edit.stop : -1]])

    def _predictors(self, edit: Edit, hidden: Tensor) -> Tensor:
        """The hidden states that tokens[edit.stop :] are predicted from.

        The first one follows the replacement, or, after a deletion, the story before the edit: that
        state was computed when the story was read.
        """
        count = len(self._tokens) - edit.stop
        if edit.replacement:
            return hidden[len(edit.replacement) - 1 :][:count]
        return torch.cat([self._hidden[edit.start - 1 : edit.start], hidden])[:count]

    def _forward(self, ids: Tensor, positions: Tensor, plan: AttentionPlan) -> Tensor:
        with torch.autocast(ids.device.type, self._products, enabled=self._products != torch.float32):
            output = self._network.base_model(
                input_ids=ids[None],
                position_ids=positions[None].to(ids.device),
                use_cache=False,
                barthes_plan=plan,
            )
        hidden: Tensor = output.last_hidden_state[0].float()
        return hidden


def _is_out_of_memory(error: Exception) -> bool:
    """CUDA has a class for it; the CPU's allocators and MPS have only their messages."""
    said = ("can't allocate memory", "not enough memory", "out of memory")
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or any(s in str(error) for s in said)


def _nats(log_probabilities: Tensor) -> FloatArray:
    return np.asarray(log_probabilities.cpu().double())  # in this order: MPS has no float64
