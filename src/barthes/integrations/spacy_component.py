"""Salience as a component of a spaCy pipeline: ``nlp.add_pipe("event_salience")``.

spaCy finds the factory through the entry point `spacy_factories`. The component takes the sentences of
whatever component set them (parser, senter, sentencizer, your own) and sets

- ``sent._.salience``: the score of each sentence of ``doc.sents``, 0.0 for one of white space alone (nothing
  is removed with it); None for any other span,
- ``doc._.salience_profile``: the whole `barthes.Profile`; None where there is nothing but white space.

Both are kept in ``doc.user_data`` as plain numbers, so that documents can be pickled, written to a `DocBin`
with ``store_user_data=True`` and sent between processes (``nlp.pipe(texts, n_process=2)``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacy.language import Language
from spacy.tokens import Doc, Span

from barthes.errors import NarrativeError, ReadingError
from barthes.files import write_atomically
from barthes.integrations.spacy_documents import narrate, recall_profile, store_profile
from barthes.methods import check_method, parse_method
from barthes.models.embedded import DEFAULT_MODEL

if TYPE_CHECKING:
    from barthes.models.language_model import LanguageModel
    from barthes.salience.method import Method

__all__ = ["SalienceComponent", "SalienceSettings", "make_event_salience"]

_NOTHING_REMOVED = 0.0
"""The salience of white space that a pipeline takes for a sentence, such as the newline that ends a file."""


@dataclass(frozen=True, slots=True)
class SalienceSettings:
    """What a component computes; the options of `barthes score` under the same names."""

    method: str = "sd"
    model: str = DEFAULT_MODEL
    window: int | None = None
    device: str = "auto"
    dtype: str = "auto"
    seed: int = 0

    def __post_init__(self) -> None:
        check_method(self.method)


class SalienceComponent:
    """Scores the sentences of documents. The language model is loaded with the first of them."""

    def __init__(self, settings: SalienceSettings | None = None, *, name: str = "event_salience") -> None:
        self.name = name
        self.settings = settings or SalienceSettings()
        self._method: Method | None = None

    @property
    def method(self) -> Method:
        """The method, with its language model if it needs one."""
        if self._method is None:
            chosen = self.settings
            self._method = parse_method(
                chosen.method, model=self._load, window=chosen.window, seed=chosen.seed
            )
        return self._method

    def __call__(self, doc: Doc) -> Doc:
        """Score the document in place.

        Raises:
            NarrativeError: No component has set its sentences.
        """
        sentences = _find_sentences(doc)
        narrative = narrate(doc, sentences)
        profile = None if narrative is None else self.method.score(narrative)
        store_profile(doc, profile)
        scores = iter(() if profile is None else profile.scores)
        for sentence in sentences:
            sentence._.salience = next(scores) if sentence.text.strip() else _NOTHING_REMOVED
        return doc

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The settings; a language model is named, not packed."""
        return json.dumps(asdict(self.settings)).encode("utf-8")

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> SalienceComponent:
        """Take over what `to_bytes` gave."""
        self.settings = replace(self.settings, **json.loads(data))
        self._method = None
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write the settings into a folder."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / "settings.json", self.to_bytes())

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> SalienceComponent:
        """Read what `to_disk` wrote.

        Raises:
            ReadingError: There are no settings in the folder, or they are not ours.
        """
        file = Path(path) / "settings.json"
        try:
            return self.from_bytes(file.read_bytes())
        except (OSError, ValueError, TypeError) as error:
            raise ReadingError(f"holds no settings of event_salience ({error}).", where=file) from error

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "settings": self.settings}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["settings"], name=state["name"])  # type: ignore[misc]

    def _load(self) -> LanguageModel:
        from barthes.models.loading import load_model

        return load_model(self.settings.model, device=self.settings.device, dtype=self.settings.dtype)


# spaCy checks a configuration by these annotations.
@Language.factory(
    "event_salience",
    assigns=["doc._.salience_profile", "span._.salience"],
    requires=["doc.sents"],
    default_config=asdict(SalienceSettings()),
)
def make_event_salience(
    nlp: Language,
    name: str,
    method: str,
    model: str,
    window: int | None,
    device: str,
    dtype: str,
    seed: int,
) -> SalienceComponent:
    """The component for a pipeline, from its configuration.

    Raises:
        UnknownNameError: There is no method of that name.
    """
    settings = SalienceSettings(
        method=method, model=model, window=window, device=device, dtype=dtype, seed=seed
    )
    return SalienceComponent(settings, name=name)


def _find_sentences(doc: Doc) -> list[Span]:
    try:
        return list(doc.sents) if len(doc) else []
    except ValueError as error:  # spaCy's E030
        raise NarrativeError(
            "the document has no sentences.",
            remedy='Add a component that sets them before event_salience: nlp.add_pipe("sentencizer").',
        ) from error


def _register() -> None:
    """Make the attributes known; a reload finds them there."""
    if not Doc.has_extension("salience_profile"):
        Doc.set_extension("salience_profile", getter=recall_profile, setter=store_profile)
    if not Span.has_extension("salience"):
        Span.set_extension("salience", default=None)


_register()
