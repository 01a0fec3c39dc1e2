"""Slow implementations of metrics and tests from their definitions, in plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from statistics import fmean


def average_precision(labels: Sequence[bool], scores: Sequence[float]) -> float:
    """Σ (R_n − R_n−1) P_n, one threshold a distinct score, in exact fractions."""
    total, found = Fraction(0), 0
    for threshold in sorted(set(scores), reverse=True):
        kept = [label for label, score in zip(labels, scores, strict=True) if score >= threshold]
        total += Fraction(sum(kept) - found, sum(labels)) * Fraction(sum(kept), len(kept))
        found = sum(kept)
    return float(total)


def precision_at(labels: Sequence[bool], scores: Sequence[float], k: int) -> float:
    """The mean over all orders of all sentences that keep higher scores before lower ones."""
    sentences = range(len(scores))
    orders = [o for o in permutations(sentences) if all(scores[a] >= scores[b] for a, b in pairwise(o))]
    return float(sum(Fraction(sum(labels[n] for n in o[:k]), k) for o in orders) / len(orders))


def area_under_curve(labels: Sequence[bool], scores: Sequence[float]) -> float:
    """The share of (positive, negative) pairs in the right order."""
    ups = [score for label, score in zip(labels, scores, strict=True) if label]
    downs = [score for label, score in zip(labels, scores, strict=True) if not label]
    won = sum(Fraction((up > down) * 2 + (up == down), 2) for up in ups for down in downs)
    return float(won / (len(ups) * len(downs)))


def mean_ranks(values: Sequence[float]) -> list[float]:
    """1 for the lowest; the tied have the mean of their ranks."""
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2
        for value in values
    ]


def spearman(xs: Sequence[float], ys: Sequence[float]) -> float:
    """Pearson's correlation of the ranks."""
    a, b = mean_ranks(xs), mean_ranks(ys)
    middle = (len(a) + 1) / 2
    covariance = sum((p - middle) * (q - middle) for p, q in zip(a, b, strict=True))
    variances = sum((p - middle) ** 2 for p in a) * sum((q - middle) ** 2 for q in b)
    return float(covariance / variances**0.5)


def sign_flips(magnitudes: Sequence[float], signs: Sequence[int], *, tolerance: float = 1e-9) -> float:
    """The share of all 2^n patterns of signs with a sum as extreme as that of the given one."""
    seen = sum(m * s for m, s in zip(magnitudes, signs, strict=True))
    totals = [
        sum(m * s for m, s in zip(magnitudes, pattern, strict=True))
        for pattern in product((-1, 1), repeat=len(magnitudes))
    ]
    return sum(abs(total) >= abs(seen) - tolerance for total in totals) / len(totals)


def wilcoxon(differences: Sequence[float]) -> float:
    """The signed-rank test by enumeration; pairs without a difference are left out."""
    kept = [d for d in differences if d]
    return sign_flips(mean_ranks([abs(d) for d in kept]), [1 if d > 0 else -1 for d in kept])


def permutation_test(differences: Sequence[float]) -> float:
    """The sign-flip test of the mean by enumeration."""
    return sign_flips([abs(d) for d in differences], [-1 if d < 0 else 1 for d in differences])


def bootstrap_means(values: Sequence[float]) -> list[float]:
    """The means of all n^n samples with replacement, sorted."""
    return sorted(fmean(sample) for sample in product(values, repeat=len(values)))


def agreement_within(labels: Sequence[bool], scores: Sequence[float], distance: int) -> float:
    """The mean over all choices of R sentences that leave none with a higher score out."""
    sentences = range(len(scores))
    salient = [n for n in sentences if labels[n]]
    choices = [
        chosen
        for chosen in combinations(sentences, len(salient))
        if all(scores[n] >= scores[m] for n in chosen for m in sentences if m not in chosen)
    ]
    found = [
        Fraction(sum(any(abs(n - m) <= distance for m in chosen) for n in salient), len(salient))
        for chosen in choices
    ]
    return float(sum(found) / len(found))
