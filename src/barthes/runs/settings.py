"""How the texts of a run are scored: all that decides the answers, and nothing that does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from barthes.annotation.pipeline import describe_parser
from barthes.errors import BarthesError, UnknownNameError
from barthes.evaluation.identity import REVISION
from barthes.evaluation.model_identity import ModelIdentity
from barthes.methods import needs_model, parse_formula
from barthes.models.embedded import DEFAULT_MODEL
from barthes.salience.removal_method import EVENT_METHODS
from barthes.version import __version__, package_version

__all__ = ["Circumstances", "RunSettings"]

_PACKAGES = ("numpy", "spacy", "tokenizers", "torch", "transformers")
_PARSED = frozenset({"va", "paa"})


@dataclass(frozen=True)
class RunSettings:
    """What is asked of each text.

    Attributes:
        methods: One or several, each as for `barthes.methods.parse_method`.
        unit: ``sentence`` or ``event``.
        model: The language model's name.
        window: Tokens that are read at once; None leaves it to the method.
        language: For splitting sentences; None for what each file says.
        sentences: Whether the texts have one sentence a line.
        seed: For the random baseline.
        device: ``auto``, ``cpu``, ``cuda`` …
        dtype: The precision of matrix products.
        threads: Processor threads of each worker. How many compute a sum decides in which order it is added
            up, and so its last digits: results are the same for any number of workers, not of threads.
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
            raise BarthesError("a run needs at least one method, and each of them once.", where="--method")
        if self.unit == "event" and not set(names) <= set(EVENT_METHODS):
            raise BarthesError(
                f"events are scored by {' or '.join(EVENT_METHODS)}, not by {', '.join(names)}.",
                where="--method",
                remedy="Choose one of them, or score sentences.",
            )
        object.__setattr__(self, "methods", tuple(names))

    @property
    def needs_model(self) -> bool:
        """Whether any of the methods asks a language model."""
        return any(map(needs_model, self.methods))

    @property
    def single_methods(self) -> tuple[str, ...]:
        """The methods without sums, each once."""
        return tuple(dict.fromkeys(name for method in self.methods for name in parse_formula(method).parts))

    def to_dict(self) -> dict[str, Any]:
        """Those that decide the answers, as a manifest holds them."""
        asked = asdict(self) | {"methods": list(self.methods)}
        for name in ("model", "device", "dtype", "part_tokens"):  # what they come to is in the circumstances
            del asked[name]
        return asked


@dataclass(frozen=True)
class Circumstances:
    """What else the answers depend on: the model's weights, the kind of device, the programs' versions.

    Attributes:
        model: Name, fingerprint and precision.
        device: ``cpu``, ``cuda`` or ``mps``; None without a model.
        parser: Of events; None where none is used.
    """

    model: ModelIdentity
    device: str | None
    parser: str | None

    @classmethod
    def find(cls, settings: RunSettings, model: ModelIdentity, device: str | None) -> Circumstances:
        """The circumstances of this machine."""
        parsed = not _PARSED.isdisjoint(settings.single_methods)
        return cls(model, device, describe_parser() if parsed else None)

    def to_dict(self) -> dict[str, Any]:
        """As a manifest holds them."""
        return {**self.model, "device": self.device, "parser": self.parser}

    @staticmethod
    def versions() -> Mapping[str, str]:
        """Of Barthes and of what it computes with."""
        packages = {name: package_version(name) for name in _PACKAGES}
        return {"barthes": __version__, "revision": str(REVISION)} | packages
