"""Who computes: items of work go in, outcomes come out in any order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from barthes.models.language_model import LanguageModel
from barthes.runs.inputs import Input
from barthes.runs.parts import Part
from barthes.runs.settings import RunSettings

__all__ = ["THREADS", "Engine", "Item", "Load", "Outcome", "Workplace"]

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
"""Where libraries read the number of their threads, when they are loaded."""

Load = Callable[[str], LanguageModel]
"""Loads the language model of a run onto a device."""


@dataclass(frozen=True)
class Item:
    """A piece of work: a text, or a part of one.

    Attributes:
        input: The text.
        text: What it says, where it is a row of a table; files are read where the work is done.
        part: Only these removals; None for the whole text.
        known: Scores of single methods that need not be computed: what `Outcome.content` of parts adds up to.
        data: The file's bytes, if they were sent along because the work may be done on another machine.
    """

    input: Input
    text: str | None = None
    part: Part | None = None
    known: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    data: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Outcome:
    """What became of an item.

    Attributes:
        item: The item.
        kind: ``done`` and ``failed`` are the end of a text; ``part`` is that of a part; ``planned`` says
            that the text is long, and by which parts it is to be done.
        content: The result, the reason, or the scores, as JSON can hold them.
        parts: Of a long text.
    """

    item: Item
    kind: Literal["done", "failed", "part", "planned"]
    content: Mapping[str, Any]
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True)
class Workplace:
    """What a worker needs beside its items; it travels to other processes and machines.

    Attributes:
        settings: How texts are scored.
        load: Loads the model onto a device; it must be importable where the work is done.
        identity: All that scores depend on beside the text and the method, for the cache.
        cache: The database of the cache; None for no cache.
        limit: Bytes that the cache may hold.
    """

    settings: RunSettings
    load: Load
    identity: Mapping[str, Any]
    cache: Path | None = None
    limit: int | None = None


class Engine(Protocol):
    """Workers that keep their model loaded. An engine gives back an outcome for every item, come what may."""

    @property
    def capacity(self) -> int:
        """How many items it can make use of at a time."""
        ...

    @property
    def tokens(self) -> int:
        """Tokens that have gone through models so far."""
        ...

    def submit(self, item: Item) -> None:
        """Take an item; never more of them than `capacity` are under way."""
        ...

    def collect(self, timeout: float) -> Outcome | None:
        """The next outcome, whichever it is; None if there is none within so many seconds."""
        ...

    def close(self) -> None:
        """Stop at once; what is under way is lost."""
        ...
