"""All that decides a reproduction of the paper."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from barthes.annotation.pipeline import describe_parser
from barthes.corpora.propplearner import ProppLearner
from barthes.corpora.rocstories import RocStories
from barthes.reproduction.models import Lineup
from barthes.reproduction.modes import Mode, PaperMode
from barthes.reproduction.published import ORDERING_PERMUTATIONS, RANDOM_SEEDS

__all__ = ["LIKELIHOOD_WINDOW", "Settings"]

LIKELIHOOD_WINDOW = (
    "the whole text; where it exceeds the model's context, windows of 1024 tokens (or of the context, if "
    "that is smaller), each overlapping with the one before by half"
)
"""What is read at once for perplexity and sentence ordering, in both modes."""


@dataclass(frozen=True)
class Settings:
    """What is run, on what, with what.

    Attributes:
        corpus: ProppLearner.
        models: The language models by setting.
        mode: As the authors' release computes, or as the paper's formula says.
        stories: ROCStories, for deletion detection; None where they are not to be had.
        absent: Why there are no stories.
        only: The experiments to run, some of `EXPERIMENTS`; None for all.
        permutations: Shufflings a tale.
        seeds: How often the random baseline draws.
        seed: For the shufflings.
    """

    corpus: ProppLearner
    models: Lineup = field(default_factory=Lineup)
    mode: Mode = field(default_factory=PaperMode)
    stories: RocStories | None = None
    absent: str = "ROCStories were not given"
    only: tuple[str, ...] | None = None
    permutations: int = ORDERING_PERMUTATIONS
    seeds: int = RANDOM_SEEDS
    seed: int = 0

    def to_dict(self) -> dict[str, Any]:
        """What JSON says about them; the models stand there by themselves."""
        return {
            "corpus": self.corpus.name,
            "labels": self.corpus.labelling,
            "parser": describe_parser(),
            "window": self.mode.window,
            "likelihood_window": LIKELIHOOD_WINDOW,
            "seeds": self.seeds,
            "permutations": self.permutations,
            "permutation_seed": self.seed,
            "stories": None
            if self.stories is None
            else {"read": len(self.stories), "of": self.stories.total},
            "sha256": {
                "corpus": dict(self.corpus.sha256),
                "stories": None if self.stories is None else self.stories.sha256,
            },
            "intervals": "95 %, by 10,000 bootstrap resamples (seed 0) of tales; of stories for deletion",
        }
