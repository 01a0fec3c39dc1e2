"""The settings of a run: everything that decides its scores, and which share of the texts to score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from barthes.annotation.pipeline import describe_parser
from barthes.errors import BarthesError, ReadingError
from barthes.methods import check_method, describe_method, parse_formula
from barthes.models.deferred import ModelIdentity
from barthes.models.embedded import DEFAULT_MODEL
from barthes.scorer import REVISION
from barthes.version import __version__, package_version

T = TypeVar("T")

_PACKAGES = ("numpy", "spacy", "tokenizers", "torch", "transformers")
# Not in manifests: `describe_run` has the model's fingerprint and precision instead.
_IRRELEVANT = ("model", "device", "dtype")


@dataclass(frozen=True)
class RunSettings:
    """How the texts of a run are scored.

    Attributes:
        methods: One or several, each as for `barthes.methods.parse_method`.
        unit: ``event``, or one of `barthes.narrative.SPAN_UNITS`.
        model: The language model's name.
        window: Tokens that the model reads at once; None for the method's default.
        language: For splitting sentences; None for the language of each file.
        encoding: Of text and HTML files; None to find it out.
        sentences: Whether the texts have one sentence per line.
        with_speakers: Whether speakers and stage directions of plays are scored.
        seed: For the random baseline.
        device: ``auto``, ``cpu``, ``cuda`` …
        dtype: The precision of matrix products.
        threads: Processor threads of each worker. They affect rounding: results are the same for any number
            of workers, but not for any number of threads.
    """

    methods: tuple[str, ...] = ("sd",)
    unit: str = "sentence"
    model: str = DEFAULT_MODEL
    window: int | None = None
    language: str | None = None
    encoding: str | None = None
    sentences: bool = False
    with_speakers: bool = False
    seed: int = 0
    device: str = "auto"
    dtype: str = "auto"
    threads: int = 1

    def __post_init__(self) -> None:
        names = [str(parse_formula(method)) for method in self.methods]
        if not names or len(set(names)) < len(names):
            raise BarthesError("a run needs at least one method, and each of them once.")
        for name in names:
            check_method(name, unit=self.unit, model=self.model)
        object.__setattr__(self, "methods", tuple(names))

    @property
    def needs_model(self) -> bool:
        """Whether any of the methods needs a language model."""
        return any(describe_method(method).needs_model for method in self.methods)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings that affect scores, for the manifest."""
        settings = asdict(self) | {"methods": list(self.methods)}
        return {name: value for name, value in settings.items() if name not in _IRRELEVANT}


def describe_run(settings: RunSettings, model: ModelIdentity, device: str | None) -> dict[str, Any]:
    """Return what else affects scores: the model, its kind of device (None without a model), the parser."""
    parsed = settings.unit == "event" or any(
        describe_method(method).uses_annotation for method in settings.methods
    )
    return {**model, "device": device, "parser": describe_parser() if parsed else None}


def find_versions() -> dict[str, str]:
    """Return the versions of Barthes and of the libraries that it computes with."""
    packages = {name: package_version(name) for name in _PACKAGES}
    return {"barthes": __version__, "revision": str(REVISION)} | packages


@dataclass(frozen=True, slots=True)
class Shard:
    """Every `count`-th text of a run, starting with number `index` (from 1).

    >>> Shard.parse("2/4")
    Shard(index=2, count=4)
    """

    index: int = 1
    count: int = 1

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Parse ``i/n``; raise a `ReadingError` if `text` is something else."""
        index, slash, count = text.partition("/")
        if slash and index.isdecimal() and count.isdecimal() and 1 <= int(index) <= int(count):
            return cls(int(index), int(count))
        raise ReadingError(f"invalid shard {text!r}; expected i/n, for example 2/4.")

    @property
    def name(self) -> str:
        """Its name in file names."""
        return f"{self.index}-of-{self.count}"

    def choose(self, inputs: Sequence[T]) -> Sequence[T]:
        """Return the texts of this shard."""
        return inputs[self.index - 1 :: self.count]
