"""Table 1, the size of the corpus; section 4.2, perplexity of each model on it; appendix C, the toy story.

Perplexity is exp(-mean log P) over all tokens of all tales; each token counts the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from barthes.evaluation.metrics import rank_correlation
from barthes.evaluation.result import to_plain
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.report.evaluation_tables import MISSING
from barthes.salience.method import Progress
from barthes.salience.removal_method import SentenceDeletion
from barthes.scorer import Scorer
from barthes_research.corpora.propplearner import TABLE_1, describe
from barthes_research.corpora.tale import Tale
from barthes_research.perplexity import measure_likelihood
from barthes_research.reproduction.document import (
    NOT_RUN,
    emphasize,
    mark_up,
    name_fine_tuning,
    name_method,
    name_source,
    name_status,
    tabulate,
)
from barthes_research.reproduction.experiment import (
    Computed,
    Experiment,
    ExperimentResult,
    ExperimentTask,
    Models,
    ReproductionSettings,
    TaskResults,
    estimate_tokens,
    hash_story,
    make_key,
)
from barthes_research.reproduction.modes import Mode
from barthes_research.reproduction.numerals import as_number, format_count, format_difference, format_number
from barthes_research.reproduction.published import (
    CINDERELLA,
    CINDERELLA_INFLUENCE,
    FINE_TUNINGS,
    PERPLEXITY_SPEARMAN,
)


class CorpusStatistics(Experiment):
    """The numbers of stories, sentences, words and functions."""

    name = "table1"
    heading = "Table 1: the corpus"
    needs_model = False

    def choose_models(self, models: Models) -> Models:
        """Return no models."""
        return {}

    def collect(self, computed: Computed) -> ExperimentResult:
        """Return the statistics of the corpus beside the paper's."""
        ours = describe(computed.settings.corpus)
        pairs = zip(TABLE_1.rows(), ours.rows(), strict=True)
        rows = [{"name": name, "paper": paper, "ours": value} for (name, paper), (_, value) in pairs]
        notes: tuple[str, ...] = ()
        if ours.stories != TABLE_1.stories:
            notes = (f"The corpus given has {ours.stories} tales, the paper's {TABLE_1.stories}.",)
        elif ours.words != TABLE_1.words:
            notes = (
                "Words are separated by white space; we found no count that gives the published number.",
            )
        return ExperimentResult({"rows": rows}, notes)

    def describe(self, figures: dict[str, Any]) -> list[str]:
        """Return Table 1, the paper's and ours."""
        rows = [
            (row["name"], format_count(row["paper"]), format_count(row["ours"]), _difference(row))
            for row in figures["rows"]
        ]
        return tabulate("Table 1: statistics of the corpus", ("",), ("paper", "ours", "difference"), rows)


class CorpusPerplexity(Experiment):
    """The perplexity of every model, and Spearman's ρ with MAP over the three fine-tunings."""

    name = "perplexity"
    heading = "Perplexity and its correlation with MAP"
    compares_models = True

    def plan(self, settings: ReproductionSettings, model: LanguageModel) -> list[ExperimentTask]:
        """Return a task for the likelihood of each tale."""
        return [plan_likelihood(model, tale, settings.mode) for tale in settings.corpus]

    def collect(self, computed: Computed) -> ExperimentResult:
        """Return the perplexities, and their correlation with the MAPs of Table 2 if that was run."""
        rows = [
            _measure(each, computed.settings.models.get(each), computed.plans.get(each, ()), computed.results)
            for each in FINE_TUNINGS
        ]
        maps = _find_maps(computed.earlier["table2"].figures) if "table2" in computed.earlier else {}
        correlations = {method: _correlate(method, rows, maps) for method in PERPLEXITY_SPEARMAN}
        pairs = {
            method: {
                "paper": paper,
                "ours": correlations[method],
                "status": _name_status(correlations[method]),
            }
            for method, paper in PERPLEXITY_SPEARMAN.items()
        }
        return ExperimentResult(to_plain({"rows": rows, "spearman": pairs}))

    def describe(self, figures: dict[str, Any]) -> list[str]:
        """Return two tables: the perplexities, and their rank correlation with MAP."""
        models = [
            (
                name_fine_tuning(row["fine_tuning"]),
                row["model"] or emphasize("not given"),
                _measured(row["perplexity"], 2),
                format_count(row["tokens"]),
            )
            for row in figures["rows"]
        ]
        correlations = [
            (
                name_method(method),
                format_number(values["paper"], 1),
                _measured(values["ours"], 1, otherwise=name_status(values)),
            )
            for method, values in figures["spearman"].items()
        ]
        remark = (
            "Spearman’s ρ is computed over the three fine-tunings, so it needs all three models; it is "
            "undefined if all three have the same MAP."
        )
        perplexity = "Perplexity on the corpus, per token of the model"
        spearman = "Spearman’s ρ between MAP and perplexity"
        paragraph = "The paper does not print the perplexities, only their correlation with MAP."
        return [
            mark_up(paragraph),
            *tabulate(perplexity, ("fine-tuning", "model"), ("perplexity (ours)", "tokens"), models),
            *tabulate(spearman, ("method",), ("paper", "ours"), correlations, remark),
        ]


def plan_likelihood(model: LanguageModel, tale: Tale, mode: Mode) -> ExperimentTask:
    """Return a task for the likelihood of a tale in its original order; sentence ordering shares it."""
    narrative = mode.narrate(tale)

    def compute(progress: object) -> dict[str, float]:
        found = measure_likelihood(model, [str(sentence) for sentence in narrative])
        return {"log_probability": found.log_probability, "tokens": found.tokens}

    key = make_key(model, task="likelihood", story=tale.name, text=hash_story(narrative))
    return ExperimentTask(key, estimate_tokens(narrative.text), compute)


def _measure(
    fine_tuning: str | None,
    model: LanguageModel | None,
    tasks: Sequence[ExperimentTask],
    results: TaskResults,
) -> dict[str, Any]:
    """Return a row with the perplexity and the number of tokens; both are None without results."""
    row: dict[str, Any] = {"fine_tuning": fine_tuning, "model": None if model is None else model.name}
    if not tasks:
        return row | dict.fromkeys(("perplexity", "tokens", "per_story"))
    found = {task.key["story"]: results[task] for task in tasks}
    tokens = sum(each["tokens"] for each in found.values())
    total = math.fsum(each["log_probability"] for each in found.values())
    return row | {"perplexity": math.exp(-total / tokens), "tokens": tokens, "per_story": found}


def _find_maps(table: Mapping[str, Any]) -> dict[tuple[str, str | None], float | None]:
    """Return MAP by method and fine-tuning, without TF-IDF."""
    return {(row["method"], row["fine_tuning"]): row["ours"] for row in table["rows"] if not row["tfidf"]}


def _correlate(
    method: str, rows: Sequence[Mapping[str, Any]], maps: Mapping[tuple[str, str | None], float | None]
) -> float | None:
    pairs = [(maps.get((method, row["fine_tuning"])), row["perplexity"]) for row in rows]
    known = [(map_, perplexity) for map_, perplexity in pairs if map_ is not None and perplexity is not None]
    if len(known) < len(FINE_TUNINGS):
        return None
    return rank_correlation([map_ for map_, _ in known], [perplexity for _, perplexity in known])


def _name_status(correlation: float | None) -> str:
    if correlation is None:
        return NOT_RUN
    return "undefined" if math.isnan(correlation) else "run"


def _measured(value: Any, digits: int, *, otherwise: str = NOT_RUN) -> str:
    return emphasize(otherwise) if as_number(value) is None else format_number(value, digits)


def _difference(row: dict[str, Any]) -> str:
    whole = isinstance(row["ours"], int) and isinstance(row["paper"], int)
    return format_difference(row["ours"], row["paper"], 0 if whole else 1)


class Cinderella(Experiment):
    """The toy story by sentence deletion."""

    name = "cinderella"
    heading = "Appendix C: Cinderella"

    def plan(self, settings: ReproductionSettings, model: LanguageModel) -> list[ExperimentTask]:
        """Return one task; the influence table follows the formula in both modes."""
        narrative = Narrative.from_sentences([sentence.text for sentence in CINDERELLA], title="Cinderella")
        mode = settings.mode

        def compute(progress: Progress) -> dict[str, Any]:
            profile = Scorer(SentenceDeletion(model)).score(narrative, progress=progress)
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

    def describe(self, figures: dict[str, Any]) -> list[str]:
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
        blocks = tabulate("Salience of each sentence (SD), nats per token", words, numbers, rows)
        salient = [bool(sentence["salient"]) for sentence in figures["sentences"]]
        for source, whose in (("paper", "the paper’s"), ("ours", "ours")):
            if matrix := figures["influence"].get(source):
                blocks += _tabulate_influence(matrix, salient, whose)
        return [*name_source(figures), *blocks]


def _tabulate_influence(matrix: list[list[Any]], salient: list[bool], whose: str) -> list[str]:
    names = [
        f"S{place + 1}" + (" ✓" if place < len(salient) and salient[place] else "")
        for place in range(len(matrix))
    ]
    rows = [(name, *map(format_number, values)) for name, values in zip(names, matrix, strict=True)]
    return tabulate(
        f"Influence, {whose}: loss of a sentence without an earlier one, nats per token",
        ("loss of",),
        [f"without {name}" for name in names],
        rows,
        "✓ marks the sentences with a salient event.",
    )
