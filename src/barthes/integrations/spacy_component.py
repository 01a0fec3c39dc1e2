"""A component for spaCy pipelines: ``nlp.add_pipe("event_salience")``.

spaCy finds the factory through the entry point `spacy_factories`. The component needs sentences from another
component (parser, senter, sentencizer) and sets

- ``sent._.salience``: the score of each sentence of ``doc.sents``, 0.0 for white space; None for other spans,
- ``doc._.salience_profile``: the `barthes.Profile`; None for a document of white space.

Both are stored in ``doc.user_data`` as text, so that documents can be pickled, written to a `DocBin`
with ``store_user_data=True`` and sent between processes (``nlp.pipe(texts, n_process=2)``). spaCy saves the
settings of the component with the configuration of the pipeline.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from spacy.language import Language
from spacy.tokens import Doc, Span

from barthes.errors import NarrativeError
from barthes.methods import check_method
from barthes.models.embedded import DEFAULT_MODEL
from barthes.narrative import Narrative
from barthes.salience.deserialization import from_dict
from barthes.salience.profile import Profile
from barthes.salience.serialization import to_saved_dict
from barthes.scorer import Scorer

if TYPE_CHECKING:
    from barthes.models.language_model import LanguageModel

_WHITE_SPACE = 0.0  # the salience of a "sentence" of white space, such as the newline at the end of a file
_KEY = "barthes_salience"


@dataclass(frozen=True, slots=True)
class SalienceSettings:
    """The settings of the component: options of `barthes score` with the same names."""

    method: str = "sd"
    model: str = DEFAULT_MODEL
    window: int | None = None
    device: str = "auto"
    dtype: str = "auto"
    seed: int = 0

    def __post_init__(self) -> None:
        check_method(self.method)


class SalienceComponent:
    """Score the sentences of documents. The language model is loaded for the first document."""

    def __init__(self, settings: SalienceSettings | None = None, *, name: str = "event_salience") -> None:
        self.name = name
        self.settings: SalienceSettings = settings or SalienceSettings()
        self._scorer: Scorer | None = None

    @property
    def scorer(self) -> Scorer:
        """Scores the documents; it keeps the language model."""
        if self._scorer is None:
            settings = self.settings
            self._scorer = Scorer(settings.method, self._load, window=settings.window, seed=settings.seed)
        return self._scorer

    def __call__(self, doc: Doc) -> Doc:
        """Score the document in place.

        Raises:
            NarrativeError: The document has no sentence boundaries.
        """
        sentences = _find_sentences(doc)
        narrative = _read_narrative(doc, sentences)
        profile = None if narrative is None else self.scorer.score(narrative)
        _store_profile(doc, profile)
        scores = iter(() if profile is None else profile.scores)
        for sentence in sentences:
            sentence._.salience = next(scores) if sentence.text.strip() else _WHITE_SPACE
        return doc

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "settings": self.settings}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["settings"], name=state["name"])  # type: ignore[misc]

    def _load(self) -> LanguageModel:
        from barthes.models.loading import load_model

        return load_model(self.settings.model, device=self.settings.device, dtype=self.settings.dtype)


# spaCy validates a configuration with these annotations.
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
    """Create the component for a pipeline from its configuration.

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


def _read_narrative(doc: Doc, sentences: Sequence[Span]) -> Narrative | None:
    """Return the narrative of a document with its offsets; None if there is only white space."""
    spans = []
    for sentence in sentences:
        text = sentence.text
        start = sentence.start_char + len(text) - len(text.lstrip())
        if length := len(text.strip()):
            spans.append((start, start + length))
    return Narrative(doc.text, tuple(spans), language=doc.lang_ or "en") if spans else None


def _store_profile(doc: Doc, profile: Profile | None) -> None:
    """Store a profile in a document's `user_data`, as `Profile.save` writes it."""
    if profile is None:
        doc.user_data.pop(_KEY, None)
    else:
        doc.user_data[_KEY] = json.dumps(to_saved_dict(profile), allow_nan=False)


def _load_profile(doc: Doc) -> Profile | None:
    """Return the profile stored by `_store_profile`, or None."""
    stored = doc.user_data.get(_KEY)
    return None if stored is None else from_dict(json.loads(stored))


# They exist already if this module is reloaded.
if not Doc.has_extension("salience_profile"):
    Doc.set_extension("salience_profile", getter=_load_profile, setter=_store_profile)
if not Span.has_extension("salience"):
    Span.set_extension("salience", default=None)
