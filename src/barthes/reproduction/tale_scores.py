"""The scores of every tale that Table 2 is made from: baselines, methods with a model, and their sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from barthes.baselines import DocumentFrequencies, Position, Random, TfIdf
from barthes.corpora.propplearner import ProppLearner
from barthes.evaluation.stored_method import Outcome
from barthes.reproduction.models import Lineup, name_setting
from barthes.reproduction.published import PROPOSED, PublishedRow
from barthes.reproduction.work import Ledger, Plans, Work
from barthes.salience.combination import add_scaled
from barthes.salience.method import Method

__all__ = ["Run", "TaleScores"]

Run = Mapping[str, Sequence[float]]
"""The scores of each tale, by its name."""


@dataclass(frozen=True)
class TaleScores:
    """Scores by method.

    Attributes:
        baselines: The runs of each baseline: one, or one a seed.
        proposed: The run of each proposed method and setting whose work has been settled.
        notes: How scores came about, where a reader should know.
    """

    baselines: Mapping[str, Sequence[Run]]
    proposed: Mapping[tuple[str, str | None], Run]
    notes: tuple[str, ...] = ()

    @classmethod
    def gather(
        cls, models: Lineup, corpus: ProppLearner, plans: Plans, ledger: Ledger, *, seeds: int
    ) -> TaleScores:
        """Compute the baselines, and take what the ledger knows of the rest."""
        proposed: dict[tuple[str, str | None], Run] = {}
        notes: dict[str, None] = {}  # a set that keeps its order
        for setting, model in models:
            if setting not in plans:
                continue
            for method, outcomes in _find_outcomes(plans[setting], ledger).items():
                proposed[method, setting] = {name: outcome.scores for name, outcome in outcomes.items()}
                notes |= dict.fromkeys(_name_notes(outcomes, model.name))
        return cls(_score_baselines(corpus, seeds=seeds), proposed, tuple(notes))

    def find(self, row: PublishedRow) -> Run | None:
        """The scores that a row of Table 2 is measured on; None where its model was not given."""
        if not row.is_proposed:
            return self.baselines[row.method][0]
        run = self.proposed.get((row.method, row.fine_tuning))
        if run is None:
            return None
        if not row.tfidf:
            return run
        tfidf = self.baselines["tfidf"][0]
        return {name: add_scaled([run[name], tfidf[name]]).tolist() for name in run}

    def describe(self, corpus: ProppLearner) -> dict[str, dict[str, Any]]:
        """By tale: labels, the scores of the proposed methods, and those of TF-IDF.

        The methods of the first setting that was run stand beside the labels, those of other settings under
        the setting's name.
        """
        first, *others = dict.fromkeys(setting for _, setting in self.proposed) or [None]
        return {
            tale.name: {"labels": list(tale.labels)}
            | self._list(tale.name, first)
            | {name_setting(setting): self._list(tale.name, setting) for setting in others}
            | {"tfidf": list(self.baselines["tfidf"][0][tale.name])}
            for tale in corpus
        }

    def _list(self, tale: str, setting: str | None) -> dict[str, list[float]]:
        """The scores of a tale by the proposed methods in one setting."""
        known = [(method, self.proposed.get((method, setting))) for method in PROPOSED]
        return {method: list(run[tale]) for method, run in known if run is not None}


def _find_outcomes(works: Sequence[Work], ledger: Ledger) -> dict[str, dict[str, Outcome]]:
    """By method and tale, what settled work has given."""
    outcomes: dict[str, dict[str, Outcome]] = {method: {} for method in PROPOSED}
    for identity in (identity for work in works for identity in work.identities):
        outcomes[identity.method][identity.story] = Outcome.from_dict(ledger.value(identity))
    return outcomes


def _name_notes(outcomes: Mapping[str, Outcome], model: str) -> list[str]:
    """Each note once, with the tales that it is about."""
    notes = dict.fromkeys(note for outcome in outcomes.values() for note in outcome.notes)
    about = {note: [name for name, outcome in outcomes.items() if note in outcome.notes] for note in notes}
    return [f"{', '.join(names)} with {model}: {note}" for note, names in about.items()]


def _score_baselines(corpus: ProppLearner, *, seeds: int) -> dict[str, list[Run]]:
    """On the source and its tokens in both modes: the figures are those of `barthes evaluate`."""
    narratives = [tale.narrative for tale in corpus]
    frequencies = DocumentFrequencies.from_narratives(narratives, tokenize=corpus.tokenize)

    def run(method: Method) -> Run:
        return {tale.name: method.score(tale.narrative).scores for tale in corpus}

    return {
        "random": [run(Random(seed=seed)) for seed in range(seeds)],
        "position": [run(Position())],
        "position-desc": [run(Position(descending=True))],
        "tfidf": [run(TfIdf(frequencies, tokenize=corpus.tokenize))],
    }
