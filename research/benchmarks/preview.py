"""Compare the preview of sentence deletion with the exact scores, and fit its constants.

Usage::

    python benchmarks/preview.py --corpus PROPPLEARNER --losses near.npz              each tale
    python benchmarks/preview.py --corpus PROPPLEARNER --losses near.npz --horizons   other horizons
    python benchmarks/preview.py --corpus PROPPLEARNER --losses near.npz --fit        the constants

The exact scores are stored in results. The losses of the 64 tokens after each sentence are
computed once and kept in the file, from which another call continues. For each tale or horizon this prints
Spearman's correlation with the exact scores, without and with the estimate of what is lost beyond the
horizon, and how many times fewer tokens are read. The estimate for a tale uses constants that were fitted
to the other tales. It also prints the correlation that the preview itself expects, and the share of the
exact top tenth that is in the preview's top fifth. `--fit` prints the constants of
barthes.salience.recurrence, fitted to all tales.
"""

from __future__ import annotations

import argparse
import functools
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import nnls
from scipy.stats import spearmanr

import barthes
from barthes.files import write_atomically
from barthes.models.language_model import Edit, FloatArray, LanguageModel
from barthes.salience.measurement import RemovalLoss
from barthes.salience.preview import HORIZON
from barthes.salience.recurrence import add_up_gains, estimate_loss
from barthes.salience.stability import expect_correlation
from barthes_research.corpora.propplearner import ProppLearner

EXACT = Path(__file__).parents[1] / "results" / "propplearner-smollm2-135m-sd.json"
FARTHEST = 64
HORIZONS = (8, 12, 16, 24, 36, 48, 64)
Constants = tuple[FloatArray, FloatArray]


@dataclass(frozen=True, eq=False)
class Tale:
    """The tokens of a tale, their log-probabilities, the losses after each sentence, and the exact scores."""

    name: str
    tokens: list[list[int]]
    known: FloatArray
    near: FloatArray  # (sentences, tokens after the sentence); NaN beyond the end
    exact: FloatArray

    @property
    def rest(self) -> FloatArray:
        """The number of tokens after each sentence."""
        lengths = np.array([len(ids) for ids in self.tokens])
        return (lengths.sum() - np.cumsum(lengths)).astype(np.float64)

    def count_fewer(self, horizon: int) -> float:
        """Return by what factor fewer tokens are read."""
        length = sum(map(len, self.tokens))
        return float((length + self.rest.sum()) / (length + self.rest.clip(max=horizon).sum()))

    def measure_near(self, horizon: int) -> FloatArray:
        """Return the total loss up to the horizon; for the last sentence that of the end-of-text token."""
        total: FloatArray = np.nansum(self.near[:, :horizon], axis=1)
        return total

    @functools.cache  # noqa: B019 - a tale lives as long as the program
    def add_up(self, horizon: int) -> FloatArray:
        """Return the gains beyond the horizon."""
        ids = [token for sentence in self.tokens for token in sentence]
        edges = np.cumsum([0, *map(len, self.tokens)])
        return add_up_gains(ids, edges.tolist(), self.known, range(len(self.tokens)), horizon)


def read_tale(model: LanguageModel, sentences: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """Return the log-probabilities of a tale and what the next tokens lose without each sentence."""
    tokens = model.encode(sentences)
    reading = model.read([model.start_token, *(i for ids in tokens for i in ids), model.end_token])
    edges = np.cumsum([1, *map(len, tokens)]).tolist()
    last = len(tokens) - 1
    ends = [
        edges[k + 1] + 1 if k == last else min(edges[k + 1] + FARTHEST, edges[-1]) for k in range(last + 1)
    ]
    edits = [Edit(edges[k], edges[k + 1], until=end) for k, end in enumerate(ends)]
    near = np.full((len(tokens), FARTHEST), np.nan)
    for k, (edit, after) in enumerate(zip(edits, reading.rescore(edits), strict=True)):
        known = reading.log_probabilities[edit.stop - 1 : edit.stop - 1 + len(after)]
        near[k, : len(after)] = known - after
    return reading.log_probabilities[:-1], near


def read_tales(corpus: Path, kept: Path) -> list[Tale]:
    """Return the tales, with losses from the file where it has them; new ones are added to it."""
    exact = json.loads(EXACT.read_text(encoding="utf-8"))["tales"]
    narratives = {tale.name: [str(sentence) for sentence in tale.narrative] for tale in ProppLearner(corpus)}
    model = barthes.load_model(dtype="float32")
    known = dict(np.load(kept)) if kept.exists() else {}
    tales = []
    for name, scores in exact.items():
        if f"{name}.near" not in known:
            known[f"{name}.known"], known[f"{name}.near"] = read_tale(model, narratives[name])
            buffer = io.BytesIO()
            np.savez_compressed(buffer, **known)
            write_atomically(kept, buffer.getvalue())
        columns = known[f"{name}.known"], known[f"{name}.near"]
        tales.append(Tale(name, model.encode(narratives[name]), *columns, np.array(scores)))
    return tales


def fit(tales: Sequence[Tale], horizon: int) -> Constants:
    """Return the shares and the noise that fit the exact scores of the tales best."""
    gains, far, rest = [], [], []
    for tale in tales:
        beyond = tale.rest > horizon
        gains.append(tale.add_up(horizon)[beyond])
        far.append((tale.exact * tale.rest - tale.measure_near(horizon))[beyond])
        rest.append((tale.rest - horizon)[beyond])
    x, y, r = np.concatenate(gains), np.concatenate(far), np.concatenate(rest)
    weight = 1 / np.sqrt(50 + r)  # scores are losses per later token
    shares = np.linalg.lstsq(x * weight[:, np.newaxis], y * weight, rcond=None)[0]
    noise, _ = nnls(np.stack([r, np.abs(x @ shares)], axis=1), (y - x @ shares) ** 2)
    return shares, noise


def estimate(tale: Tale, horizon: int, constants: Constants) -> list[RemovalLoss]:
    """Return the preview of a tale."""
    gains, near = tale.add_up(horizon), tale.measure_near(horizon)
    losses = []
    for k, follows in enumerate(tale.rest.astype(int)):
        read, rest = min(horizon, follows), max(0, follows - horizon)
        far, error = estimate_loss(gains[k], rest, shares=constants[0], noise=constants[1])
        total = (near[k] + far) / max(1, follows)
        tokens = np.array([float(read)])
        losses.append(RemovalLoss(k, total, np.zeros(1), tokens, rest, far=far, far_error=error))
    return losses


def find_top(scores: Sequence[float], share: float) -> set[int]:
    """Return the highest scores."""
    count = max(1, round(share * len(scores)))
    return set(np.argsort(scores)[::-1][:count].tolist())


def compare(tale: Tale, tales: Sequence[Tale], horizon: int) -> tuple[float, ...]:
    """Return the correlation without and with an estimate, the expected one, the factor and the top found."""
    losses = estimate(tale, horizon, fit([other for other in tales if other is not tale], horizon))
    scores = [loss.total for loss in losses]
    near = tale.measure_near(horizon) / tale.rest.clip(min=1)
    found = find_top(tale.exact.tolist(), 0.1)
    return (
        float(spearmanr(near, tale.exact).statistic),
        float(spearmanr(scores, tale.exact).statistic),
        expect_correlation(losses),
        tale.count_fewer(horizon),
        len(found & find_top(scores, 0.2)) / len(found),
    )


def format_row(name: str, figures: Sequence[float]) -> str:
    """Return a line of figures."""
    near, whole, expected, fewer, found = figures
    return (
        f"{name:10} Spearman {near:.3f} near only, {whole:.3f} estimated, {expected:.2f} expected, "
        f"{fewer:4.1f} times fewer tokens, top tenth found {found:.0%}"
    )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--losses", type=Path, required=True, help="an .npz file")
    parser.add_argument("--horizons", action="store_true", help="print a line for each horizon")
    parser.add_argument("--fit", action="store_true", help="print the constants")
    arguments = parser.parse_args()
    tales = read_tales(arguments.corpus, arguments.losses)
    if arguments.fit:
        shares, noise = fit(tales, HORIZON)
        print("SHARES =", tuple(shares.round(2).tolist()), " NOISE =", tuple(noise.round(3).tolist()))
        return
    for horizon in HORIZONS if arguments.horizons else (HORIZON,):
        rows = [compare(tale, tales, horizon) for tale in tales]
        if not arguments.horizons:
            for tale, row in zip(tales, rows, strict=True):
                print(format_row(tale.name, row))
        print(format_row(str(horizon) if arguments.horizons else "mean", np.mean(rows, axis=0).tolist()))


if __name__ == "__main__":
    main()
