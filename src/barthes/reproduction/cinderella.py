"""Appendix C: the toy story, sentence by sentence, and which sentence rests on which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from barthes.evaluation.identity import Identity, hash_story
from barthes.evaluation.model_identity import identify_model
from barthes.evaluation.plain import to_plain
from barthes.evaluation.store import are_scores
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.reproduction.modes import Mode
from barthes.reproduction.published import CINDERELLA, CINDERELLA_INFLUENCE
from barthes.reproduction.work import Ledger, Work, estimate_tokens
from barthes.salience.method import Progress
from barthes.salience.removal_method import SentenceDeletion

__all__ = ["Cinderella", "gather_cinderella", "plan_cinderella"]

Matrix = Sequence[Sequence[float | None]]


@dataclass(frozen=True)
class Cinderella:
    """The toy story by sentence deletion.

    Attributes:
        scores: σ of each sentence, nats per token.
        influence: Row i, column j is what S_i loses when S_j is removed; None where it comes before.
    """

    scores: tuple[float, ...]
    influence: Matrix

    def to_dict(self) -> dict[str, Any]:
        """Both tables, the paper's values beside ours."""
        rows = zip(CINDERELLA, self.scores, strict=True)
        plain: dict[str, Any] = to_plain(
            {
                "sentences": [
                    {"text": paper.text, "salient": paper.salient, "paper": paper.salience, "ours": ours}
                    for paper, ours in rows
                ],
                "influence": {"paper": CINDERELLA_INFLUENCE, "ours": self.influence},
            }
        )
        return plain


def plan_cinderella(model: LanguageModel, mode: Mode) -> list[Work]:
    """One short piece of work."""
    narrative = _tell()
    identity = Identity(
        "Cinderella",
        "cinderella",
        hash_story(narrative),
        "sd",
        kind="toy",
        variant=mode.name,
        **identify_model(model),
    )

    def compute(progress: Progress) -> list[Any]:
        profile = SentenceDeletion(model).score(narrative, progress=progress)
        scores = list(profile.scores) if mode.follows_formula else mode.delete(model, narrative)
        influence = [] if profile.influence is None else profile.influence.tolist()
        return [{"scores": scores, "influence": to_plain(influence)}]

    return [Work((identity,), 5 * estimate_tokens(narrative.text), compute, _are_results)]


def gather_cinderella(works: Sequence[Work], ledger: Ledger) -> Cinderella:
    """The toy story's figures, from the work that has been settled."""
    [work] = works
    found = ledger.value(work.identities[0])
    return Cinderella(tuple(found["scores"]), tuple(map(tuple, found["influence"])))


def _tell() -> Narrative:
    return Narrative.from_sentences([sentence.text for sentence in CINDERELLA], title="Cinderella")


def _are_results(values: Any) -> bool:
    return (
        isinstance(values, dict)
        and are_scores(values.get("scores"), len(CINDERELLA))
        and isinstance(values.get("influence"), list)
        and all(isinstance(row, list) and len(row) == len(CINDERELLA) for row in values["influence"])
    )
