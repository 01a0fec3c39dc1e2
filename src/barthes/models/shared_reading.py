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
from itertools import accumulate, pairwise

import numpy as np
import torch
from torch import Tensor

from barthes.models.attention import AttentionPlan, Segment
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
        keys, values = (
            {layer: known[:, :, :shared] for layer, known in states.items()}
            for states in (self.keys, self.values)
        )
        hidden = self.hidden[:shared]
        if len(rest):
            plan = AttentionPlan((Segment(shared, 0, len(rest)),), keys, values, recording=True)
            positions = torch.arange(shared, len(ids) - 1)
            try:
                hidden = torch.cat([hidden, self.forward.hidden_states(rest, positions, plan)])
            except (RuntimeError, MemoryError) as error:
                raise (too_large(len(ids)) if is_out_of_memory(error) else error) from error
        known = max(0, shared - 1)  # log-probabilities
        scored = self.forward.log_probabilities(hidden[known:], ids[known + 1 :])
        scored = np.concatenate([self.log_probabilities[:known], scored])
        return SharedReading(self.forward, ids, hidden, keys, values, scored, self.pass_tokens)

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

    def _follows(self, edit: Edit) -> slice:
        return edit.follows(len(self.tokens))

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
        hidden = self.hidden[:0]
        if segments:
            positions = torch.cat([torch.arange(s.prefix, s.prefix + s.stop - s.start) for s in segments])
            plan = AttentionPlan(segments, self.keys, self.values)
            hidden = self.forward.hidden_states(torch.cat(inputs), positions, plan)
        rows = [
            self._predictors(edit, hidden[stop - length : stop])
            for edit, stop, length in zip(edits, stops, lengths, strict=True)
        ]
        targets = [self.tokens[self._follows(edit)] for edit in edits]
        scored = self.forward.log_probabilities(torch.cat(rows), torch.cat(targets))
        return np.split(scored, np.cumsum([len(ids) for ids in targets])[:-1])

    def _continuation(self, edit: Edit) -> Tensor:
        replacement = torch.tensor(edit.replacement, dtype=torch.long, device=self.tokens.device)
        scored = self.tokens[self._follows(edit)]
        return torch.cat([replacement, scored[:-1]])  # the last one is only predicted

    def _predictors(self, edit: Edit, hidden: Tensor) -> Tensor:
        """Return the hidden states that the tokens after the edit are predicted from.

        The first one is that of the replacement's last token; after a deletion it is that of the last token
        before the edit, computed when the story was read.
        """
        count = len(self.tokens[self._follows(edit)])
        if edit.replacement:
            return hidden[len(edit.replacement) - 1 :][:count]
        return torch.cat([self.hidden[edit.start - 1 : edit.start], hidden])[:count]


@torch.inference_mode()
def read_edited(
    forward: ForwardPass, tokens: Sequence[int], edits: Sequence[Edit], *, pass_tokens: int
) -> tuple[SharedReading, list[FloatArray]]:
    """Return the reading of a text and its log-probabilities after edits, all computed in one pass.

    In each layer the edited continuations attend to keys and values of the text from the same pass. For short
    texts this is faster than two passes.
    """
    ids = torch.tensor(list(tokens), device=forward.device)
    # The rest of this reading is filled in once the pass is computed.
    reading = SharedReading(forward, ids, torch.empty(0), {}, {}, np.empty(0), pass_tokens)
    inputs = [ids[:-1], *(reading._continuation(edit) for edit in edits)]
    edges = list(accumulate(map(len, inputs), initial=0))
    segments = tuple(
        Segment(prefix, start, stop)
        for prefix, (start, stop) in zip([0, *(edit.start for edit in edits)], pairwise(edges), strict=True)
        if start < stop
    )
    plan = AttentionPlan(segments, recording=True)
    positions = torch.cat([torch.arange(s.prefix, s.prefix + s.stop - s.start) for s in segments])
    hidden = forward.hidden_states(torch.cat(inputs), positions, plan)
    own = slice(0, len(ids) - 1)
    reading.hidden = hidden[own]
    reading.keys, reading.values = (
        {layer: known[:, :, own] for layer, known in states.items()} for states in (plan.keys, plan.values)
    )
    parts = [hidden[start:stop] for start, stop in pairwise(edges)][1:]
    rows = [reading._predictors(edit, part) for edit, part in zip(edits, parts, strict=True)]
    targets = [ids[1:], *(ids[reading._follows(edit)] for edit in edits)]
    scored = forward.log_probabilities(torch.cat([reading.hidden, *rows]), torch.cat(targets))
    reading.log_probabilities, *results = np.split(scored, np.cumsum([len(each) for each in targets])[:-1])
    return reading, results
