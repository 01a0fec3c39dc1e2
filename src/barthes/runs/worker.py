"""A worker scores one text after another; its model is loaded once, with the first of them.

A problem with the model ends the run; a problem with a text is that text's result. The class is the same in
processes of this machine and in Ray actors.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from barthes.cache import ScoreCache
from barthes.errors import BarthesError, ModelError
from barthes.models.language_model import LanguageModel
from barthes.models.served_connection import RANK
from barthes.narrative import Narrative
from barthes.runs.inputs import Text
from barthes.runs.manifest import Environment, RunSettings, find_environment
from barthes.runs.results import TextResult
from barthes.salience.serialization import to_dict, to_saved_dict
from barthes.scorer import Scorer
from barthes.units import regroup

Load = Callable[[RunSettings, str], LanguageModel]
"""Loads the language model of a run onto a device; importable where the worker runs."""

Answer = tuple[Environment, TextResult | None] | BarthesError
"""What a worker answers: the environment that it computes in and a result, or why it cannot work at all."""


def load_by_name(settings: RunSettings, device: str) -> LanguageModel:
    """Load the model that is named in the settings."""
    from barthes.models.loading import load_model

    return load_model(settings.model, device=device, dtype=settings.dtype)


class RunWorker:
    """Scores texts one at a time.

    Args:
        settings: How texts are scored.
        load: Loads the model.
        device: Where the model computes.
        rank: Its number among the workers, from 0; ``{rank}`` in a server's address stands for it.
    """

    def __init__(
        self, settings: RunSettings, load: Load = load_by_name, device: str = "cpu", rank: int = 0
    ) -> None:
        self._settings = settings
        self._load = load
        self._device = device
        self._rank = rank
        self._environment: Environment | None = None
        self._scorers: list[Scorer] = []

    def answer(self, text: Text | None) -> Answer:
        """Score a text; None only asks for the environment."""
        try:
            environment = self.prepare()
        except BarthesError as error:
            return error
        return environment, None if text is None else self._try_to_score(text)

    def prepare(self) -> Environment:
        """Load the model, if that is not done yet, and return what scores depend on here.

        Raises:
            ModelError: The model cannot be loaded.
        """
        if self._environment is None:
            model = self._load_model() if self._settings.needs_model else None
            # Long texts have their checkpoints in the score cache; methods and sums share measurements.
            cache = None if model is None else ScoreCache()
            unit, window = self._settings.unit, self._settings.window
            self._scorers = [
                Scorer(method, model, unit=unit, window=window, cache=cache)
                for method in self._settings.methods
            ]
            self._environment = find_environment(self._settings, model)
        return self._environment

    def _load_model(self) -> LanguageModel:
        os.environ[RANK] = str(self._rank)
        try:
            return self._load(self._settings, self._device)
        except BarthesError:
            raise
        except Exception as error:  # of any library; it would occur with every text
            cause = f"{type(error).__name__}: {error}".rstrip(".: ")
            remedy = "Check the model and the device, then run the same command again."
            model = self._settings.model
            raise ModelError(f"cannot be loaded ({cause}).", where=model, remedy=remedy) from error

    def _try_to_score(self, text: Text) -> TextResult:
        """Return the result of a text: profiles, or why it cannot be scored."""
        name, reason = text.input.id, text.problem
        try:
            if not reason:
                return self._score(text)
        except BarthesError as error:
            reason = str(error)
        except MemoryError:
            reason = f"{name}: out of memory. Use a smaller window or fewer workers."
        except Exception as error:  # a bug: only this text fails
            reason = f"{name}: unexpected error: {type(error).__name__}: {error}"
        return TextResult(name, reason=reason)

    def _score(self, text: Text) -> TextResult:
        narrative = regroup(self._read(text), self._settings.unit)
        tokens = [0]  # as far as progress is counted in them; several methods may share a reading

        def count(done: int, total: int) -> None:
            tokens[0] = max(tokens[0], done)

        profiles = [scorer.score(narrative, progress=count) for scorer in self._scorers]
        serialize = to_saved_dict if isinstance(text.content, Narrative) else to_dict
        return TextResult(text.input.id, tuple(map(serialize, profiles)), tokens=tokens[0])

    def _read(self, text: Text) -> Narrative:
        from barthes.reading import narrate, parse_document, read_text

        settings, name = self._settings, text.input.id
        if isinstance(text.content, Narrative):
            return text.content
        if isinstance(text.content, str):
            language = settings.language or "en"
            return read_text(text.content, language=language, title=name, sentences=settings.sentences)
        about: dict[str, Any] = {"where": name, "name": Path(text.input.source).name, "keep": settings.keep}
        document = parse_document(text.content, encoding=settings.encoding, **about)
        return narrate(
            document, title=name, language=settings.language, sentences=settings.sentences, **about
        )
