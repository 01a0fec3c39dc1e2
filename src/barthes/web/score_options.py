"""Methods, models and languages that a server offers, and their description in the HTTP interface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from pydantic import BaseModel, Field

from barthes.annotation.languages import known_languages
from barthes.errors import UnknownNameError
from barthes.methods import describe_method, find_methods
from barthes.models.embedded import DEFAULT_MODEL, EMBEDDED, EmbeddedModel, IncludedAdapter, is_fetched
from barthes.reading.encoding import USUAL_ENCODINGS
from barthes.version import __version__
from barthes.web.downloads import DOWNLOADS
from barthes.web.server import Limits

Unit = Literal["sentence", "event", "paragraph", "scene", "chapter"]

_PRESETS = {
    "best": "Best (what readers find important)",
    "fast": "Fast (without a language model)",
}


class MethodView(BaseModel):
    """A method on offer."""

    name: str
    label: str = Field(description="The name in words, for menus.")
    description: str
    needs_model: bool
    units: list[Unit]


class ModelView(BaseModel):
    """A language model on offer."""

    name: str
    description: str
    state: Literal["available", "download needed"]
    megabytes: int | None = Field(description="Size of the download, if it has to be downloaded.")


class LimitsView(BaseModel):
    """Limits of the server."""

    bytes: int
    sentences: int
    waiting: int
    seconds: float


class Options(BaseModel):
    """Everything that can be chosen; the first of each list is the default."""

    version: str
    methods: list[MethodView]
    models: list[ModelView]
    languages: list[str]
    encodings: list[str] = Field(description="Usual ones; others that Python knows are accepted, too.")
    downloads: dict[str, str] = Field(description="File formats of results: ending and description.")
    limits: LimitsView


class Choices:
    """The models that a server offers.

    Args:
        models: Names of language models besides the embedded ones; the first is the default.

    Other models are refused: a name could be any path on this machine, or a download.
    """

    def __init__(self, models: Sequence[str] = ()) -> None:
        self.models: tuple[str, ...] = tuple(dict.fromkeys([*models, DEFAULT_MODEL, *EMBEDDED]))

    @property
    def default_model(self) -> str:
        """The model used if none is chosen."""
        return self.models[0]

    def choose_model(self, name: str | None, method: str) -> str | None:
        """Return the model for a method, or None if it needs none.

        Raises:
            UnknownNameError: There is no such method, or the server does not offer the model.
        """
        needs_model = describe_method(method).needs_model
        name = name or self.default_model
        if name not in self.models:
            raise UnknownNameError("model", name, self.models)
        return name if needs_model else None

    def is_local(self, model: str) -> bool:
        """Return whether a model can be used without a download; only embedded ones are checked."""
        return is_fetched(model) if model in EMBEDDED else True

    def describe(self, limits: Limits) -> Options:
        """Return everything that can be chosen."""
        methods = dict.fromkeys(["sd", *_PRESETS, *find_methods(), "sd+tfidf"])
        return Options(
            version=__version__,
            methods=[_describe_method(name) for name in methods],
            models=[self._describe_model(name) for name in self.models],
            languages=["en", *sorted(known_languages() - {"en"})],
            encodings=list(USUAL_ENCODINGS),
            downloads={ending: download.description for ending, download in DOWNLOADS.items()},
            limits=LimitsView(
                bytes=limits.size, sentences=limits.sentences, waiting=limits.waiting, seconds=limits.seconds
            ),
        )

    def _describe_model(self, name: str) -> ModelView:
        model = EMBEDDED.get(name)
        fetched = EMBEDDED[model.base] if isinstance(model, IncludedAdapter) else model
        text = model.description if model else ""
        if self.is_local(name) or not isinstance(fetched, EmbeddedModel):
            return ModelView(name=name, description=text, state="available", megabytes=None)
        size = round(fetched.download_size / 1e6)
        return ModelView(name=name, description=text, state="download needed", megabytes=size)


def _describe_method(name: str) -> MethodView:
    info = describe_method(name)
    units = [unit for unit in get_args(Unit) if unit in info.units]
    return MethodView(
        name=name,
        label=_PRESETS.get(name, info.label),
        description=info.summary or info.label,
        needs_model=info.needs_model,
        units=units,
    )
