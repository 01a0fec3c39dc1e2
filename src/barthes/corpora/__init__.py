"""Corpora of labelled narratives; reading them needs no language model."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from barthes.corpora.corpus import Corpus, Labelled, LabelledNarrative
    from barthes.corpora.hippocorpus import Hippocorpus
    from barthes.corpora.labelled_file import LabelledFile
    from barthes.corpora.opening import CORPUS_NAMES, open_corpus
    from barthes.corpora.propplearner import ProppLearner
    from barthes.corpora.rocstories import RocStories
    from barthes.corpora.rocstories_salience import RocStoriesSalience
    from barthes.corpora.tale import Tale
    from barthes.corpora.telegraphic import Telegraphic
    from barthes.corpora.tripod import Tripod

# Imported on first use: the command line needs the names of the corpora but not all their readers.
_MODULES = {
    "CORPUS_NAMES": "opening",
    "Corpus": "corpus",
    "Hippocorpus": "hippocorpus",
    "Labelled": "corpus",
    "LabelledFile": "labelled_file",
    "LabelledNarrative": "corpus",
    "ProppLearner": "propplearner",
    "RocStories": "rocstories",
    "RocStoriesSalience": "rocstories_salience",
    "Tale": "tale",
    "Telegraphic": "telegraphic",
    "Tripod": "tripod",
    "open_corpus": "opening",
}

__all__ = [
    "CORPUS_NAMES",
    "Corpus",
    "Hippocorpus",
    "Labelled",
    "LabelledFile",
    "LabelledNarrative",
    "ProppLearner",
    "RocStories",
    "RocStoriesSalience",
    "Tale",
    "Telegraphic",
    "Tripod",
    "open_corpus",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(f"barthes.corpora.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'barthes.corpora' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
