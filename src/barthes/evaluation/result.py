"""The results of an evaluation: one row per method, with the settings to repeat it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from barthes.evaluation.significance import describe_p
from barthes.files import write_atomically
from barthes.methods import PRESETS
from barthes.version import __version__


@dataclass(frozen=True)
class Figure:
    """A measure of a method on a corpus.

    Attributes:
        value: The unweighted mean over stories; NaN if no story has a value.
        interval: Its 95 % bootstrap interval over stories; None if undefined.
        per_story: The value of each story; NaN if undefined.
    """

    value: float
    interval: tuple[float, float] | None
    per_story: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values; undefined values are null."""
        plain: dict[str, Any] = to_plain(vars(self))
        return plain


@dataclass(frozen=True)
class MethodResult:
    """How well one method finds what is salient in a corpus. Means are over stories, unweighted.

    Attributes:
        method: Its name, such as ``sd+tfidf``.
        map: Mean average precision, in [0, 1]; NaN if no story has a salient sentence.
        per_story: The average precision of each story; None if undefined.
        model: The name of the language model, or None.
        fingerprint: The model's fingerprint, if known.
        precision: The model's precision, such as ``float32``, or None.
        interval: The bootstrap interval of `map` over stories; None if undefined.
        p_vs_random: Wilcoxon's two-sided p against the random baseline, over stories, for the first
            requested measure (by default average precision); None for that baseline itself.
        vs_random: The same comparison in full, as those in `p_vs`.
        p_vs: The mean difference from each requested method, its 95 % interval, and the p of both tests:
            ``{"tfidf": {"difference": 0.01, "low": -0.02, "high": 0.05, "wilcoxon": 0.2, "permutation":
            0.3}}``; None for that method itself.
        r_precision: Mean R-precision.
        precision_at: Mean precision among the k highest sentences, by k.
        auc: Mean area under the ROC curve.
        spearman: Mean rank correlation with the graded labels.
        seeds_sd: Standard deviation of `map` over seeds; None for methods without random draws.
        agreement: Mean share of salient sentences with a chosen one at most one sentence away.
        figures: The requested measures in full, by name.
    """

    method: str
    map: float
    per_story: Mapping[str, float | None]
    model: str | None = None
    fingerprint: str | None = None
    interval: tuple[float, float] | None = None
    p_vs_random: float | None = None
    r_precision: float = math.nan
    precision_at: Mapping[int, float] = field(default_factory=dict)
    auc: float = math.nan
    spearman: float = math.nan
    seeds_sd: float | None = None
    precision: str | None = None
    p_vs: Mapping[str, Mapping[str, float | None] | None] = field(default_factory=dict)
    vs_random: Mapping[str, float | None] | None = None
    agreement: float = math.nan
    figures: Mapping[str, Figure] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON row; undefined values are null."""
        names = (
            *("method", "model", "map", "interval", "p_vs_random", "vs_random", "p_vs", "r_precision"),
            *(
                "precision_at",
                "auc",
                "spearman",
                "agreement",
                "seeds_sd",
                "fingerprint",
                "precision",
                "per_story",
            ),
        )
        return {name: to_plain(getattr(self, name)) for name in names}


@dataclass(frozen=True)
class Evaluation:
    """Methods on a corpus.

    Attributes:
        corpus: The corpus's name.
        labels: The rule of its labels, such as ``paper``.
        rows: One result per method, in the requested order.
        counts: The numbers of stories, sentences (or events) and salient ones.
        settings: Seeds, policy, window, precision and annotation.
        notes: Notes for readers of the figures.
        random: The first requested measure (by default MAP) of the random baseline; NaN if unknown.
        unit: What is labelled and scored: ``sentence`` or ``event``.

    Printing it gives a table, as `barthes evaluate` does.
    """

    corpus: str
    labels: str
    rows: tuple[MethodResult, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    random: float = math.nan
    unit: str = "sentence"

    def __iter__(self) -> Iterator[MethodResult]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, method: str) -> MethodResult:
        """Return the row of a method by its name or preset."""
        return self.rows[find_method(method, [row.method for row in self.rows])]

    def __str__(self) -> str:
        """Return a line per method: its name, MAP, interval and p against random."""
        head = f"{self.corpus} ({self.labels} labels): MAP [95 % interval], p against random"
        width = max((len(row.method) for row in self.rows), default=0)
        return "\n".join([head, *(f"{row.method:<{width}}  {_describe(row)}" for row in self.rows)])

    def to_dict(self) -> dict[str, Any]:
        """Return it as `barthes evaluate --format json` prints it."""
        return {
            "corpus": self.corpus,
            "labels": self.labels,
            "unit": self.unit,
            "rows": [row.to_dict() for row in self.rows],
            "random": to_plain(self.random),
            "counts": dict(self.counts),
            "settings": dict(self.settings),
            "notes": list(self.notes),
            "barthes": __version__,
        }

    def save(self, path: str | Path) -> None:
        """Write the JSON (atomically)."""
        save_json(self.to_dict(), path)


def find_method(method: str, names: Sequence[str]) -> int:
    """Return the place of a method among the names of rows; a preset has the row of its formula.

    Raises:
        KeyError: It is not there.

    >>> find_method("fast", ["sd", "placed:centroid+similarity"])
    1
    """
    for name in (method, PRESETS.get(method)):
        if name in names:
            return names.index(name)
    raise KeyError(f"no method {method!r}; there are: {', '.join(names)}")


def to_plain(value: Any) -> Any:
    """Return a value as JSON types, with None for NaN and infinity.

    >>> to_plain({"interval": (0.25, float("nan")), "stories": 3})
    {'interval': [0.25, None], 'stories': 3}
    """
    if isinstance(value, Mapping):
        return {str(key): to_plain(inner) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return [to_plain(inner) for inner in value]
    if isinstance(value, float):  # includes NumPy's float64
        return float(value) if math.isfinite(value) else None
    return value


def save_json(content: Mapping[str, Any], path: str | Path) -> None:
    """Write a JSON file (atomically).

    Raises:
        OutputError: The file cannot be written.
    """
    text = json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False)
    write_atomically(Path(path), text + "\n")


def _describe(row: MethodResult) -> str:
    interval = "" if row.interval is None else " [{:.3f}, {:.3f}]".format(*row.interval)
    p = "" if row.p_vs_random is None else f", p = {describe_p(row.p_vs_random)}".replace("= <", "<")
    return f"{row.map:.3f}{interval}{p}"
