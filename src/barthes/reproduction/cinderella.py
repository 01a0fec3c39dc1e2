"""Appendix C: salience and influence in the toy story."""

from __future__ import annotations

from typing import Any

from barthes.evaluation.result import to_plain
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.report.numerals import MISSING, format_difference, format_number
from barthes.reproduction.document import Section, Table, name_source
from barthes.reproduction.experiment import (
    Computed,
    Experiment,
    ExperimentResult,
    ExperimentTask,
    ReproductionSettings,
    estimate_tokens,
    hash_story,
    make_key,
)
from barthes.reproduction.published import CINDERELLA, CINDERELLA_INFLUENCE
from barthes.salience.method import Progress
from barthes.salience.removal_method import SentenceDeletion
from barthes.scoring import score_narrative


class Cinderella(Experiment):
    """The toy story by sentence deletion."""

    name = "cinderella"
    heading = "Appendix C: Cinderella"

    def plan(self, settings: ReproductionSettings, model: LanguageModel) -> list[ExperimentTask]:
        """Return one task; the influence table follows the formula in both modes."""
        narrative = Narrative.from_sentences([sentence.text for sentence in CINDERELLA], title="Cinderella")
        mode = settings.mode

        def compute(progress: Progress) -> dict[str, Any]:
            profile = score_narrative(narrative, SentenceDeletion(model), progress=progress)
            scores = list(profile.scores) if mode.follows_formula else mode.delete(model, narrative)
            influence = [] if profile.influence is None else to_plain(profile.influence.tolist())
            return {"scores": scores, "influence": influence}

        key = make_key(model, task="cinderella", mode=mode.name, text=hash_story(narrative))
        return [ExperimentTask(key, 5 * estimate_tokens(narrative.text), compute)]

    def collect(self, computed: Computed) -> ExperimentResult:
        """Return σ of each sentence, and the influence: row i, column j is the loss of S_i without S_j."""
        [[task]] = computed.plans.values()
        found = computed.results[task]
        sentences = [
            {"text": paper.text, "salient": paper.salient, "paper": paper.salience, "ours": ours}
            for paper, ours in zip(CINDERELLA, found["scores"], strict=True)
        ]
        influence = {"paper": CINDERELLA_INFLUENCE, "ours": found["influence"]}
        return ExperimentResult(to_plain({"sentences": sentences, "influence": influence}))

    def describe(self, figures: dict[str, Any]) -> Section:
        """Return the salience of the six sentences, then the influence tables, the paper's first."""
        rows = [
            (
                f"S{place}",
                sentence["text"],
                "✓" if sentence["salient"] else MISSING,
                format_number(sentence["paper"]),
                format_number(sentence["ours"]),
                format_difference(sentence["ours"], sentence["paper"]),
            )
            for place, sentence in enumerate(figures["sentences"], start=1)
        ]
        words, numbers = ("", "sentence", "salient"), ("paper", "ours", "difference")
        tables = [Table("Salience of each sentence (SD), nats per token", words, numbers, rows)]
        salient = [bool(sentence["salient"]) for sentence in figures["sentences"]]
        for source, whose in (("paper", "the paper’s"), ("ours", "ours")):
            if matrix := figures["influence"].get(source):
                tables.append(_tabulate_influence(matrix, salient, whose))
        return Section(self.name, self.heading, name_source(figures), blocks=tables)


def _tabulate_influence(matrix: list[list[Any]], salient: list[bool], whose: str) -> Table:
    names = [
        f"S{place + 1}" + (" ✓" if place < len(salient) and salient[place] else "")
        for place in range(len(matrix))
    ]
    rows = [(name, *map(format_number, values)) for name, values in zip(names, matrix, strict=True)]
    return Table(
        f"Influence, {whose}: loss of a sentence without an earlier one, nats per token",
        ("loss of",),
        [f"without {name}" for name in names],
        rows,
        remarks=("✓ marks the sentences with a salient event.",),
    )
