"""How the texts of a run are scored: everything that decides the scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from barthes.annotation.pipeline import describe_parser
from barthes.errors import BarthesError, ReadingError, UnknownNameError
from barthes.methods import describe_method, parse_formula
from barthes.models.deferred import ModelIdentity
from barthes.models.embedded import DEFAULT_MODEL
from barthes.salience.removal_method import EVENT_METHODS
from barthes.scoring import REVISION
from barthes.version import __version__, package_version

T = TypeVar("T")

_PACKAGES = ("numpy", "spacy", "tokenizers", "torch", "transformers")
_IRRELEVANT = (
    "model",
    "device",
    "dtype",
    "part_tokens",
)  # `describe_run` says what the first three stand for


@dataclass(frozen=True)
class RunSettings:
    """What is asked of each text.

    Attributes:
        methods: One or several, each as for `barthes.methods.parse_method`.
        unit: ``sentence`` or ``event``.
        model: The language model's name.
        window: Tokens that are read at once; None leaves it to the method.
        language: For splitting sentences; None for what each file says.
        sentences: Whether the texts have one sentence per line.
        seed: For the random baseline.
        device: ``auto``, ``cpu``, ``cuda`` …
        dtype: The precision of matrix products.
        threads: Processor threads of each worker. They decide in which order sums are added up, and so their
            last digits: results are the same for any number of workers, but not of threads.
        part_tokens: About how many tokens a part of a long text costs. It changes no result.
    """

    methods: tuple[str, ...] = ("sd",)
    unit: str = "sentence"
    model: str = DEFAULT_MODEL
    window: int | None = None
    language: str | None = None
    sentences: bool = False
    seed: int = 0
    device: str = "auto"
    dtype: str = "auto"
    threads: int = 1
    part_tokens: int = 200_000

    def __post_init__(self) -> None:
        if self.unit not in ("sentence", "event"):
            raise UnknownNameError("unit", self.unit, ["sentence", "event"])
        names = [str(parse_formula(method)) for method in self.methods]
        if not names or len(set(names)) < len(names):
            raise BarthesError("a run needs at least one method, and each of them once.")
        if self.unit == "event" and not set(names) <= set(EVENT_METHODS):
            raise BarthesError(
                f"events are scored by {' or '.join(EVENT_METHODS)}, not by {', '.join(names)}.",
                remedy="Choose one of them, or score sentences.",
            )
        object.__setattr__(self, "methods", tuple(names))

    @property
    def needs_model(self) -> bool:
        """Whether any of the methods asks a language model."""
        return any(describe_method(method).needs_model for method in self.methods)

    @property
    def single_methods(self) -> tuple[str, ...]:
        """The methods that the sums consist of, each once."""
        return tuple(dict.fromkeys(name for method in self.methods for name in parse_formula(method).parts))

    def to_dict(self) -> dict[str, Any]:
        """Return the settings that decide the scores, as a manifest holds them."""
        asked = asdict(self) | {"methods": list(self.methods)}
        return {name: value for name, value in asked.items() if name not in _IRRELEVANT}


def describe_run(settings: RunSettings, model: ModelIdentity, device: str | None) -> dict[str, Any]:
    """Return what else decides the scores: the model, its kind of device (None without one), the parser."""
    parsed = any(describe_method(method).uses_annotation for method in settings.methods)
    return {**model, "device": device, "parser": describe_parser() if parsed else None}


def find_versions() -> dict[str, str]:
    """Return the versions of Barthes and of what it computes with."""
    packages = {name: package_version(name) for name in _PACKAGES}
    return {"barthes": __version__, "revision": str(REVISION)} | packages


@dataclass(frozen=True, slots=True)
class Shard:
    """One of several shares of a run: the texts number `index`, `index` + `count` …

    >>> Shard.parse("2/4")
    Shard(index=2, count=4)
    """

    index: int = 1
    count: int = 1

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read ``i/n``, counted from 1.

        Raises:
            ReadingError: It is something else.
        """
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
