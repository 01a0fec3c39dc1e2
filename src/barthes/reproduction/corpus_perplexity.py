"""Section 4.2: how well each model knows the corpus, and whether that goes with better rankings.

Perplexity is exp(-mean log P) over all tokens of all tales; each token counts the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from barthes.corpora.propplearner import ProppLearner
from barthes.corpora.tale import Tale
from barthes.evaluation.identity import Identity, hash_story
from barthes.evaluation.model_identity import identify_model
from barthes.evaluation.plain import to_plain
from barthes.evaluation.significance import spearman
from barthes.models.language_model import LanguageModel
from barthes.models.likelihood import measure_likelihood
from barthes.narrative import Narrative
from barthes.reproduction.models import Lineup
from barthes.reproduction.modes import Mode
from barthes.reproduction.published import FINE_TUNINGS, PERPLEXITY_SPEARMAN
from barthes.reproduction.work import Ledger, Plans, Work, estimate_tokens

__all__ = ["CorpusPerplexity", "PerplexityRow", "gather_perplexity", "likelihood_work", "plan_perplexity"]


@dataclass(frozen=True, slots=True)
class PerplexityRow:
    """One model: its perplexity on the corpus, over so many tokens; None where it was not given or failed.

    `per_story` has the log-probability (nats) and the tokens of each tale.
    """

    fine_tuning: str | None
    model: str | None = None
    perplexity: float | None = None
    tokens: int | None = None
    per_story: Mapping[str, Mapping[str, float]] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The row as JSON holds it."""
        return {
            "fine_tuning": self.fine_tuning,
            "model": self.model,
            "perplexity": self.perplexity,
            "tokens": self.tokens,
            "per_story": self.per_story,
        }


@dataclass(frozen=True)
class CorpusPerplexity:
    """The perplexity of every model, and Spearman's ρ with MAP over the three of them.

    Attributes:
        rows: One a setting.
        spearman: By method; None where a model or its MAP is lacking, NaN where all three have the same.
    """

    rows: tuple[PerplexityRow, ...]
    spearman: Mapping[str, float | None] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The rows, and the correlations beside the paper's."""
        pairs = {
            method: {
                "paper": paper,
                "ours": self.spearman.get(method),
                "status": _describe_status(self.spearman.get(method)),
            }
            for method, paper in PERPLEXITY_SPEARMAN.items()
        }
        plain: dict[str, Any] = to_plain({"rows": [row.to_dict() for row in self.rows], "spearman": pairs})
        return plain


def plan_perplexity(model: LanguageModel, corpus: ProppLearner, mode: Mode) -> list[Work]:
    """The likelihood of every tale with one model."""
    return [likelihood_work(model, corpus, tale, mode) for tale in corpus]


def gather_perplexity(
    models: Lineup,
    plans: Plans,
    ledger: Ledger,
    *,
    maps: Mapping[tuple[str, str | None], float] | None = None,
) -> CorpusPerplexity:
    """Perplexity, and its correlation with `maps`: the MAP of each method and setting, where known.

    The plans have been settled; a model that has none is only named.
    """
    rows = tuple(_row(setting, models[setting], plans.get(setting, ()), ledger) for setting in FINE_TUNINGS)
    correlations = {method: _correlate(method, rows, maps or {}) for method in PERPLEXITY_SPEARMAN}
    return CorpusPerplexity(rows, correlations)


def likelihood_work(model: LanguageModel, corpus: ProppLearner, tale: Tale, mode: Mode) -> Work:
    """The likelihood of a tale as it was told; sentence ordering asks for the same."""
    narrative = mode.narrate(tale)
    identity = Identity(
        corpus.name,
        tale.name,
        hash_story(narrative),
        "whole",
        kind="likelihood",
        variant=mode.name,
        **identify_model(model),
    )
    return Work(
        (identity,),
        estimate_tokens(narrative.text),
        lambda progress: [_measure(model, narrative)],
        _is_likelihood,
    )


def _measure(model: LanguageModel, narrative: Narrative) -> dict[str, float]:
    found = measure_likelihood(model, [str(sentence) for sentence in narrative])
    return {"log_probability": found.log_probability, "tokens": found.tokens}


def _row(
    setting: str | None, model: LanguageModel | None, works: Sequence[Work], ledger: Ledger
) -> PerplexityRow:
    if model is None or not works:
        return PerplexityRow(setting, None if model is None else model.name)
    found = {work.identities[0].story: ledger.value(work.identities[0]) for work in works}
    tokens = sum(each["tokens"] for each in found.values())
    total = math.fsum(each["log_probability"] for each in found.values())
    return PerplexityRow(setting, model.name, math.exp(-total / tokens), tokens, found)


def _correlate(
    method: str, rows: Sequence[PerplexityRow], maps: Mapping[tuple[str, str | None], float]
) -> float | None:
    pairs = [(maps.get((method, row.fine_tuning)), row.perplexity) for row in rows]
    known = [(map_, perplexity) for map_, perplexity in pairs if map_ is not None and perplexity is not None]
    if len(known) < len(FINE_TUNINGS):
        return None
    return spearman([map_ for map_, _ in known], [perplexity for _, perplexity in known])


def _describe_status(correlation: float | None) -> str:
    if correlation is None:
        return "not run"
    return "undefined" if math.isnan(correlation) else "run"


def _is_likelihood(values: Any) -> bool:
    if not isinstance(values, dict):
        return False
    total, tokens = values.get("log_probability"), values.get("tokens")
    # type(): True is no number of tokens
    return type(total) is float and math.isfinite(total) and type(tokens) is int and tokens >= 1
