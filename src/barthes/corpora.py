"""Labelled corpora; reading them needs no language model.

Your own labelled stories (`LabelledFile`) are read by Barthes itself, the published corpora by
``barthes-research``.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from barthes.lab import import_from_lab

_OWN = {
    "Corpus": "corpus",
    "Labelled": "corpus",
    "LabelledFile": "labelled_file",
    "LabelledNarrative": "corpus",
    "open_corpus": "opening",
}
_RESEARCH = (
    "Hippocorpus",
    "ProppLearner",
    "RocStories",
    "RocStoriesSalience",
    "Tale",
    "Telegraphic",
    "Tripod",
)

__all__ = [*_OWN, *_RESEARCH]


def __getattr__(name: str) -> Any:
    if name in _OWN:
        return getattr(import_module(f"barthes.evaluation.{_OWN[name]}"), name)
    if name in _RESEARCH:
        return getattr(import_from_lab("corpora"), name)
    raise AttributeError(f"module 'barthes.corpora' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
