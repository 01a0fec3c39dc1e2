"""Appendix A.3: does the rest of a five-sentence story become less likely without each of its sentences?

σ > 0 is the right answer for every sentence: such stories have no superfluous ones. The last sentence is
judged by the end-of-text token alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from barthes.annotation.pipeline import describe_parser
from barthes.corpora.rocstories import SENTENCES
from barthes.evaluation.result import to_plain
from barthes.evaluation.significance import bootstrap_share
from barthes.hashing import hash_content
from barthes.models.language_model import LanguageModel
from barthes.models.side_by_side import side_by_side
from barthes.report.numerals import MISSING, as_number, format_count, format_interval, format_share
from barthes.reproduction.document import Section, Table, name_source
from barthes.reproduction.experiment import Computed, Experiment, ExperimentResult, Settings
from barthes.reproduction.published import DELETION
from barthes.reproduction.tasks import Task, estimate_tokens, make_key
from barthes.salience.method import Progress

__all__ = ["BATCH", "DeletionDetection", "count_positive", "summarize_accuracy"]

BATCH = 20
"""Stories whose scores are cached together: about ten seconds' work."""


class DeletionDetection(Experiment):
    """How often σ > 0 in ROCStories."""

    name = "deletion"
    heading = "Appendix A.3: deletion detection"

    def find_missing(self, settings: Settings) -> str | None:
        """Return what it cannot be run without: a model, or the stories."""
        return super().find_missing(settings) or (settings.absent if settings.stories is None else None)

    def needs_parser(self, settings: Settings) -> bool:
        """Return whether there are stories that have yet to be split into sentences."""
        if self.find_missing(settings) is not None or settings.stories is None:
            return False
        return None in settings.stories.spans

    def plan(self, settings: Settings, model: LanguageModel) -> list[Task]:
        """Return a task for each batch of stories. No story is split yet: that would load a parser."""
        stories, mode = settings.stories, settings.mode
        if stories is None:
            raise ValueError(settings.absent)

        def compute(start: int, stop: int, progress: Progress) -> list[list[float]]:
            narratives = stories.split(start, stop)  # not in the jobs: spaCy is not thread-safe
            jobs = [partial(mode.delete, model, narrative) for narrative in narratives]
            scores: list[list[float]] = []
            for found in side_by_side(jobs, at_once=model.readers):
                scores.append(found)
                progress(len(scores), stop - start)
            return scores

        tasks = []
        for start in range(0, len(stories.texts), BATCH):
            texts, spans = stories.texts[start : start + BATCH], stories.spans[start : start + BATCH]
            stop = start + len(texts)
            key = make_key(
                model,
                task="deletion",
                mode=mode.name,
                text=hash_content([texts, spans]),
                parser=describe_parser(),  # it decides where sentences end
                part=[start, stop],
            )
            tokens = sum(estimate_tokens(text) * (SENTENCES + 1) // 2 for text in texts)
            tasks.append(Task(key, tokens, partial(compute, start, stop)))
        return tasks

    def collect(self, computed: Computed) -> ExperimentResult:
        """Count the deletions with σ > 0."""
        [tasks] = computed.plans.values()
        return count_positive([scores for task in tasks for scores in computed.results[task]])

    def describe(self, figures: dict[str, Any]) -> Section:
        """Return the share of deletions with σ > 0, also by position of the deleted sentence."""
        tables = [
            summarize_accuracy(
                figures, "Deletion detection", "deletions", figures["deletions"], over="stories"
            )
        ]
        if figures["by_position"]:
            rows = [
                (str(row["position"]), format_share(row["accuracy"]), format_count(row["count"]))
                for row in figures["by_position"]
            ]
            caption = "Deletion detection by position of the deleted sentence"
            tables.append(Table(caption, ("deleted sentence",), ("accuracy (ours)", "deletions"), rows))
        paragraph = (
            f"σ > 0 for each sentence of {format_count(figures['stories'])} ROCStories; chance is 50 %. "
            "The paper used both whole sets (45,495 and 52,664 stories)."
        )
        return Section(self.name, self.heading, (paragraph, *name_source(figures)), blocks=tables)


def count_positive(scores: Sequence[Sequence[float]]) -> ExperimentResult:
    """Return how often σ > 0 for the sentences of stories, in all and by position.

    Args:
        scores: σ of each sentence of each story, nats per token.
    """
    found = [sum(score > 0 for score in story) for story in scores]
    counts = [len(story) for story in scores]
    by_position = [
        [story[k] > 0 for story in scores if k < len(story)] for k in range(max(counts, default=0))
    ]
    figures = to_plain(
        {
            "stories": len(scores),
            "deletions": sum(counts),
            "correct": sum(found),
            "accuracy": sum(found) / sum(counts) if sum(counts) else None,
            "interval": bootstrap_share(found, counts),
            "paper": DELETION,
            "by_position": [
                {"position": position, "accuracy": sum(right) / len(right), "count": len(right)}
                for position, right in enumerate(by_position, start=1)
            ],
            "scores": scores,
        }
    )
    others = sum(count != SENTENCES for count in counts)
    note = (
        f"Deletion detection: {others} of {len(scores)} stories were not split into {SENTENCES} "
        "sentences; they are counted as they are."
    )
    return ExperimentResult(figures, (note,) if others else ())


def summarize_accuracy(figures: dict[str, Any], name: str, unit: str, count: Any, *, over: str) -> Table:
    """Return a table of an accuracy, with its interval over what was resampled."""
    correct = MISSING if as_number(figures["correct"]) is None else format_count(figures["correct"])
    rows = (
        ("accuracy", format_share(figures["paper"]), format_share(figures["accuracy"])),
        (f"95 % interval over {over}", MISSING, format_interval(figures["interval"], share=True)),
        ("correct", MISSING, correct),
        (unit, MISSING, format_count(count)),
    )
    return Table(f"{name}: accuracy", ("",), ("paper", "ours"), rows)
