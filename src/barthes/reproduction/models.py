"""The language models of the paper's three settings, as far as they are given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from barthes.models.language_model import LanguageModel
from barthes.reproduction.published import FINE_TUNINGS

__all__ = ["Lineup", "describe_models", "describe_setting", "name_setting"]


@dataclass(frozen=True)
class Lineup:
    """Models by setting. They may be deferred ones: nothing is asked of them here that loads them.

    Attributes:
        given: By setting: None (no fine-tuning), ``domain``, ``transductive``.
    """

    given: Mapping[str | None, LanguageModel] = field(default_factory=dict)

    def __getitem__(self, fine_tuning: str | None) -> LanguageModel | None:
        return self.given.get(fine_tuning)

    def __iter__(self) -> Iterator[tuple[str | None, LanguageModel]]:
        """The settings that have a model, in the paper's order."""
        return ((setting, self.given[setting]) for setting in FINE_TUNINGS if setting in self.given)

    @property
    def first(self) -> LanguageModel | None:
        """The first model given: the one that experiments with a single model ask."""
        return next((model for _, model in self), None)

    @property
    def first_alone(self) -> Lineup:
        """The first model given, in its setting, and no other."""
        return Lineup(dict(list(self)[:1]))


def describe_models(models: Lineup) -> dict[str, Any]:
    """Name, fingerprint, precision and device by setting; null where there is no model."""
    return {name_setting(setting): _describe(models[setting]) for setting in FINE_TUNINGS}


def describe_setting(fine_tuning: str | None) -> str:
    """The setting as a sentence has it.

    >>> describe_setting(None), describe_setting("domain")
    ('no fine-tuning', 'fine-tuning: domain')
    """
    return f"fine-tuning: {fine_tuning}" if fine_tuning else "no fine-tuning"


def name_setting(fine_tuning: str | None) -> str:
    """The setting in words.

    >>> name_setting(None), name_setting("domain")
    ('none', 'domain')
    """
    return fine_tuning or "none"


def _describe(model: LanguageModel | None) -> dict[str, Any] | None:
    if model is None:
        return None
    return {
        "name": model.name,
        "fingerprint": model.fingerprint,
        "dtype": model.precision,
        "device": getattr(model, "hardware", None),  # not every model says, and no figure should depend on it
    }
