"""A language model that is loaded only when it is asked something that its files do not tell.

A fingerprint is a hash of all weights, and takes as long as loading them. So it is remembered in the score
cache, with the precision that the model computes in, under a stamp of the model's files: their names, sizes
and times of change. While the stamp is the same, so is the fingerprint, and cached scores need no model.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from barthes.errors import ModelError
from barthes.files import expand_home
from barthes.models.embedded import DEFAULT_MODEL, EMBEDDED
from barthes.models.language_model import FloatArray, Given, LanguageModel, Reading, find_notes
from barthes.models.loading import list_model_files
from barthes.version import __version__, package_version

if TYPE_CHECKING:
    from barthes.cache import ScoreCache


class ModelIdentity(TypedDict):
    """What decides the answers of a model."""

    model: str | None
    fingerprint: str | None
    precision: str | None


class DeferredModel:
    """A language model that is loaded when it is first needed.

    Its name is known at once, its fingerprint and precision if they have been remembered; everything else
    loads it.

    Args:
        name, device, dtype: As for `barthes.load_model`.
        cache: Where fingerprints are remembered; None remembers nothing.
        load: Loads the model; by default `barthes.load_model`.
        known: Its fingerprint and precision, if they are known already.
    """

    def __init__(
        self,
        name: str = DEFAULT_MODEL,
        *,
        device: str = "auto",
        dtype: str = "auto",
        cache: ScoreCache | None = None,
        load: Callable[[], LanguageModel] | None = None,
        known: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.device = device
        self.dtype = dtype
        self._cache = cache
        self._load = load or self._load_by_name
        self._loaded: LanguageModel | None = None
        self._identity = dict(known or {})  # fingerprint, precision and hardware; empty while unknown

    @property
    def is_loaded(self) -> bool:
        """Whether it is in memory."""
        return self._loaded is not None

    @property
    def is_known(self) -> bool:
        """Whether its fingerprint and precision are known without loading it."""
        return bool(self._recall())

    def load(self) -> LanguageModel:
        """Return the model itself; refuse one that is not the one whose fingerprint has been given out."""
        if self._loaded is None:
            model = self._load()
            hardware = getattr(model, "hardware", None)
            found = {"fingerprint": model.fingerprint, "precision": model.precision, "hardware": hardware}
            if self._cache is not None and (key := self._key()) is not None:
                self._cache.store(key, found)
            self._check(found)
            self._loaded, self._identity = model, found
        return self._loaded

    def release(self) -> None:
        """Free the model and its memory; it is loaded again when it is needed again."""
        self._loaded = None

    @property
    def fingerprint(self) -> str:
        """The model's fingerprint: as it was remembered for these files, else by loading it."""
        return str(self._identify()["fingerprint"])

    @property
    def precision(self) -> str:
        """The precision of its products: as it was remembered for these files, else by loading it."""
        return str(self._identify()["precision"])

    @property
    def hardware(self) -> str | None:
        """The kind of device that it computes on, as far as is known without loading it."""
        return self._recall().get("hardware")

    @property
    def notes(self) -> tuple[str, ...]:
        """What readers of its scores should know, once it is loaded."""
        return find_notes(self._loaded)

    @cached_property
    def location(self) -> str:
        """Its name, or its absolute path if it is a file or a folder."""
        path = None if self.name in EMBEDDED else expand_home(self.name)
        return str(path.resolve()) if path is not None and path.exists() else self.name

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
        """The token that ends a text."""
        return self.load().end_token

    @property
    def pass_tokens(self) -> int:
        """How many tokens go through the network together; 0 where that is not known."""
        return int(getattr(self.load(), "pass_tokens", 0))

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
        """Return a vector for each text."""
        return self.load().embed(texts)

    def _load_by_name(self) -> LanguageModel:
        from barthes.models.loading import load_model

        return load_model(self.name, device=self.device, dtype=self.dtype)

    def _identify(self) -> dict[str, Any]:
        if not self._recall():
            self.load()
        return self._identity

    def _recall(self) -> dict[str, Any]:
        """Return what is known without loading the model; empty if nothing."""
        if not self._identity and self._cache is not None and (key := self._key()) is not None:
            found = self._cache.fetch(key)
            if isinstance(found, dict) and {"fingerprint", "precision"} <= found.keys():
                self._identity = found
        return self._identity

    def _key(self) -> dict[str, Any] | None:
        """Return what the model is remembered under; None for one without files, such as a counting model."""
        stamp = stamp_model(self.name)
        if stamp is None:
            return None
        device = self.device.partition(":")[0]  # the kind of device, not which of several
        return {"model": self.location, "stamp": stamp, "device": device, "dtype": self.dtype}

    def _check(self, found: dict[str, Any]) -> None:
        """Refuse a model that is not the one whose cached results may already have been used."""
        known = found | self._identity
        if known["precision"] != found["precision"]:
            raise ModelError(
                f"computes in {found['precision']} here, and was known to compute in {known['precision']}.",
                where=self.name,
                remedy=f"Run the same again for {found['precision']}, or ask for the precision"
                f" {known['precision']}.",
            )
        if known["fingerprint"] != found["fingerprint"]:
            raise ModelError(
                "its files have changed since they were last looked at.",
                where=self.name,
                remedy="Run the same again: cached results of the old files will not be used.",
            )


def identify_model(model: LanguageModel | None) -> ModelIdentity:
    """Return the name, fingerprint and precision of a model; it is not loaded if all three are known.

    >>> identify_model(None)
    {'model': None, 'fingerprint': None, 'precision': None}
    """
    if model is None:
        return {"model": None, "fingerprint": None, "precision": None}
    name = model.location if isinstance(model, DeferredModel) else model.name
    return {"model": name, "fingerprint": model.fingerprint, "precision": model.precision}


def stamp_model(name: str) -> str | None:
    """Return what tells the files of a model from others put in their place; None where there are none.

    A hash of their names, sizes and times of change, and of the versions of the programs that read them.
    """
    files: list[Path] = list(list_model_files(name))
    if not files:
        return None
    states = [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    content = [__version__, package_version("transformers"), states]
    return hashlib.sha256(json.dumps(content).encode("utf-8", "surrogatepass")).hexdigest()
