"""What a benchmark finds: for each corpus one row a method, and which cheap baseline is the best there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from barthes.evaluation.result import Evaluation, Figure, MethodResult
from barthes.files import write_atomically
from barthes.version import __version__

__all__ = ["Bench", "BenchRow", "CorpusBench"]


@dataclass(frozen=True)
class BenchRow:
    """A method on a corpus.

    Attributes:
        result: Its figures; those that the corpus is judged by are in `result.figures`.
        cheap: Whether it is one of the baselines.
        p_vs: The two-sided p of Wilcoxon's and of the permutation test against ``random``, ``tfidf`` and the
            best cheap baseline; None for the method itself. Of the corpus's first measure.
        gain: How much higher its first measure is than that of the best cheap baseline, the mean of the
            differences story by story; None for that baseline itself.
    """

    result: MethodResult
    cheap: bool
    p_vs: Mapping[str, Mapping[str, float | None] | None] = field(default_factory=dict)
    gain: Figure | None = None

    def to_dict(self) -> dict[str, Any]:
        """A row of JSON; what is undefined is null."""
        figures = {name: figure.to_dict() for name, figure in self.result.figures.items()}
        difference = None if self.gain is None else self.gain.to_dict()
        return {
            "method": self.result.method,
            "model": self.result.model,
            "cheap": self.cheap,
            **{name: figure["value"] for name, figure in figures.items()},
            "interval": {name: figure["interval"] for name, figure in figures.items()},
            "p_vs": {other: None if tests is None else dict(tests) for other, tests in self.p_vs.items()},
            "gain": None if difference is None else {key: difference[key] for key in ("value", "interval")},
            "fingerprint": self.result.fingerprint,
            "precision": self.result.precision,
            "per_story": {name: figure["per_story"] for name, figure in figures.items()},
        }


@dataclass(frozen=True)
class CorpusBench:
    """All methods on one corpus.

    Attributes:
        evaluation: What `evaluate` found, with the counts, the settings and the notes.
        measures: The names of the measures that the corpus is judged by; the first decides.
        rows: The cheap baselines, then the methods that were asked for.
        best_cheap: The name of the baseline whose first measure is the highest.
    """

    evaluation: Evaluation
    measures: tuple[str, ...]
    rows: tuple[BenchRow, ...]
    best_cheap: str

    def __getitem__(self, method: str) -> BenchRow:
        """The row of a method, by its name."""
        for row in self.rows:
            if row.result.method == method:
                return row
        raise KeyError(method)

    def to_dict(self) -> dict[str, Any]:
        """As plain dicts and lists."""
        return {
            "corpus": self.evaluation.corpus,
            "labels": self.evaluation.labels,
            "measures": list(self.measures),
            "best_cheap": self.best_cheap,
            "rows": [row.to_dict() for row in self.rows],
            "counts": dict(self.evaluation.counts),
            "annotation": self.evaluation.settings.get("annotation"),
            "notes": list(self.evaluation.notes),
        }


@dataclass(frozen=True)
class Bench:
    """Methods and all cheap baselines on several corpora.

    Attributes:
        corpora: One table a corpus and labelling, in the order in which they were given.
        settings: What was chosen: model, window, seeds.

    Printing it gives a line a corpus and method.
    """

    corpora: tuple[CorpusBench, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __iter__(self) -> Iterator[CorpusBench]:
        return iter(self.corpora)

    def __len__(self) -> int:
        return len(self.corpora)

    def __getitem__(self, place: int) -> CorpusBench:
        return self.corpora[place]

    def __str__(self) -> str:
        return "\n".join(
            f"{table.evaluation.corpus} ({table.evaluation.labels})  {row.result.method}  "
            f"{table.measures[0]} {row.result.figures[table.measures[0]].value:.3f}"
            for table in self.corpora
            for row in table.rows
        )

    def to_dict(self) -> dict[str, Any]:
        """The benchmark as `barthes bench --format json` prints it."""
        return {
            "corpora": [table.to_dict() for table in self.corpora],
            "settings": dict(self.settings),
            "barthes": __version__,
        }

    def save(self, path: str | Path) -> None:
        """Write the JSON, whole or not at all."""
        content = json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)
        write_atomically(Path(path), content + "\n")
