"""Read a story once with a transformer, and score its continuations after any number of edits.

Compared with separate passes, for a story of T tokens and n sentences::

    separate passes                        shared reading
    2 n passes over the whole story        1 pass over the story, n over what follows: T / 2 on average
    logits for all tokens                  logits for scored tokens only
    keys and values computed 2 n times     computed once, shared by all edits
    batches of one, or padding             continuations of all lengths in one pass, without padding

A short text and its edits are computed in one pass, if its edits are the first that is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from barthes.models.attention import AttentionPlan
from barthes.models.forward_pass import ForwardPass, is_out_of_memory, too_large
from barthes.models.language_model import Edit, FloatArray
from barthes.models.side_by_side import count_readers, side_by_side
from barthes.models.windows import group_by_cost

SHORT_TEXT = 256
"""Tokens of a text that may be read in one pass with its edits."""


@dataclass(frozen=True)
class _Story:
    """What a pass over the story computes, shared by all edits."""

    hidden: Tensor  # the last hidden state of each token but the last, which is only predicted
    keys: dict[int, Tensor]  # per layer, shape (1, key heads, story tokens, head width)
    values: dict[int, Tensor]
    log_probabilities: FloatArray  # of all tokens but the first; nats


class SharedReading:
    """A story that is read when it is first needed, and whose states all edits share.

    Args:
        forward: Computes the passes.
        tokens: The tokens to read, the start-of-text token first.
        pass_tokens: The maximum per pass, unless a single continuation is longer.
    """

    def __init__(self, forward: ForwardPass, tokens: Sequence[int], *, pass_tokens: int) -> None:
        self._forward = forward
        self._tokens = torch.tensor(list(tokens), device=forward.device)
        self._pass_tokens = pass_tokens
        self._story: _Story | None = None

    @property
    def log_probabilities(self) -> FloatArray:
        """log P(tokens[i + 1] | tokens[: i + 1]) for every i; nats."""
        return self._read().log_probabilities

    def rescore(self, edits: Sequence[Edit]) -> Iterator[FloatArray]:
        """Return for each edit the log-probabilities of tokens[edit.stop : edit.until] after it; nats."""
        if self._story is None and self._fits_one_pass(edits):
            try:
                self._story, results = self._read_with(edits)
                return iter(results)
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):  # otherwise two passes, which need less
                    raise
        return self._rescore(self._read(), list(edits))

    def _fits_one_pass(self, edits: Sequence[Edit]) -> bool:
        tokens = len(self._tokens)
        return tokens <= SHORT_TEXT and tokens - 1 + sum(map(self._cost, edits)) <= self._pass_tokens

    def _read(self) -> _Story:
        if self._story is None:
            try:
                self._story, _ = self._read_with([])
            except (RuntimeError, MemoryError) as error:
                raise (too_large(len(self._tokens)) if is_out_of_memory(error) else error) from error
        return self._story

    @torch.inference_mode()
    def _read_with(self, edits: Sequence[Edit]) -> tuple[_Story, list[FloatArray]]:
        """Read the story and rescore edits in one pass, in which edits attend to the story's keys and values.

        They are those of the same layer of the same pass.
        """
        ids = self._tokens
        texts = [ids[:-1], *(_continue(ids, edit) for edit in edits)]
        plan = AttentionPlan.of(texts, [0, *(edit.start for edit in edits)], recording=True)
        hidden, *states = self._forward.hidden_states(texts, plan)
        pairs = [_predict(ids, hidden, *each) for each in zip(edits, states, strict=True)]
        known, *results = self._forward.log_probabilities([(hidden, ids[1:]), *pairs])
        keys, values = (
            {layer: each[:, :, : len(hidden)] for layer, each in states.items()}
            for states in (plan.keys, plan.values)
        )
        return _Story(hidden, keys, values, known), results

    def _rescore(self, story: _Story, waiting: list[Edit]) -> Iterator[FloatArray]:
        """Yield the results of edits; after memory ran out, passes run one at a time and get smaller."""
        readers = count_readers(self._forward.device.type)
        while waiting:
            passes = list(group_by_cost(waiting, self._cost, most=self._pass_tokens))
            jobs = [partial(self._rescore_together, story, together) for together in passes]
            try:
                for results in side_by_side(jobs, at_once=min(readers, len(jobs))):
                    yield from results
                    del waiting[: len(results)]
                    del passes[0]
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    raise
                if readers == 1 and len(passes[0]) == 1:
                    raise too_large(len(self._tokens)) from error
                readers = 1
                self._pass_tokens = max(1, self._pass_tokens // 2)

    @torch.inference_mode()
    def _rescore_together(self, story: _Story, edits: Sequence[Edit]) -> list[FloatArray]:
        texts = [_continue(self._tokens, edit) for edit in edits]
        starts = [edit.start for edit in edits]
        plan = AttentionPlan.of(texts, starts, keys=story.keys, values=story.values)
        states = [story.hidden[:0]] * len(edits)
        if plan.segments:
            states = self._forward.hidden_states(texts, plan)
        return self._forward.log_probabilities(
            [_predict(self._tokens, story.hidden, *each) for each in zip(edits, states, strict=True)]
        )

    def _cost(self, edit: Edit) -> int:
        return edit.count_read(len(self._tokens))


def _continue(tokens: Tensor, edit: Edit) -> Tensor:
    """Return the tokens to read after an edit; the last scored one is only predicted."""
    replacement = torch.tensor(edit.replacement, dtype=torch.long, device=tokens.device)
    return torch.cat([replacement, tokens[edit.follows(len(tokens))][:-1]])


def _predict(tokens: Tensor, before: Tensor, edit: Edit, after: Tensor) -> tuple[Tensor, Tensor]:
    """Return the hidden states that the tokens after an edit are predicted from, and these tokens.

    The first one is that of the replacement's last token; after a deletion it is that of the last token
    before the edit, computed when the story was read.
    """
    scored = tokens[edit.follows(len(tokens))]
    if edit.replacement:
        return after[len(edit.replacement) - 1 :][: len(scored)], scored
    return torch.cat([before[edit.start - 1 : edit.start], after])[: len(scored)], scored
