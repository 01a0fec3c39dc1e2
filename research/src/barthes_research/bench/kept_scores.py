"""Scores that were computed elsewhere, as rows of an evaluation.

::

    {"unit": "sentence", "corpora": {"Hippocorpus": {"a story's name": [0.1, 0.7, 0.2]}}}

A learned method is evaluated on stories it was not trained on; its cross-validated scores come from several
trained models, so no single method can compute them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from barthes.errors import BarthesError, ReadingError
from barthes.evaluation.corpus import UNITS, Corpus, get_events, get_unit
from barthes.methods import parse_formula
from barthes.narrative import Narrative
from barthes.reading.rows import MalformedError, check_object, parse_json, read_corpus_text
from barthes.salience.method import Method, Progress, silent
from barthes.salience.method_info import MethodInfo
from barthes.salience.profile import Profile

_REMEDY = 'Give JSON: {"unit": "sentence" or "event", "corpora": {corpus: {story: [scores]}}}.'


@dataclass(frozen=True)
class KeptScores:
    """The scores of a file.

    Attributes:
        name: What the method is called in tables.
        corpora: The scores by name of the corpus and of the story, in story order; higher is more salient.
        unit: What is scored: ``sentence`` or ``event``.
        where: The file, for errors.
    """

    name: str
    corpora: Mapping[str, Mapping[str, Sequence[float]]]
    unit: str = "sentence"
    where: str = ""

    @classmethod
    def load(cls, name: str, path: str | Path) -> KeptScores:
        """Read a file; keys other than ``unit`` and ``corpora`` are ignored.

        Raises:
            ReadingError: There is no such file, or it is not JSON of this form.
        """
        text = read_corpus_text(path, remedy=_REMEDY)
        try:
            content = check_object(parse_json(text))
            unit = content.get("unit", "sentence")
            if unit not in UNITS:
                raise MalformedError(f"the unit {unit!r:.50} is not {' or '.join(UNITS)}")
            corpora = {corpus: _read_stories(corpus, found) for corpus, found in _items(content, "corpora")}
        except MalformedError as error:
            raise ReadingError(f"{error}.", where=path, remedy=_REMEDY) from error
        if not corpora:
            raise ReadingError("it has no corpora.", where=path, remedy=_REMEDY)
        return cls(name, corpora, unit, str(path))

    def covers(self, corpus: Corpus) -> bool:
        """Return whether there are scores for a corpus."""
        return corpus.name in self.corpora

    def bind(self, corpus: Corpus) -> Method:
        """Return a method that gives the stories of a corpus their scores.

        Raises:
            BarthesError: There are no scores for the corpus or its unit, one of its stories has none, a story
                of the file is not in the corpus, or a story has another number of sentences or events.
        """
        if not self.covers(corpus):
            known = ", ".join(self.corpora)
            raise self._refuse(f"it has no scores for the corpus {corpus.name}, but for: {known}.")
        if self.unit == "event" and get_unit(corpus) != "event":
            raise self._refuse(f"it has scores of events, but the sentences of {corpus.name} are evaluated.")
        scores = self.corpora[corpus.name]
        stories = {story.name: story for story in corpus}
        if absent := [name for name in stories if name not in scores]:
            raise self._refuse(f"it has no scores for {_name(absent)} of {corpus.name}.")
        if foreign := [name for name in scores if name not in stories]:
            raise self._refuse(f"it has scores for {_name(foreign)}, which {corpus.name} does not have.")
        bound = _BoundScores(self.name, self.unit)
        for name, story in stories.items():
            expected = len(story.labels if self.unit == "event" else story.narrative)
            if len(scores[name]) != expected:
                found = f"{len(scores[name])} scores for the story {name!r} of {corpus.name}"
                raise self._refuse(f"it has {found}, which has {expected} {self.unit}s.")
            if bound.scores.setdefault(story.narrative, scores[name]) != scores[name]:
                raise self._refuse(f"the story {name!r} has the text of another one, but other scores.")
            bound.events[story.narrative] = get_events(story)
        return bound

    def _refuse(self, problem: str) -> BarthesError:
        return BarthesError(problem, where=self.where or self.name, remedy="Score the corpus as it is read.")


class _BoundScores(Method):
    """Looks up the scores of the stories of one corpus."""

    def __init__(self, name: str, unit: str) -> None:
        self._info = MethodInfo(name, summary="kept scores", units=(unit,))
        self.scores: dict[Narrative, Sequence[float]] = {}
        self.events: dict[Narrative, Any] = {}

    @property
    def info(self) -> MethodInfo:
        """The name and the unit."""
        return self._info

    def score(self, narrative: Narrative, *, progress: Progress = silent) -> Profile:
        """Return the kept scores of a story of the corpus."""
        [unit] = self._info.units
        events = self.events[narrative] if unit == "event" else ()
        return self.to_profile(narrative, self.scores[narrative], unit=unit, events=events)


def _items(content: Mapping[str, Any], key: str) -> list[tuple[str, Any]]:
    try:
        return list(check_object(content.get(key)).items())
    except MalformedError as error:
        raise MalformedError(f"{key}: {error}") from error


def _read_stories(corpus: str, stories: object) -> dict[str, tuple[float, ...]]:
    return {name: _read_scores(name, scores) for name, scores in _items({corpus: stories}, corpus)}


def _read_scores(name: str, scores: object) -> tuple[float, ...]:
    if not isinstance(scores, list) or not scores:
        raise MalformedError(f"the story {name!r} has no list of scores")
    for score in scores:
        is_number = isinstance(score, int | float) and not isinstance(score, bool)
        if not is_number or not math.isfinite(score):
            raise MalformedError(f"the story {name!r} has the score {score!r:.50}, which is not a number")
    return tuple(map(float, scores))


def _name(stories: Sequence[str]) -> str:
    more = f" and {len(stories) - 1} more stories" if len(stories) > 1 else ""
    return f"the story {stories[0]!r}{more}"


def check_names(scores: Iterable[KeptScores], methods: Sequence[Method | str]) -> None:
    """Check that no two rows of a table would have the same name.

    Raises:
        BarthesError: Kept scores have the name of a method, or of other scores.
    """
    names = {each.name if isinstance(each, Method) else str(parse_formula(each)) for each in methods}
    names |= {each for each in methods if isinstance(each, str)}
    for kept in scores:
        if kept.name in names:
            problem = f"two rows of the table would be called {kept.name!r}."
            raise BarthesError(problem, where=kept.where or None, remedy="Give the scores another name.")
        names.add(kept.name)
