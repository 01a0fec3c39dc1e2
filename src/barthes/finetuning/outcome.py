"""What came of a run: where it is, and how well the model knows the texts now and knew them before."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Outcome"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished run.

    Attributes:
        folder: What `barthes.load_model` loads.
        record: All that ``barthes.json`` holds: settings, texts, figures, versions.
        notes: What the reader should know.
        was_finished: Whether the run had been finished before, so that nothing was done.
    """

    folder: Path
    record: dict[str, Any]
    notes: tuple[str, ...] = ()
    was_finished: bool = False

    @property
    def before(self) -> float:
        """Perplexity of the base on the held-out stories; without any, on those trained on."""
        return self._find("before")

    @property
    def after(self) -> float:
        """The same of the fine-tuned model."""
        return self._find("after")

    def _find(self, when: str) -> float:
        figures = self.record["perplexity"]
        return float((figures["held_out"] or figures["train"])[when]["perplexity"])
