"""Read a story once with a transformer, and score its continuations after any number of edits.

Compared with separate passes, for a story of T tokens and n sentences::

    separate passes                        shared reading
    2 n passes over the whole story        1 pass over the story, n over what follows: T / 2 on average
    logits for all tokens                  logits for scored tokens only
    keys and values computed 2 n times     computed once, shared by all edits
    batches of one, or padding             continuations of all lengths in one pass, without padding
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import Tensor

from barthes.models.attention import AttentionPlan
from barthes.models.forward_pass import ForwardPass, divide, is_out_of_memory, too_large
from barthes.models.language_model import Edit, FloatArray
from barthes.models.side_by_side import count_readers, side_by_side


@dataclass(eq=False)
class SharedReading:
    """The hidden states, keys and values of a story, shared by all edits."""

    forward: ForwardPass
    tokens: Tensor  # the start-of-text token first
    hidden: Tensor  # the last hidden state of each token but the last, which is only predicted
    keys: dict[int, Tensor]  # per layer, shape (1, key heads, story tokens, head width)
    values: dict[int, Tensor]
    log_probabilities: FloatArray  # of all tokens but the first; nats
    pass_tokens: int  # maximum per pass, unless a single continuation is longer

    def rescore(self, edits: Sequence[Edit]) -> Iterator[FloatArray]:
        """Yield for each edit the log-probabilities of tokens[edit.stop : edit.until] after it; nats."""
        waiting = list(edits)
        readers = count_readers(self.forward.device.type)
        while waiting:
            passes = list(divide(waiting, self._cost, pass_tokens=self.pass_tokens))
            jobs = [partial(self._rescore_together, together) for together in passes]
            try:
                for results in side_by_side(jobs, at_once=min(readers, len(jobs))):
                    yield from results
                    del waiting[: len(results)]
                    del passes[0]
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    raise
                if readers == 1:  # first run fewer passes at a time, then smaller ones
                    self._shrink(passes[0], error)
                readers = 1

    @torch.inference_mode()
    def reread(self, tokens: Sequence[int]) -> SharedReading:
        """Return the reading of other tokens; states of the beginning that both texts share are not computed.

        Raises:
            ModelError: There is not enough memory.
        """
        ids = torch.tensor(list(tokens), device=self.tokens.device)
        shared = self._count_shared(ids)
        rest = ids[shared:-1]  # the last one is only predicted
        keys, values = _take_first(shared, self.keys), _take_first(shared, self.values)
        hidden = self.hidden[:shared]
        if len(rest):
            plan = AttentionPlan.of([rest], [shared], keys=keys, values=values, recording=True)
            try:
                hidden = torch.cat([hidden, *self.forward.hidden_states([rest], plan)])
            except (RuntimeError, MemoryError) as error:
                raise (too_large(len(ids)) if is_out_of_memory(error) else error) from error
        known = max(0, shared - 1)  # log-probabilities
        scored = self.forward.log_probabilities([(hidden[known:], ids[known + 1 :])])
        found = np.concatenate([self.log_probabilities[:known], *scored])
        return SharedReading(self.forward, ids, hidden, keys, values, found, self.pass_tokens)

    def _count_shared(self, ids: Tensor) -> int:
        """Return how many states at the beginning are those of another text too."""
        most = min(len(self.tokens), len(ids)) - 1
        differs = (self.tokens[:most] != ids[:most]).nonzero()
        return int(differs[0]) if len(differs) else most

    def _shrink(self, failed: Sequence[Edit], error: Exception) -> None:
        """Halve the size of passes after one did not fit into memory."""
        if len(failed) == 1:
            raise too_large(len(self.tokens)) from error
        self.pass_tokens = max(1, sum(map(self._cost, failed)) // 2)

    def _cost(self, edit: Edit) -> int:
        return edit.count_read(len(self.tokens))

    @torch.inference_mode()
    def _rescore_together(self, edits: Sequence[Edit]) -> list[FloatArray]:
        texts = [_continue(self.tokens, edit) for edit in edits]
        plan = AttentionPlan.of(texts, (edit.start for edit in edits), keys=self.keys, values=self.values)
        states = [self.hidden[:0]] * len(edits)
        if plan.segments:
            states = self.forward.hidden_states(texts, plan)
        return self.forward.log_probabilities(
            [_predict(self.tokens, self.hidden, *each) for each in zip(edits, states, strict=True)]
        )


@torch.inference_mode()
def read_edited(
    forward: ForwardPass, tokens: Sequence[int], edits: Sequence[Edit], *, pass_tokens: int
) -> tuple[SharedReading, list[FloatArray]]:
    """Return the reading of a text and its log-probabilities after edits, all computed in one pass.

    In each layer the edited continuations attend to keys and values of the text from the same pass. For short
    texts this is faster than two passes.
    """
    ids = torch.tensor(list(tokens), device=forward.device)
    texts = [ids[:-1], *(_continue(ids, edit) for edit in edits)]
    plan = AttentionPlan.of(texts, [0, *(edit.start for edit in edits)], recording=True)
    hidden, *states = forward.hidden_states(texts, plan)
    pairs = [_predict(ids, hidden, *each) for each in zip(edits, states, strict=True)]
    known, *results = forward.log_probabilities([(hidden, ids[1:]), *pairs])
    keys, values = _take_first(len(hidden), plan.keys), _take_first(len(hidden), plan.values)
    return SharedReading(forward, ids, hidden, keys, values, known, pass_tokens), results


def _take_first(count: int, states: dict[int, Tensor]) -> dict[int, Tensor]:
    """Return the keys or values of the first tokens."""
    return {layer: known[:, :, :count] for layer, known in states.items()}


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
