"""Methods by name, made for one corpus: with its words, its annotation, and one language model for all."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from barthes.annotation.pipeline import describe_parser
from barthes.corpora.corpus import Corpus, Labelled
from barthes.errors import BarthesError, UnknownNameError
from barthes.evaluation.model_identity import DeferredModel
from barthes.evaluation.stored_method import StoredMethod
from barthes.hashing import hash_content
from barthes.methods import needs_model, parse_method, weighs_words
from barthes.models.embedded import DEFAULT_MODEL
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.salience.removal_method import HORIZON

if TYPE_CHECKING:
    from barthes.baselines.frequencies import DocumentFrequencies

__all__ = ["ANNOTATIONS", "Workbench", "choose_annotation", "name_corpus"]

ANNOTATIONS = ("gold", "predicted")
"""Where words, tags and roles come from: the corpus itself, or Barthes."""

_ANNOTATED = frozenset({"va", "paa"})


class Workbench:
    """Makes the single methods that an evaluation asks for.

    Args:
        corpus: The corpus.
        stories: Its stories.
        model: A language model or its name; by default the embedded one, loaded when it is needed.
        window: Tokens that the model reads at once.
        annotation: One of `ANNOTATIONS`; by default gold where the corpus has it.
        memory: Where the fingerprints of models are remembered.

    Raises:
        BarthesError: Gold annotation is asked for and the corpus has none.
        UnknownNameError: There is no such annotation.
    """

    def __init__(
        self,
        corpus: Corpus,
        stories: Sequence[Labelled],
        *,
        model: LanguageModel | str | None = None,
        window: int | None = None,
        annotation: str | None = None,
        memory: Path | None = None,
    ) -> None:
        self.annotation = choose_annotation(corpus, annotation)
        gold = self.annotation == "gold"
        self._annotate = corpus.annotate if gold else None
        self._tokenize = corpus.tokenize if gold else None
        self._stories = stories
        self._window = window
        if model is None or isinstance(model, str):
            model = DeferredModel(model or DEFAULT_MODEL, memory=memory)
        self._model = model

    @property
    def settings(self) -> dict[str, Any]:
        """What was chosen, as JSON shows it."""
        return {"window": self._window, "annotation": self.annotation}

    def build(self, names: Iterable[str]) -> dict[str, StoredMethod]:
        """The single methods of these names, by name, each once."""
        return {name: self._build(name) for name in dict.fromkeys(names)}

    def _build(self, name: str) -> StoredMethod:
        method = parse_method(
            name,
            model=lambda: self._model,
            window=self._window,
            frequencies=self._frequencies if weighs_words(name) else None,
            tokenize=self._tokenize,
            annotate=self._annotate,
        )
        if not needs_model(name):
            return StoredMethod(method)
        annotation = self._describe_annotation if name in _ANNOTATED else None
        stored = StoredMethod(method, model=self._model, window=self._window, annotation=annotation)
        return replace(stored, variant=f"horizon {HORIZON}") if name == "preview" else stored

    @functools.cached_property
    def _frequencies(self) -> DocumentFrequencies | None:
        """Counted in the corpus, unless a single story is all there is."""
        from barthes.baselines.frequencies import DocumentFrequencies
        from barthes.baselines.words import split_narrative

        if len(self._stories) < 2:
            return None
        narratives = [story.narrative for story in self._stories]
        return DocumentFrequencies.from_narratives(narratives, tokenize=self._tokenize or split_narrative)

    def _describe_annotation(self, narrative: Narrative) -> str:
        """What the annotation of a narrative is known by: its hash, or the parser that will make it."""
        if self._annotate is None:
            return describe_parser()
        return hash_content(self._annotate(narrative).to_dict())


def name_corpus(corpus: Corpus) -> str:
    """The corpus's name in the store: its own, or where its file is if others may have that name too."""
    source: Path | None = getattr(corpus, "source", None)
    return corpus.name if source is None else str(source)


def choose_annotation(corpus: Corpus, annotation: str | None) -> str:
    """The annotation that was asked for, if the corpus can give it; by default gold where it has any.

    Raises:
        BarthesError: Gold annotation is asked for and the corpus has none.
        UnknownNameError: There is no such annotation.
    """
    if annotation is None:
        return "predicted" if corpus.annotate is None else "gold"
    if annotation not in ANNOTATIONS:
        raise UnknownNameError("annotation", annotation, ANNOTATIONS)
    if annotation == "gold" and corpus.annotate is None:
        raise BarthesError(
            "the corpus has no annotation of its own.",
            where=corpus.name,
            remedy="Choose the annotation 'predicted': Barthes finds verbs and participants with spaCy.",
        )
    return annotation
