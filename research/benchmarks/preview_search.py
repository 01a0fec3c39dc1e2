"""Compare other ways to preview sentence deletion with the one in the product.

Usage::

    python benchmarks/preview_search.py --corpus PROPPLEARNER --losses near.npz

`near.npz` is the file of benchmarks/preview.py. Prints how many times fewer tokens are read and Spearman's
correlation with the exact scores, means over the tales. Horizons are the same for all sentences or in
proportion to 1/√(tokens that follow). The loss beyond them is estimated from runs that recur, or from these
times the highest attention that any head pays to the sentence, with shares fitted to the other tales.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from preview import FARTHEST, Tale, read_tales
from scipy.stats import spearmanr
from transformers import AttentionInterface

import barthes
from barthes.salience.recurrence import find_runs


class Pairs:
    """The pairs of a sentence and a later token whose longest run this sentence alone has."""

    def __init__(self, tale: Tale) -> None:
        self.ids = np.concatenate([np.array(ids) for ids in tale.tokens])
        self.edges = np.cumsum([0, *map(len, tale.tokens)])
        runs = np.concatenate([found for _, found in find_runs(self.ids, self.edges)], axis=1)
        highest = np.sort(runs, axis=0)[-2:]
        margin = runs - np.where(runs == highest[1], highest[0], highest[1])
        is_later = np.arange(len(self.ids)) >= self.edges[1:, np.newaxis]
        self.sentence, self.token = np.nonzero((margin > 0) & is_later)
        run, is_wide = (x[self.sentence, self.token] for x in (runs, margin >= 2))
        kinds = np.stack([run == 1, run == 2, (run == 3) | (run == 4), run >= 5, is_wide], axis=1)
        _, first, place = np.unique(self.ids, return_index=True, return_inverse=True)
        gain = (tale.known - tale.known[first][place]).clip(min=0)
        self.gains = kinds * gain[self.token, np.newaxis]

    def add_up(self, horizon: np.ndarray, weights: np.ndarray) -> np.ndarray:
        far = self.token >= self.edges[self.sentence + 1] + horizon[self.sentence]
        sums = np.zeros((len(horizon), self.gains.shape[1]))
        np.add.at(sums, self.sentence[far], (self.gains * weights[:, np.newaxis])[far])
        return sums

    def find_attention(self, network: Any, start_token: int) -> np.ndarray:
        """Return the highest attention of any head to the sentence, where the token is predicted."""
        highest = torch.zeros(len(self.token))
        starts, stops = self.edges[self.sentence], self.edges[self.sentence + 1]

        def watch(module: Any, query: Any, key: Any, value: Any, mask: Any, scaling: float, **_: Any) -> Any:
            key, value = (x[0].repeat_interleave(query.shape[1] // key.shape[1], 0) for x in (key, value))
            scores = query[0] @ key.transpose(1, 2) * scaling
            weights = (scores + torch.full(scores.shape[1:], -torch.inf).triu(1)).softmax(-1)
            for summed in weights.cumsum(-1):  # token i is at i + 1, after the start-of-text token
                torch.maximum(highest, summed[self.token, stops] - summed[self.token, starts], out=highest)
            return (weights @ value).transpose(0, 1)[None].contiguous(), None

        AttentionInterface.register("watched", watch)
        network.set_attn_implementation("watched")
        with torch.inference_mode():
            network.base_model(input_ids=torch.tensor([[start_token, *self.ids]]), use_cache=False)
        return highest.numpy()


def spread(tale: Tale, budget: float) -> np.ndarray:
    """Return horizons in proportion to 1/√rest, of at most `budget` tokens in all."""
    most, wanted = tale.rest.clip(max=FARTHEST), tale.rest.clip(min=1) ** -0.5
    factors = np.geomspace(1, 1e4, 2000)[:, np.newaxis]
    horizons = np.round(factors * wanted).clip(most.clip(max=8), most)
    return horizons[horizons.sum(axis=1) <= budget][-1]


def estimate(tales: Sequence[Tale], horizons: list[np.ndarray], gains: list[np.ndarray]) -> list[np.ndarray]:
    """Return the scores of each tale, with shares that fit the others best."""
    near, x, y, scores = [], [], [], []
    for tale, horizon, gain in zip(tales, horizons, gains, strict=True):
        is_read = np.arange(FARTHEST) < horizon.clip(min=1)[:, np.newaxis]  # the end of the text is, too
        near.append(np.nansum(np.where(is_read, tale.near, 0), axis=1))
        weight = (tale.rest > horizon) / np.sqrt(50 + (tale.rest - horizon).clip(min=0))
        x.append(gain * weight[:, np.newaxis])
        y.append((tale.exact * tale.rest - near[-1]) * weight)
    for k, tale in enumerate(tales):
        others = (np.concatenate(rows[:k] + rows[k + 1 :]) for rows in (x, y))
        shares = np.linalg.lstsq(*others, rcond=None)[0]
        scores.append((near[k] + gains[k] @ shares) / tale.rest.clip(min=1))
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("--corpus", "--losses"):
        parser.add_argument(name, type=Path, required=True)
    arguments = parser.parse_args()
    tales, model = read_tales(arguments.corpus, arguments.losses), barthes.load_model(dtype="float32")
    pairs = [Pairs(tale) for tale in tales]
    attention = [p.find_attention(model.network, model.start_token) for p in pairs]
    for budget, by_rest, attending in product((14, 20, 36), (False, True), (False, True)):
        same = [tale.rest.clip(max=budget) for tale in tales]
        horizons = [spread(t, h.sum()) if by_rest else h for t, h in zip(tales, same, strict=True)]
        weights = attention if attending else [np.ones(len(p.token)) for p in pairs]
        gains = [p.add_up(h, w) for p, h, w in zip(pairs, horizons, weights, strict=True)]
        scores = estimate(tales, horizons, gains)
        rho = np.mean([spearmanr(s, tale.exact).statistic for s, tale in zip(scores, tales, strict=True)])
        way = f"{'by rest' if by_rest else 'same':7} {'with attention' if attending else 'runs only':14}"
        fewer = np.mean([tale.count_fewer(budget) for tale in tales])
        print(f"{budget} tokens, {way} {fewer:.1f} times fewer, Spearman {rho:.3f}")


if __name__ == "__main__":
    main()
