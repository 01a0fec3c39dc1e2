"""Table 1: the size of the corpus."""

from __future__ import annotations

from typing import Any

from barthes.corpora.propplearner import TABLE_1, describe
from barthes.models.language_model import LanguageModel
from barthes.report.numerals import format_count, format_difference
from barthes.reproduction.document import Section, Table
from barthes.reproduction.experiment import Computed, Experiment, ExperimentResult, Models, Settings
from barthes.reproduction.tasks import Task

__all__ = ["CorpusStatistics"]


class CorpusStatistics(Experiment):
    """The numbers of stories, sentences, words and functions."""

    name = "table1"
    heading = "Table 1: the corpus"
    needs_model = False

    def choose_models(self, models: Models) -> Models:
        """Return no models."""
        return {}

    def plan(self, settings: Settings, model: LanguageModel) -> list[Task]:
        """Return no tasks."""
        return []

    def collect(self, computed: Computed) -> ExperimentResult:
        """Count the corpus."""
        ours = describe(computed.settings.corpus)
        pairs = zip(TABLE_1.rows(), ours.rows(), strict=True)
        rows = [{"name": name, "paper": paper, "ours": value} for (name, paper), (_, value) in pairs]
        notes: tuple[str, ...] = ()
        if ours.stories != TABLE_1.stories:
            notes = (f"The corpus given has {ours.stories} tales, the paper's {TABLE_1.stories}.",)
        elif ours.words != TABLE_1.words:
            notes = ("Words are what white space separates: no count that we know gives the published one.",)
        return ExperimentResult({"rows": rows}, notes)

    def describe(self, figures: dict[str, Any]) -> Section:
        """Return the corpus as the paper counts it and as we read it."""
        rows = [
            (row["name"], format_count(row["paper"]), format_count(row["ours"]), _difference(row))
            for row in figures["rows"]
        ]
        table = Table("Table 1: statistics of the corpus", ("",), ("paper", "ours", "difference"), rows)
        return Section(self.name, self.heading, blocks=(table,))


def _difference(row: dict[str, Any]) -> str:
    whole = isinstance(row["ours"], int) and isinstance(row["paper"], int)
    return format_difference(row["ours"], row["paper"], 0 if whole else 1)
