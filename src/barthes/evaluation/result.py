"""The results of an evaluation: one row per method, with the settings to repeat it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from barthes.evaluation.metrics import mean_over_stories
from barthes.evaluation.significance import bootstrap_interval, describe_p, permutation_test, wilcoxon
from barthes.files import write_atomically
from barthes.methods import PRESETS
from barthes.models.language_model import FloatArray
from barthes.version import __version__

Comparison = Mapping[str, float | None]
"""The mean ``difference`` of two methods, its 95 % interval (``low``, ``high``) and the two-sided p of the
paired tests ``wilcoxon`` and ``permutation``; undefined values are None."""


@dataclass(frozen=True)
class Figure:
    """A measure of a method on a corpus.

    Attributes:
        per_story: The value of each story; NaN if undefined.

    >>> ours, theirs = Figure({"wolf": 0.5, "king": 1.0}), Figure({"wolf": 0.25, "king": 0.5})
    >>> ours.value, (ours - theirs).value
    (0.75, 0.375)
    """

    per_story: Mapping[str, float]

    @property
    def value(self) -> float:
        """The unweighted mean over stories; NaN if no story has a value."""
        return mean_over_stories(self.per_story.values())

    @cached_property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % bootstrap interval over stories; None if undefined."""
        low, high = bootstrap_interval(self._values)
        return None if math.isnan(low) else (low, high)

    def __sub__(self, other: Figure) -> Figure:
        """Return the difference story by story; undefined if either is."""
        pairs = zip(self.per_story, self._values, other._values, strict=True)
        return Figure({name: float(ours - theirs) for name, ours, theirs in pairs})

    def compare(self, other: Figure) -> Comparison:
        """Return the mean difference (ours minus theirs) with its interval and the paired tests."""
        difference = self - other
        low, high = difference.interval or (None, None)
        pair = self._values, other._values
        tests = {"wilcoxon": wilcoxon(*pair), "permutation": permutation_test(*pair)}
        found: Comparison = to_plain({"difference": difference.value, "low": low, "high": high, **tests})
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values; undefined values are null."""
        plain: dict[str, Any] = to_plain(
            {"value": self.value, "interval": self.interval, "per_story": self.per_story}
        )
        return plain

    @cached_property
    def _values(self) -> FloatArray:
        return np.array(list(self.per_story.values()), dtype=np.float64)


@dataclass(frozen=True)
class MethodResult:
    """How well one method finds what is salient in a corpus.

    Attributes:
        method: Its name, such as ``sd+tfidf``.
        figures: Every measure by name.
        vs_random: The comparison of MAP with the random baseline; None for that baseline itself.
        p_vs: The same comparison with each requested method; None for that method itself.
        model: The name of the language model, or None.
        fingerprint: The model's fingerprint, if known.
        precision: The model's precision, such as ``float32``, or None.

    Compare other measures with `Figure.compare`.
    """

    method: str
    figures: Mapping[str, Figure]
    vs_random: Comparison | None = None
    p_vs: Mapping[str, Comparison | None] = field(default_factory=dict)
    model: str | None = None
    fingerprint: str | None = None
    precision: str | None = None

    @property
    def map(self) -> float:
        """Mean average precision, in [0, 1]; NaN if no story has a salient sentence."""
        return self.figures["map"].value

    @property
    def interval(self) -> tuple[float, float] | None:
        """The bootstrap interval of `map` over stories; None if undefined."""
        return self.figures["map"].interval

    @property
    def per_story(self) -> Mapping[str, float | None]:
        """The average precision of each story; None if undefined."""
        found: Mapping[str, float | None] = to_plain(self.figures["map"].per_story)
        return found

    @property
    def p_vs_random(self) -> float | None:
        """Wilcoxon's p in `vs_random`."""
        return None if self.vs_random is None else self.vs_random["wilcoxon"]

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON row; undefined values are null."""
        row: dict[str, Any] = to_plain(
            {
                "method": self.method,
                "model": self.model,
                **{name: figure.value for name, figure in self.figures.items()},
                "interval": self.interval,
                "p_vs_random": self.p_vs_random,
                "vs_random": self.vs_random,
                "p_vs": self.p_vs,
                "fingerprint": self.fingerprint,
                "precision": self.precision,
                "per_story": self.per_story,
            }
        )
        return row


@dataclass(frozen=True)
class Evaluation:
    """Methods on a corpus.

    Attributes:
        corpus: The corpus's name.
        labels: The rule of its labels, such as ``paper``.
        rows: One result per method, in the requested order.
        counts: The numbers of stories, sentences (or events) and salient ones.
        settings: Seeds, window, precision and annotation.
        notes: Notes for readers of the figures.
        random: MAP of the random baseline; NaN if unknown.
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
