"""The work itself: a text is read, divided if it is long, scored by every method, and told as values."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from barthes.errors import BarthesError, ModelError, ReadingError
from barthes.evaluation.identity import hash_story
from barthes.evaluation.store import are_scores
from barthes.methods import parse_formula, parse_method
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.runs.cache import ScoreCache
from barthes.runs.engine import Item, Outcome, Workplace
from barthes.runs.parts import Part, cut, plan_parts
from barthes.runs.removals import REMOVAL_METHODS, EventRemovals, remove_events, remove_sentences
from barthes.salience.coherence_loss import CoherenceLoss, RemovalTask
from barthes.salience.method import Method, Progress, silent
from barthes.salience.profile import Profile

__all__ = ["Scorer"]

Known = Mapping[str, Any]
"""The scores of one method for one text, with the window and the notes that came with them."""

Tell = Callable[[int], None]
"""Called with the tokens that have gone through the model since it was last called."""


class Scorer:
    """Does the items of a run, one at a time; the model is loaded when it is first needed.

    Args:
        workplace: How texts are scored.
        device: Where the model computes.
        tell: Hears of the tokens that go through the model.
    """

    def __init__(
        self, workplace: Workplace, *, device: str = "auto", tell: Tell = lambda tokens: None
    ) -> None:
        self._workplace = workplace
        self._settings = workplace.settings
        self._device = device
        self._tell = tell
        self._cache = None if workplace.cache is None else ScoreCache(workplace.cache, limit=workplace.limit)
        self._loaded: LanguageModel | None = None
        self._desk: _Desk | None = None

    def work(self, item: Item) -> Outcome:
        """The outcome of an item; what is wrong with a text is an outcome too.

        Raises:
            ModelError: The model is not there, or not the one that the run began with.
        """
        try:
            desk = self._open(item)
            if item.part is not None:
                return Outcome(item, "part", self._compute(desk, item.part))
            return self._score(item, desk)
        except _ModelMissing as error:
            raise error.cause from error
        except BarthesError as error:
            return Outcome(item, "failed", {"reason": str(error)})
        except MemoryError:
            reason = "there is not enough memory for it. Give a smaller --window, or fewer --workers."
            return Outcome(item, "failed", {"reason": f"{item.input.id}: {reason}"})
        except Exception as error:  # a bug: it costs this text, not the others
            reason = f"{item.input.id}: this should not happen: {type(error).__name__}: {error}"
            return Outcome(item, "failed", {"reason": reason})

    def close(self) -> None:
        """Let go of the cache."""
        if self._cache is not None:
            self._cache.close()

    def _score(self, item: Item, desk: _Desk) -> Outcome:
        """The whole text, unless it is long; then the parts by which it is to be done."""
        names = [name for name in self._settings.single_methods if name in REMOVAL_METHODS]
        known = dict(item.known)
        for name in names:
            if name not in known and (found := self._recall(desk, name)) is not None:
                known[name] = found
        plans = [self._plan(desk, name) for name in names if name not in known]
        if any(len(parts) > 1 for parts in plans):
            return Outcome(item, "planned", {}, tuple(part for parts in plans for part in parts))
        for [part] in plans:
            known[part.method] = self._compute(desk, part)
        for name in names:
            self._keep(desk, name, known[name])
        return Outcome(item, "done", self._tell_result(desk, known))

    def _plan(self, desk: _Desk, name: str) -> list[Part]:
        model = self._model
        return plan_parts(self._task(desk, name), name, model, part_tokens=self._settings.part_tokens)

    def _compute(self, desk: _Desk, part: Part) -> dict[str, Any]:
        task = self._task(desk, part.method)
        loss = CoherenceLoss(self._model, window=self._settings.window)
        scores = [each.total for each in loss.measure(cut(task, part), progress=_differences(self._tell))]
        return {"scores": scores, "window": task.window, "notes": list(task.notes)}

    def _task(self, desk: _Desk, name: str) -> RemovalTask:
        if name not in desk.tasks:
            loss = CoherenceLoss(self._model, window=self._settings.window)
            removals = (
                desk.find_events(name).removals if self._is_event else remove_sentences(name, desk.narrative)
            )
            desk.tasks[name] = loss.prepare(desk.narrative, removals)
        return desk.tasks[name]

    def _tell_result(self, desk: _Desk, known: Mapping[str, Known]) -> dict[str, Any]:
        narrative = desk.narrative
        if self._is_event:
            profiles = [self._tell_events(desk, name, known[name]) for name in self._settings.methods]
            return {"profiles": profiles}
        singles = {
            name: self._profile(narrative, name, known.get(name)) for name in self._settings.single_methods
        }
        return {
            "spans": [list(span) for span in narrative.spans],
            "texts": [sentence.text for sentence in narrative],
            "profiles": [_tell_profile(_combine(method, singles)) for method in self._settings.methods],
        }

    def _profile(self, narrative: Narrative, name: str, known: Known | None) -> Profile:
        if known is None:
            settings = self._settings
            method = parse_method(name, model=lambda: self._model, window=settings.window, seed=settings.seed)
            return method.score(narrative)
        return Profile(narrative, tuple(known["scores"]), method=name, **self._about(narrative, known))

    def _tell_events(self, desk: _Desk, name: str, known: Known) -> dict[str, Any]:
        about = self._about(desk.narrative, known)
        profile = desk.find_events(name).to_profile(known["scores"], method=name, **about)
        return _about_profile(profile) | {"events": profile.to_dict()["events"]}

    def _about(self, narrative: Narrative, known: Known) -> dict[str, Any]:
        precision = self._workplace.identity.get("precision")
        notes = narrative.notes + tuple(known["notes"])
        model = self._settings.model
        return {"model": model, "precision": precision, "window": known["window"], "notes": notes}

    @property
    def _is_event(self) -> bool:
        return self._settings.unit == "event"

    @property
    def _model(self) -> LanguageModel:
        """The model, loaded once, and certainly the one whose name the results will bear."""
        if self._loaded is None:
            try:
                model = self._workplace.load(self._device)
                self._check(model)
            except BarthesError as error:
                raise _ModelMissing(error) from error
            except Exception as error:  # of whatever loads it: every other text would meet it too
                cause = f"{type(error).__name__}: {error}".rstrip(".: ")
                problem = f"cannot be loaded ({cause})."
                remedy = "Check the model and the device; the same command goes on."
                raise _ModelMissing(ModelError(problem, where=self._settings.model, remedy=remedy)) from error
            self._loaded = model
        return self._loaded

    def _check(self, model: LanguageModel) -> None:
        expected = self._workplace.identity
        if (model.fingerprint, model.precision) != (expected.get("fingerprint"), expected.get("precision")):
            raise ModelError(
                "is not the model that the run began with: its weights or its precision are others.",
                where=self._settings.model,
                remedy="Give the same model to every worker.",
            )

    def _identify(self, desk: _Desk, name: str) -> dict[str, Any]:
        """All that the scores of a method depend on; `hash_story` is of the text and where it is divided."""
        about = {"text": desk.hash, "language": desk.narrative.language, "method": name}
        asked = {"unit": self._settings.unit, "window": self._settings.window}
        return about | asked | dict(self._workplace.identity)

    def _recall(self, desk: _Desk, name: str) -> Known | None:
        if self._cache is None:
            return None
        found = self._cache.fetch(self._identify(desk, name))
        count = len(desk.find_events(name).removals) if self._is_event else len(desk.narrative)
        usable = isinstance(found, dict) and are_scores(found.get("scores"), count)
        return found if usable and {"window", "notes"} <= found.keys() else None

    def _keep(self, desk: _Desk, name: str, known: Known) -> None:
        if self._cache is not None:
            self._cache.keep(self._identify(desk, name), dict(known))

    def _open(self, item: Item) -> _Desk:
        """The text of an item on the desk; parts of one text mostly come one after another."""
        name = (item.input.id, item.input.sha256)
        if self._desk is None or self._desk.name != name:
            self._desk = _Desk(name, self._read(item))
        return self._desk

    def _read(self, item: Item) -> Narrative:
        from barthes.reading import narrate, parse_document, read_text
        from barthes.reading.source import read_bytes

        settings, text = self._settings, item.text
        if text is not None:
            _check_unchanged(item, text.encode("utf-8", "surrogatepass"))
            language = settings.language or "en"
            return read_text(text, language=language, title=item.input.id, sentences=settings.sentences)
        data = read_bytes(item.input.source) if item.data is None else item.data
        _check_unchanged(item, data)
        name = Path(item.input.source).name
        document = parse_document(data, where=item.input.id, name=name)
        return narrate(
            document,
            language=settings.language,
            sentences=settings.sentences,
            title=item.input.id,
            where=item.input.id,
            name=name,
        )


class _Desk:
    """The text that is being worked on, and what has been found out about it."""

    def __init__(self, name: tuple[str, str], narrative: Narrative) -> None:
        self.name = name
        self.narrative = narrative
        self.hash = hash_story(narrative)
        self.tasks: dict[str, RemovalTask] = {}
        self._events: dict[str, EventRemovals] = {}

    def find_events(self, method: str) -> EventRemovals:
        """The events of the text, and what it is without each."""
        if method not in self._events:
            self._events[method] = remove_events(method, self.narrative)
        return self._events[method]


class _ModelMissing(Exception):  # noqa: N818 - it is a messenger, and the error is its cause
    """There is no model to work with: no fault of the text at hand."""

    def __init__(self, cause: BarthesError) -> None:
        super().__init__(str(cause))
        self.cause = cause


class _Scored(Method):
    """A method that has been asked already."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile

    @property
    def name(self) -> str:
        return self._profile.method

    def score(self, narrative: Narrative, *, progress: Progress = silent) -> Profile:
        return self._profile


def _combine(method: str, singles: Mapping[str, Profile]) -> Profile:
    formula = parse_formula(method)
    parts = [singles[name] for name in formula.parts]
    if len(parts) == 1 and not formula.kind:
        return parts[0]
    return formula.assemble([_Scored(part) for part in parts]).score(parts[0].narrative)


def _tell_profile(profile: Profile) -> dict[str, Any]:
    return _about_profile(profile) | {"scores": list(profile.scores)}


def _about_profile(profile: Any) -> dict[str, Any]:
    about = {name: getattr(profile, name) for name in ("method", "model", "precision", "window")}
    return about | {"notes": list(profile.notes)}


def _differences(tell: Tell) -> Progress:
    """Reports of what is done in all as reports of what was done since."""
    before = 0

    def report(done: int, total: int) -> None:
        nonlocal before
        tell(done - before)
        before = done

    return report


def _check_unchanged(item: Item, data: bytes) -> None:
    if hashlib.sha256(data).hexdigest() != item.input.sha256:
        raise ReadingError(
            "it has changed since the run began.",
            where=item.input.id,
            remedy="Put it back as it was, or take it as it is now with --retry-failed.",
        )
