"""What there is to choose from: methods, models, languages."""

from __future__ import annotations

from collections.abc import Sequence

from barthes.annotation.languages import known_languages
from barthes.errors import UnknownNameError
from barthes.methods import METHOD_NAMES, check_method, needs_model
from barthes.models.embedded import DEFAULT_MODEL, EMBEDDED, EmbeddedModel, IncludedAdapter, is_fetched
from barthes.salience.removal_method import EVENT_METHODS
from barthes.version import __version__
from barthes.web.downloads import DOWNLOADS
from barthes.web.limits import Limits
from barthes.web.schemas import LimitsView, MethodView, ModelView, Options, Unit

__all__ = ["Choices"]

_COMBINED = {
    "best": "words, place and what the model takes the story to be about, added up",
    "fast": "words and place, added up: no language model",
    "sd+tfidf": "sentence deletion and TF-IDF, each brought to 0 … 1, added up",
}
_HIDDEN = ("position-asc",)  # another name for position


class Choices:
    """What a server offers.

    Args:
        models: Names of language models besides the embedded ones; the first is the default.

    No other model can be asked for: a name could be any path on this machine, or a download.
    """

    def __init__(self, models: Sequence[str] = ()) -> None:
        self.models = tuple(dict.fromkeys([*models, DEFAULT_MODEL, *EMBEDDED]))

    @property
    def default_model(self) -> str:
        """The model of those who do not choose."""
        return self.models[0]

    def choose_model(self, name: str | None, method: str) -> str | None:
        """The model for a method, or None where it needs none.

        Raises:
            UnknownNameError: There is no such method, or no such model here.
        """
        check_method(method)
        name = name or self.default_model
        if name not in self.models:
            raise UnknownNameError("model", name, self.models)
        return name if needs_model(method) else None

    def is_here(self, model: str) -> bool:
        """Whether a model can be used without a download, as far as that can be told quickly."""
        return is_fetched(model) if model in EMBEDDED else True

    def describe(self, limits: Limits) -> Options:
        """All of it, for the page."""
        names = {name: text for name, text in METHOD_NAMES.items() if name not in _HIDDEN}
        return Options(
            version=__version__,
            methods=[_describe_method(name, text) for name, text in (names | _COMBINED).items()],
            models=[self._describe_model(name) for name in self.models],
            languages=["en", *sorted(known_languages() - {"en"})],
            downloads={ending: download.description for ending, download in DOWNLOADS.items()},
            limits=LimitsView(
                bytes=limits.size,
                sentences=limits.sentences,
                waiting=limits.waiting,
                seconds=limits.seconds,
            ),
        )

    def _describe_model(self, name: str) -> ModelView:
        model = EMBEDDED.get(name)
        here = self.is_here(name)
        fetched = EMBEDDED[model.base] if isinstance(model, IncludedAdapter) else model
        size = None if here or not isinstance(fetched, EmbeddedModel) else round(fetched.download_size / 1e6)
        text = model.description if model else ""
        return ModelView(
            name=name, description=text, state="here" if here else "to be fetched", megabytes=size
        )


def _describe_method(name: str, text: str) -> MethodView:
    units: list[Unit] = ["sentence", "event"] if name in EVENT_METHODS else ["sentence"]
    return MethodView(name=name, description=text, needs_model=needs_model(name), units=units)
