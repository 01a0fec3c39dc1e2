"""What a server offers its clients: how large and how many stories, which methods and which models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from barthes.errors import NarrativeError, UnknownNameError
from barthes.methods import check_method, describe_method, find_methods
from barthes.models.embedded import DEFAULT_MODEL, EMBEDDED, is_fetched
from barthes.narrative import Narrative
from barthes.reading.source import LARGEST

Unit = Literal["sentence", "event", "paragraph", "scene", "chapter"]

_LABELS = {
    "readers": "what readers find important",
    "fast": "fast (without a language model)",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a server; what exceeds them is refused with a message.

    Attributes:
        bytes: Size of a file or a text.
        sentences: Sentences of a story.
        waiting: Stories in the queue.
        seconds: Time to read and score one story.
        upload_seconds: Time for an upload.
    """

    bytes: int = LARGEST
    sentences: int = 5_000
    waiting: int = 20
    seconds: float = 7_200
    upload_seconds: float = 300

    def check_length(self, narrative: Narrative, *, where: str) -> None:
        """Raise NarrativeError if a story has too many sentences."""
        if len(narrative) > self.sentences:
            raise NarrativeError(
                f"it has {len(narrative):,} sentences; this server accepts up to {self.sentences:,}.",
                where=where,
                remedy="Choose a chapter, or ask for a higher limit on the server.",
                option="chapter",
            )

    def explain_size(self) -> str:
        """Return the message for a story that is too large."""
        return f"The story is larger than {self.bytes / 1e6:g} MB. Split it into parts."

    def explain_timeout(self) -> str:
        """Return the message for a story that took too long."""
        return (
            f"Scoring took longer than {self.seconds / 60:,.0f} minutes, the limit of this server. Choose a "
            "chapter or a faster method, or ask for a higher limit on the server."
        )


@dataclass(frozen=True, slots=True)
class MethodView:
    """A method on offer; `label` is its name in words, for menus."""

    name: str
    label: str
    description: str
    needs_model: bool
    units: list[Unit]


@dataclass(frozen=True, slots=True)
class ModelView:
    """A language model on offer; `megabytes` is the size of the download that it needs."""

    name: str
    description: str
    state: Literal["available", "download needed"] = "available"
    megabytes: int | None = None


class Models:
    """The language models that a server offers.

    Args:
        names: Models besides the embedded ones; the first is the default.

    Other models are refused: a name could be any path on this machine, a download, or another server.
    """

    def __init__(self, names: Sequence[str] = ()) -> None:
        self.names: tuple[str, ...] = tuple(dict.fromkeys([*names, DEFAULT_MODEL, *EMBEDDED]))

    @property
    def default(self) -> str:
        """The model used if none is chosen."""
        return self.names[0]

    def choose(self, name: str | None, *, method: str, unit: str) -> str | None:
        """Return the model for a method, or None if it needs none.

        Raises:
            BarthesError: There is no such method, it cannot score the unit or use the model, or the server
                does not offer the model.
        """
        needs_model = describe_method(method).needs_model
        name = name or self.default
        if name not in self.names:
            raise UnknownNameError("model", name, self.names)
        model = name if needs_model else None
        check_method(method, unit=unit, model=model)
        return model

    def is_local(self, name: str) -> bool:
        """Return whether a model can be used without a download; only embedded ones are checked."""
        return name not in EMBEDDED or is_fetched(name)

    def describe(self) -> list[ModelView]:
        """Return all models; the first is the default."""
        return [self._describe(name) for name in self.names]

    def _describe(self, name: str) -> ModelView:
        model = EMBEDDED.get(name)
        text = model.description if model else ""
        if model is None or is_fetched(name):
            return ModelView(name, text)
        return ModelView(name, text, "download needed", round(model.download_size / 1e6))


def describe_methods() -> list[MethodView]:
    """Return all methods; the first is the default."""
    return [_describe_method(name) for name in dict.fromkeys(["sd", *_LABELS, *find_methods(), "sd+tfidf"])]


def _describe_method(name: str) -> MethodView:
    info = describe_method(name)
    return MethodView(
        name=name,
        label=_LABELS.get(name, info.label),
        description=info.summary or info.label,
        needs_model=info.needs_model,
        units=[unit for unit in get_args(Unit) if unit in info.units],
    )
