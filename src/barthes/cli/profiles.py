"""A profile for a command that shows one: read from a file of scores, or scored on the spot."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from barthes.cli.complaints import remark
from barthes.cli.progress import show_progress
from barthes.cli.unused_options import remark_unused
from barthes.files import decode_name
from barthes.methods import check_method, parse_method
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.reading import read
from barthes.report.saved_results import is_result, load_result
from barthes.salience.profile import Profile

__all__ = ["Scoring"]


@dataclass
class Scoring:
    """How stories are scored that come without scores; the model is loaded once, and only if it is needed."""

    method: str
    model: str
    window: int | None = None
    sentences: bool = False
    language: str | None = None
    device: str = "auto"
    dtype: str = "auto"

    def __post_init__(self) -> None:
        check_method(self.method)
        remark_unused(self.method, model=self.model, window=self.window)

    def open(self, path: Path) -> Profile:
        """The profile in a JSON file of scores, or of the story in any other file."""
        if is_result(path):
            return load_result(path)
        return self.score(self.read(path))

    def read(self, path: Path) -> Narrative:
        """The story in a file; of a file of scores, the story that was scored."""
        if is_result(path):
            return load_result(path).narrative
        return read(path, language=self.language, sentences=self.sentences, title=decode_name(path))

    def score(self, narrative: Narrative, *, method: str | None = None) -> Profile:
        """Score a story, by another method if one is given."""
        ready = parse_method(method or self.method, model=lambda: self._loaded, window=self.window)
        with show_progress(narrative.title) as progress:
            profile = ready.score(narrative, progress=progress)
        for note in profile.notes:
            remark(f"{narrative.title}: {note}")
        return profile

    @cached_property
    def _loaded(self) -> LanguageModel:
        from barthes.models.loading import load_model

        with show_progress(f"loading {self.model}"):
            return load_model(self.model, device=self.device, dtype=self.dtype)
