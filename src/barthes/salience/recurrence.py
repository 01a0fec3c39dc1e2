"""Estimate what a story loses beyond the horizon of a preview, from tokens that occur again.

Far from a removed sentence a story loses mostly where it repeats the sentence: a name, a phrase, a formula.
For each later token, every earlier sentence is searched for the longest run of tokens that ends as the text
does::

    sentence k    … found the golden bird asleep …
    later text    … and the golden bird flew …        at “bird” the run is 3 tokens long

If k alone has the longest run, the token is expected to lose a share of its *gain*: how much likelier it is
than at its first occurrence. The share depends on the length of the run and on how much longer it is than
elsewhere. `research/benchmarks/preview.py` computes the shares from exact scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from barthes.models.language_model import FloatArray

LONGEST = 6
"""Longer runs count as this long."""

SHARES = (0.44, 0.44, 0.04, 0.17, 0.76)
"""The share of the gain that is lost for runs of 1, 2, 3 or 4, and at least 5 tokens, and what is added if
the run is at least 2 tokens longer than in any other sentence."""

NOISE = (0.019, 3.2)
"""The variance of an estimate: this many nats² per later token, and per nat of the estimate."""

_BLOCK = 512  # later tokens at once: memory grows with the length of a text, not with its square


def estimate_loss(
    gains: FloatArray, rest: int, *, shares: npt.ArrayLike = SHARES, noise: npt.ArrayLike = NOISE
) -> tuple[float, float]:
    """Return the estimated loss of `rest` tokens and its standard error, nats.

    `gains` are the sums of `add_up_gains` for one sentence.

    >>> estimate_loss(np.array([10.0, 0, 0, 0, 0]), rest=0)
    (0.0, 0.0)
    """
    if rest <= 0:
        return 0.0, 0.0
    total = float(gains @ np.asarray(shares))
    return total, float(np.sqrt(np.dot(noise, (rest, abs(total)))))


def add_up_gains(
    tokens: Sequence[int],
    edges: Sequence[int],
    known: FloatArray,
    targets: Sequence[int],
    horizon: int,
    *,
    stops: Sequence[int] | None = None,
) -> FloatArray:
    """Return for each target the gains of later tokens whose longest run it alone has; nats.

    The shape is (targets, 5): by the length of the run, and all those at least 2 longer than elsewhere.

    Args:
        tokens: The tokens of a text.
        edges: Sentence i has the tokens ``edges[i] : edges[i + 1]``.
        known: log P of each token, nats.
        targets: The sentences.
        horizon: How many tokens after each target are not counted.
        stops: For each target, the token at which counting ends; by default the end of the text.
    """
    ids, bounds, rows = np.asarray(tokens), np.asarray(edges), np.asarray(targets)
    ends = np.full(len(rows), len(ids)) if stops is None else np.asarray(stops)
    _, first, place = np.unique(ids, return_index=True, return_inverse=True)
    gain = (known - known[first][place]).clip(min=0.0)
    sums = np.zeros((len(rows), len(SHARES)))
    for start, runs in find_runs(ids, bounds):
        later = np.arange(start, start + runs.shape[1])
        is_far = (later >= bounds[rows + 1, np.newaxis] + horizon) & (later < ends[:, np.newaxis])
        counted = np.where(is_far, gain[later], 0.0)
        if counted.any():
            sums += _divide_gains(runs, rows, counted)
    return sums


def find_runs(
    ids: npt.NDArray[np.int64], edges: npt.NDArray[np.int64]
) -> Iterator[tuple[int, npt.NDArray[np.int64]]]:
    """Yield blocks of tokens: the index of the first, and the longest runs that end with each of them.

    The lengths have the shape (sentences, tokens of the block).
    """
    positions = np.arange(len(ids))
    for start in range(0, len(ids), _BLOCK):
        first = max(0, start - LONGEST)  # runs reach back into the block before
        later = positions[first : start + _BLOCK]
        same = (ids[:, np.newaxis] == ids[later]) & (positions[:, np.newaxis] < later)
        run, lengths = same, np.zeros((len(edges) - 1, len(later)), dtype=np.int64)
        for _ in range(LONGEST):
            lengths += _occurs(run, edges)
            run = np.pad(run[:-1, :-1], ((1, 0), (1, 0))) & same
        yield start, lengths[:, start - first :]


def _occurs(found: npt.NDArray[np.bool_], edges: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Return for each sentence and column whether anything was found in the rows of the sentence."""
    count = np.zeros((len(found) + 1, found.shape[1]), dtype=np.int32)
    np.cumsum(found, axis=0, dtype=np.int32, out=count[1:])
    return np.diff(count[edges], axis=0) > 0


def _divide_gains(
    runs: npt.NDArray[np.int64], rows: npt.NDArray[np.int64], counted: FloatArray
) -> FloatArray:
    """Return the sums of a block for the sentences in `rows`; `counted` are the gains that count for each."""
    own = runs[rows]
    highest = np.sort(np.pad(runs, ((1, 0), (0, 0))), axis=0)[-2:]  # a text may have one sentence
    margin = own - np.where(own == highest[1], highest[0], highest[1])
    kinds = (own == 1, own == 2, (own == 3) | (own == 4), own >= 5, margin >= 2)
    return np.stack([np.where(kind & (margin > 0), counted, 0.0).sum(axis=1) for kind in kinds], axis=1)
