"""A language model that is loaded only when something is asked that cannot be answered from the score cache.

::

    name ─▶ stamp of its files ─▶ score cache ─┬─▶ fingerprint, precision ─▶ stored scores: nothing is loaded
                                               └─▶ unknown ─▶ load ─▶ store them under the stamp

A fingerprint is a hash of all weights and takes as long as loading them; the stamp is a hash of the names,
sizes and modification times of the model's files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from barthes.errors import ModelError
from barthes.files import expand_home
from barthes.hashing import hash_content
from barthes.models import loading
from barthes.models.embedded import DEFAULT_MODEL, EMBEDDED
from barthes.models.language_model import FloatArray, LanguageModel, Reading
from barthes.version import __version__, package_version

if TYPE_CHECKING:
    from barthes.cache import ScoreCache


class ModelIdentity(TypedDict):
    """The properties of a model that decide its results."""

    model: str | None
    fingerprint: str | None
    precision: str | None


class DeferredModel:
    """A language model that is loaded when it is first needed.

    Its name is known at once, its fingerprint and precision if the cache has them; everything else loads it.

    Args:
        name, device, dtype: As for `barthes.load_model`.
        cache: Where fingerprints are stored; None stores nothing.
        load: Loads the model; by default `barthes.load_model`.
    """

    def __init__(
        self,
        name: str = DEFAULT_MODEL,
        *,
        device: str = "auto",
        dtype: str = "auto",
        cache: ScoreCache | None = None,
        load: Callable[[], LanguageModel] | None = None,
    ) -> None:
        self.name = name
        self.device = device
        self.dtype = dtype
        self._cache = cache
        self._load = load
        self._loaded: LanguageModel | None = None
        self._identity: dict[str, Any] = {}  # fingerprint, precision, hardware; empty while unknown

    @property
    def is_loaded(self) -> bool:
        """Whether the model is in memory."""
        return self._loaded is not None

    @property
    def is_known(self) -> bool:
        """Whether fingerprint and precision are known without loading the model."""
        return bool(self._look_up_identity())

    def load(self) -> LanguageModel:
        """Return the model itself.

        Raises:
            ModelError: It does not have the fingerprint or precision that this object reported before.
        """
        if self._loaded is None:
            model = (self._load or self._load_by_name)()
            about = {"fingerprint": model.fingerprint, "precision": model.precision}
            found = about | {"hardware": model.hardware}
            if self._cache is not None and (key := self._cache_key()) is not None:
                self._cache.store(key, found)
            self._check_unchanged(found)
            self._loaded, self._identity = model, found | self._identity  # keys made before stay the same
        return self._loaded

    def _load_by_name(self) -> LanguageModel:
        return loading.load_model(self.name, device=self.device, dtype=self.dtype)

    def release(self) -> None:
        """Free the model's memory; it is loaded again when it is needed."""
        self._loaded = None

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the model, from the cache if possible."""
        return str(self._identify()["fingerprint"])

    @property
    def precision(self) -> str:
        """The precision of matrix products, from the cache if possible."""
        return str(self._identify()["precision"])

    @property
    def hardware(self) -> str:
        """The type of device that the model computes on; empty if that is not known without loading it."""
        return str(self._look_up_identity().get("hardware", ""))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for readers of its scores; none before it is loaded."""
        return () if self._loaded is None else self._loaded.notes

    @cached_property
    def location(self) -> str:
        """The absolute path of a file or folder, otherwise the name."""
        path = None if self.name in EMBEDDED else expand_home(self.name)
        return str(path.resolve()) if path is not None and path.exists() else self.name

    @property
    def context_length(self) -> int | None:
        """The maximum number of tokens in one reading."""
        return self.load().context_length

    @property
    def start_token(self) -> int:
        """The token before the first word of a story."""
        return self.load().start_token

    @property
    def end_token(self) -> int:
        """The token that ends a text."""
        return self.load().end_token

    def encode(self, pieces: Sequence[str]) -> list[list[int]]:
        """Tokenise the pieces of one text."""
        return self.load().encode(pieces)

    def read(self, tokens: Sequence[int]) -> Reading:
        """Read a sequence of at least two tokens."""
        return self.load().read(tokens)

    def states(
        self, tokens: Sequence[int], spans: Sequence[tuple[int, int]], *, layers: Sequence[int]
    ) -> FloatArray:
        """Return the mean hidden state of each span of a text."""
        return self.load().states(tokens, spans, layers=layers)

    def _identify(self) -> dict[str, Any]:
        if not self._look_up_identity():
            self.load()
        return self._identity

    def _look_up_identity(self) -> dict[str, Any]:
        """Return what is known without loading the model; empty if nothing."""
        if not self._identity and self._cache is not None and (key := self._cache_key()) is not None:
            found = self._cache.fetch(key)
            if isinstance(found, dict) and {"fingerprint", "precision"} <= found.keys():
                self._identity = found
        return self._identity

    def _cache_key(self) -> dict[str, Any] | None:
        """Return the cache key of the identity; None for a model without files, such as a counting model."""
        stamp = stamp_model(self.name)
        if stamp is None:
            return None
        device = self.device.partition(":")[0]  # the type of device, not which of several
        return {"model": self.location, "stamp": stamp, "device": device, "dtype": self.dtype}

    def _check_unchanged(self, found: dict[str, Any]) -> None:
        """Raise an error for another model than the one whose cached results may have been used already."""
        known = found | self._identity
        if known["precision"] != found["precision"]:
            problem = (
                f"computes in {found['precision']} here, but in {known['precision']} when it was last used."
            )
            remedy = "Run the command again, or ask for the precision that it had."
            raise ModelError(problem, where=self.name, remedy=remedy)
        if known["fingerprint"] != found["fingerprint"]:
            remedy = "Run the command again; results of the old files will not be used."
            raise ModelError(
                "its files have changed since they were last read.", where=self.name, remedy=remedy
            )


def identify_model(model: LanguageModel | None) -> ModelIdentity:
    """Return the name, fingerprint and precision of a model, without loading it if all three are known.

    >>> identify_model(None)
    {'model': None, 'fingerprint': None, 'precision': None}
    """
    if model is None:
        return {"model": None, "fingerprint": None, "precision": None}
    name = model.location if isinstance(model, DeferredModel) else model.name
    return {"model": name, "fingerprint": model.fingerprint, "precision": model.precision}


def stamp_model(name: str) -> str | None:
    """Return a hash of the names, sizes and modification times of a model's files; None if it has none.

    The versions of Barthes and transformers, which read the files, are part of it.
    """
    if (source := loading.find_source(name)) is not None:
        return source.stamp(name)
    return stamp_files(loading.list_model_files(name))


def stamp_files(files: Iterable[Path]) -> str | None:
    """Return the stamp of a model that is read from these files; None if there are none."""
    states = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return hash_content([__version__, package_version("transformers"), states]) if states else None
