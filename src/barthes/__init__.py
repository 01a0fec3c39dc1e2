"""Barthes: find the sentences and events that a story cannot do without.

::

    import barthes

    story = barthes.read("tale.txt")
    profile = barthes.score(story)
    for event in profile.top(5):
        print(f"{event.salience:+.3f}  {event.sentence}")

A score by sentence deletion says how much less likely, on average, each later token becomes without the
sentence, in nats per token. Higher is more salient.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from barthes import lab
from barthes.version import __version__

if TYPE_CHECKING:
    from barthes.annotation.annotator import annotate
    from barthes.baselines.frequencies import DocumentFrequencies
    from barthes.baselines.surface_cues import Length, Position, Random
    from barthes.baselines.word_methods import Centroid, Similarity, TfIdf, Words
    from barthes.cutting.cut import cut
    from barthes.errors import BarthesError
    from barthes.evaluation.evaluate import evaluate
    from barthes.models.counting import CountingModel
    from barthes.models.language_model import LanguageModel
    from barthes.models.loading import load_model
    from barthes.narrative import Narrative, Sentence
    from barthes.reading import read, read_chapters, read_text
    from barthes.runs.corpus_run import score_many
    from barthes.runs.results import load_run
    from barthes.salience.combination import Combination, RankSum
    from barthes.salience.method import Method
    from barthes.salience.method_info import MethodInfo
    from barthes.salience.profile import EventProfile, Profile
    from barthes.salience.removal_method import (
        EventSalience,
        PredicateArgumentAnonymization,
        SentenceDeletion,
        VerbAnonymization,
    )
    from barthes.salience.stability import Stability
    from barthes.scorer import Scorer, score

    bench: Any
    finetune: Any
    measure_perplexity: Any

# Imported on first use, so that `import barthes` is fast and does not load torch.
_MODULES = {
    "annotation.annotator": "annotate",
    "baselines.frequencies": "DocumentFrequencies",
    "baselines.surface_cues": "Length Position Random",
    "baselines.word_methods": "Centroid Similarity TfIdf Words",
    "cutting.cut": "cut",
    "errors": "BarthesError",
    "evaluation.evaluate": "evaluate",
    "models.counting": "CountingModel",
    "models.language_model": "LanguageModel",
    "models.loading": "load_model",
    "narrative": "Narrative Sentence",
    "reading": "read read_chapters read_text",
    "runs.corpus_run": "score_many",
    "runs.results": "load_run",
    "salience.combination": "Combination RankSum",
    "salience.method": "Method",
    "salience.method_info": "MethodInfo",
    "salience.profile": "EventProfile Profile",
    "salience.removal_method": (
        "EventSalience PredicateArgumentAnonymization SentenceDeletion VerbAnonymization"
    ),
    "salience.stability": "Stability",
    "scorer": "Scorer score",
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = [
    "BarthesError",
    "Centroid",
    "Combination",
    "CountingModel",
    "DocumentFrequencies",
    "EventProfile",
    "EventSalience",
    "LanguageModel",
    "Length",
    "Method",
    "MethodInfo",
    "Narrative",
    "Position",
    "PredicateArgumentAnonymization",
    "Profile",
    "Random",
    "RankSum",
    "Scorer",
    "Sentence",
    "SentenceDeletion",
    "Similarity",
    "Stability",
    "TfIdf",
    "VerbAnonymization",
    "Words",
    "__version__",
    "annotate",
    "bench",
    "cut",
    "evaluate",
    "finetune",
    "load_model",
    "load_run",
    "measure_perplexity",
    "read",
    "read_chapters",
    "read_text",
    "score",
    "score_many",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"barthes.{_HOMES[name]}"), name)
    if name == "corpora":
        return import_module("barthes.corpora")
    if name in lab.HOMES:
        return lab.import_from_lab(name)
    raise AttributeError(f"module 'barthes' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
