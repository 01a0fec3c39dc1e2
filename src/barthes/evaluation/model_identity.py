"""A language model that need not be loaded for what its files tell: which one it is, and its precision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TypedDict

from barthes.errors import ModelError
from barthes.evaluation.model_memory import (
    KnownModel,
    locate_model,
    recall_model,
    remember_fingerprint,
    stamp_model,
)
from barthes.models.embedded import DEFAULT_MODEL
from barthes.models.language_model import FloatArray, Given, LanguageModel, Reading

__all__ = [
    "DeferredModel",
    "ModelIdentity",
    "identify_model",
    "remember_fingerprint",
    "stamp_model",
]


class DeferredModel:
    """A language model that is loaded when it is first asked something that its files do not tell.

    Its name is known at once, its fingerprint and precision where they have been remembered; all else
    loads it.

    Args:
        name: As for `barthes.load_model`.
        device: As for `barthes.load_model`.
        dtype: As for `barthes.load_model`.
        memory: The folder of a `ScoreStore`, where fingerprints are remembered; None remembers nothing.
        load: Loads the model; by default `barthes.load_model` with the name, device and dtype.
    """

    def __init__(
        self,
        name: str = DEFAULT_MODEL,
        *,
        device: str = "auto",
        dtype: str = "auto",
        memory: Path | None = None,
        load: Callable[[], LanguageModel] | None = None,
    ) -> None:
        self.name = name
        self.device = device
        self.dtype = dtype
        self._memory = memory
        self._load = load or self._load_by_name
        self._loaded: LanguageModel | None = None
        self._hardware: str | None = None

    @property
    def is_loaded(self) -> bool:
        """Whether it is in memory."""
        return self._loaded is not None

    @property
    def is_known(self) -> bool:
        """Whether its fingerprint and precision can be told without loading it."""
        told = {"fingerprint", "precision"} <= vars(self).keys()  # it was loaded before, and let go since
        return told or self.is_loaded or self._known is not None

    def load(self) -> LanguageModel:
        """The model itself.

        Raises:
            ModelError: It cannot be loaded, or it is not the one whose fingerprint has been given out.
        """
        if self._loaded is None:
            model = self._load()
            self._remember(model)
            self._check(model)
            self._loaded = model
            self._hardware = getattr(model, "hardware", None)
        return self._loaded

    def release(self) -> None:
        """Let go of the model, and of the memory it takes; it is loaded again when it is needed again."""
        self._loaded = None

    @cached_property
    def fingerprint(self) -> str:
        """The model's fingerprint: as it was remembered for these files, else by loading it."""
        return self._known.fingerprint if self._known else self.load().fingerprint

    @cached_property
    def precision(self) -> str:
        """The precision of its products: as it was remembered for these files, else by loading it."""
        return self._known.precision if self._known else self.load().precision

    @property
    def hardware(self) -> str | None:
        """The kind of device that it computes on, as far as is known without loading it."""
        return self._hardware or (self._known.hardware if self._known else None)

    @cached_property
    def location(self) -> str:
        """Its name, or where it is if it is a file or a folder: the same from wherever it is looked at."""
        return locate_model(self.name)

    @property
    def context_length(self) -> int | None:
        """How many tokens it can read at once."""
        return self.load().context_length

    @property
    def readers(self) -> int:
        """How many readings at a time make best use of the machine."""
        return self.load().readers

    @property
    def start_token(self) -> int:
        """The token that a story starts after."""
        return self.load().start_token

    @property
    def end_token(self) -> int:
        """The token that says that a text is over."""
        return self.load().end_token

    def encode(self, pieces: Sequence[str]) -> list[list[int]]:
        """Tokenise the pieces of one text."""
        return self.load().encode(pieces)

    def read(self, tokens: Sequence[int]) -> Reading:
        """Read a sequence of at least two tokens."""
        return self.load().read(tokens)

    def read_together(self, texts: Sequence[Given]) -> list[Reading]:
        """Read several texts."""
        return self.load().read_together(texts)

    def embed(self, texts: Sequence[Sequence[int]]) -> FloatArray:
        """A vector for each text."""
        return self.load().embed(texts)

    def _load_by_name(self) -> LanguageModel:
        from barthes.models.loading import load_model

        return load_model(self.name, device=self.device, dtype=self.dtype)

    @cached_property
    def _known(self) -> KnownModel | None:
        """What was remembered before it was loaded; both of its figures come from the same entry."""
        if self._memory is None or self._loaded is not None:
            return None
        return recall_model(self._memory, self.name, device=self.device, dtype=self.dtype)

    def _remember(self, model: LanguageModel) -> None:
        if self._memory is not None:
            remember_fingerprint(
                self._memory,
                self.name,
                model.fingerprint,
                device=self.device,
                dtype=self.dtype,
                precision=model.precision,
                hardware=getattr(model, "hardware", None),
            )

    def _check(self, model: LanguageModel) -> None:
        """Results may have been given out under what was remembered: they must not be mixed with others."""
        given = vars(self)
        known: KnownModel | None = given.get("_known")
        precision = given.get("precision", model.precision) if known is None else known.precision
        if precision != model.precision:
            raise ModelError(
                f"computes in {model.precision} here, and was known to compute in {precision}.",
                where=self.name,
                remedy=f"Run the same again for {model.precision}, or ask for --dtype {precision}.",
            )
        if "fingerprint" in given and self.fingerprint != model.fingerprint:
            raise ModelError(
                "its files have changed since they were last looked at.",
                where=self.name,
                remedy="Run the same again: stored results of the old ones will not be used.",
            )


class ModelIdentity(TypedDict):
    """What an `Identity` says of a model."""

    model: str | None
    fingerprint: str | None
    precision: str | None


def identify_model(model: LanguageModel | None) -> ModelIdentity:
    """The name, fingerprint and precision of a model, for an `Identity`; it is not loaded if all is known.

    >>> identify_model(None)
    {'model': None, 'fingerprint': None, 'precision': None}
    """
    if model is None:
        return {"model": None, "fingerprint": None, "precision": None}
    name = model.location if isinstance(model, DeferredModel) else model.name
    return {"model": name, "fingerprint": model.fingerprint, "precision": model.precision}
