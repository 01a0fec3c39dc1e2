"""The base classes of methods: estimators, baselines and combinations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from barthes.errors import ModelError
from barthes.models.deferred import identify_model
from barthes.models.language_model import require_model
from barthes.narrative import Narrative
from barthes.salience.method_info import MethodInfo
from barthes.salience.profile import Profile
from barthes.version import package_version

if TYPE_CHECKING:
    from barthes.annotation.annotator import Annotator
    from barthes.baselines.frequencies import DocumentFrequencies
    from barthes.baselines.words import Tokenize
    from barthes.models.language_model import LanguageModel
    from barthes.salience.checkpoint import Checkpoint
    from barthes.salience.combination import Combination
    from barthes.salience.measurement import Measurement

Progress = Callable[[int, int], None]
"""Called with (work done, total work); the unit of work is the method's own (tokens, sentences)."""

_PACKAGES = ("numpy", "tokenizers", "torch", "transformers")  # other versions may round differently


def silent(done: int, total: int) -> None:
    """Ignore progress."""


@dataclass(frozen=True)
class MethodOptions:
    """The options of a method that is built by name; see `barthes.methods.parse_method`."""

    model: Callable[[], LanguageModel]
    unit: str = "sentence"
    window: int | None = None
    seed: int = 0
    frequencies: DocumentFrequencies | None = None
    tokenize: Tokenize | None = None
    annotate: Annotator | None = None
    exact_top: int = 0


class Method(ABC):
    """A way to score the sentences of a narrative by salience. It holds models, never texts.

    Methods add up: ``SentenceDeletion(model) + TfIdf()`` is their min-max normalised sum. A subclass defines
    `score` and a `name`; to make it available by name, define its `info` instead and register it as an entry
    point of the group `barthes.methods` (see `barthes.plugins`).
    """

    @property
    def name(self) -> str:
        """The method's name on the command line, such as ``sd`` or ``sd+tfidf``."""
        return self.info.name

    @property
    def info(self) -> MethodInfo:
        """The description of the method; by default made from its name and whether it has a model."""
        if type(self).name is Method.name:
            raise NotImplementedError(f"{type(self).__name__} defines neither a name nor an info")
        return MethodInfo(self.name, needs_model=self.model_name is not None)

    @property
    def model_name(self) -> str | None:
        """The name of its language model, or None."""
        return None

    @classmethod
    def build(cls, options: MethodOptions) -> Method:
        """Create the method with the options that it uses."""
        return cls()

    @abstractmethod
    def score(self, narrative: Narrative, *, progress: Progress = silent) -> Profile:
        """Return the salience profile of a narrative; higher is more salient."""

    def identity(self, narrative: Narrative) -> dict[str, Any] | None:
        """Return everything but the text that decides the scores; None if they are not worth caching."""
        return None

    def to_profile(self, narrative: Narrative, scores: Iterable[float], **fields: Any) -> Profile:
        """Return a profile made by this method; `fields` are further fields of `Profile`."""
        notes = narrative.notes + tuple(fields.pop("notes", ()))
        fields.setdefault("unit", narrative.unit)
        return Profile(narrative, tuple(scores), self.name, info=self.info, notes=notes, **fields)

    def __add__(self, other: Method) -> Combination:
        from barthes.salience.combination import Combination

        return Combination(self, other)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


class ModelMethod(Method):
    """A method that uses a language model. A subclass defines `measure` instead of `score`."""

    def __init__(self, model: LanguageModel) -> None:
        require_model(model)
        self.model = model

    @property
    def model_name(self) -> str:
        """The name of the language model."""
        return self.model.name

    @classmethod
    def build(cls, options: MethodOptions) -> Method:
        """Create the method with the language model."""
        return cls(options.model())

    def identity(self, narrative: Narrative) -> dict[str, Any]:
        """Return the method's name and class, the model's identity and the software that computes.

        A class with its own `__init__` adds its parameters, or its scores are not cached.
        """
        kind = f"{type(self).__module__}.{type(self).__qualname__}"
        model = identify_model(self.model)
        versions = {name: package_version(name) for name in _PACKAGES}
        return {"method": self.name, "class": kind, **model, "versions": versions}

    @abstractmethod
    def measure(self, narrative: Narrative, *, progress: Progress = silent) -> Measurement:
        """Compute the scores with the model: the expensive part of scoring, which can be cached.

        The notes of the measurement include those of the model.
        """

    def resume(
        self, narrative: Narrative, checkpoint: Checkpoint, *, progress: Progress = silent
    ) -> Measurement:
        """Continue an interrupted measurement.

        A method that takes long keeps what is finished in the checkpoint; by default everything is measured.
        """
        return self.measure(narrative, progress=progress)

    def present(self, narrative: Narrative, measurement: Measurement, **fields: Any) -> Profile:
        """Return the profile of a measurement, computed or cached; `fields` as in `to_profile`."""
        fields |= {"window": measurement.window, "notes": measurement.notes, "trust": measurement.trust}
        return self.to_profile(narrative, measurement.scores, **fields)

    def score(self, narrative: Narrative, *, progress: Progress = silent) -> Profile:
        """Return the salience profile of a narrative; higher is more salient."""
        return self.present(narrative, self.measure(narrative, progress=progress))

    def to_profile(self, narrative: Narrative, scores: Iterable[float], **fields: Any) -> Profile:
        """Return a profile made by this method with its model."""
        fields |= {"model": self.model.name, "precision": self.model.precision}
        return super().to_profile(narrative, scores, **fields)


def wrong_model(method: str, model: str, given: str) -> ModelError:
    """Return the error for a model that a method cannot use."""
    return ModelError(
        f"the method {method!r} was trained with {model} and cannot use {given}.",
        remedy=f"Use the model {model}, or another method.",
    )
