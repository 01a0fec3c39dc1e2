"""The work itself: read a text, divide it if it is long, and score it by every method of the run."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeGuard

from barthes.annotation.pipeline import describe_parser
from barthes.cache import ScoreCache
from barthes.errors import BarthesError, ModelError, ReadingError
from barthes.methods import parse_method
from barthes.models.deferred import DeferredModel
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.runs.engine import JobResult, RunJob, WorkerSetup
from barthes.runs.parts import Part, join_measurements, plan_parts
from barthes.runs.run_settings import find_versions
from barthes.salience.coherence_loss import RemovalTask
from barthes.salience.measurement import Measurement
from barthes.salience.method import Method, ModelMethod, Progress
from barthes.salience.removal_method import Preview, RemovalMethod
from barthes.scoring import fetch_measurement, score_narrative, store_measurement


class RunWorker:
    """Does jobs, one at a time; the model is loaded when it is first needed.

    `on_tokens` is called with the number of tokens that have gone through the model since the last call.
    """

    def __init__(
        self,
        setup: WorkerSetup,
        *,
        device: str = "auto",
        on_tokens: Callable[[int], None] = lambda tokens: None,
    ) -> None:
        self._setup = setup
        self._settings = setup.settings
        self._device = device
        self._on_tokens = on_tokens
        self._cache = ScoreCache() if setup.cache else None
        self._scope = {name: setup.identity.get(name) for name in ("device", "threads", "versions")}
        # Where the fingerprint is known, cached texts need no model.
        known = setup.identity if setup.identity.get("fingerprint") else None
        self._model = DeferredModel(setup.settings.model, load=self._load, known=known)
        self._methods: dict[str, Method] = {}
        self._text: _Text | None = None

    def run(self, job: RunJob) -> JobResult:
        """Return the result of a job; what is wrong with a text is a result, too.

        Raises:
            ModelError: The model cannot be loaded, or is not the one that the run began with.
        """
        try:
            text = self._open(job)
            if job.part is None:
                return self._score(job, text)
            method = self._method(job.part.method)
            assert _is_divisible(method)
            return JobResult(job, "part", self._measure(text, method, job.part).to_dict())
        except _ModelUnavailableError as error:
            raise error.cause from error
        except BarthesError as error:
            reason = str(error)
        except MemoryError:
            reason = (
                f"{job.input.id}: there is not enough memory for it. Use a smaller window or fewer workers."
            )
        except Exception as error:  # a bug: it costs this text, not the others
            reason = f"{job.input.id}: this should not happen: {type(error).__name__}: {error}"
        return JobResult(job, "failed", {"reason": reason})

    def close(self) -> None:
        """Close the cache."""
        if self._cache is not None:
            self._cache.close()

    def _score(self, job: RunJob, text: _Text) -> JobResult:
        """Score the whole text; if it is long, return the parts into which it is to be divided."""
        known: dict[str, Measurement] = {}
        missing: dict[str, ModelMethod] = {}
        for name in self._settings.single_methods:
            method = self._method(name)
            if name in job.known:
                known[name] = join_measurements([Measurement.from_dict(each) for each in job.known[name]])
                self._store(text, method, known[name])
            elif (found := self._fetch(text, method)) is not None:
                known[name] = found
            elif isinstance(method, ModelMethod):
                missing[name] = method
        plans = [self._plan(text, method) for method in missing.values() if _is_divisible(method)]
        if any(len(parts) > 1 for parts in plans):
            return JobResult(job, "divided", {}, tuple(part for parts in plans for part in parts))
        for name, method in missing.items():
            known[name] = self._measure(text, method)
            self._store(text, method, known[name])
        profiles = [
            score_narrative(text.narrative, self._method(name), known=known)
            for name in self._settings.methods
        ]
        return JobResult(job, "done", {"profiles": [profile.to_dict() for profile in profiles]})

    def _plan(self, text: _Text, method: RemovalMethod) -> list[Part]:
        task = text.prepare(method)
        return plan_parts(task, method.name, self._model, part_tokens=self._settings.part_tokens)

    def _measure(self, text: _Text, method: ModelMethod, part: Part | None = None) -> Measurement:
        if not _is_divisible(method):
            return method.measure(text.narrative)
        task = text.prepare(method)
        if part is not None:
            task = task.slice(part.start, part.stop)
        return method.summarize(task, method.measure_task(task, progress=_differences(self._on_tokens)))

    def _method(self, name: str) -> Method:
        """Return a method of the run, made once."""
        if name not in self._methods:
            settings = self._settings
            self._methods[name] = parse_method(
                name,
                model=lambda: self._model,
                unit=settings.unit,
                window=settings.window,
                seed=settings.seed,
            )
        return self._methods[name]

    def _fetch(self, text: _Text, method: Method) -> Measurement | None:
        if self._cache is None:
            return None
        return fetch_measurement(self._cache, text.narrative, method, self._scope)

    def _store(self, text: _Text, method: Method, measurement: Measurement) -> None:
        if self._cache is not None:
            store_measurement(self._cache, text.narrative, method, measurement, self._scope)

    def _load(self) -> LanguageModel:
        """Load the model, and check that it is the one whose name the results will bear."""
        expected = self._setup.identity
        try:
            model = self._setup.load(self._device)
            found = (model.fingerprint, model.precision)
            if found != (expected.get("fingerprint"), expected.get("precision")):
                raise ModelError(
                    "is not the model that the run began with: its weights or its precision are others.",
                    where=self._settings.model,
                    remedy="Give the same model to every worker.",
                )
            return model
        except BarthesError as error:
            raise _ModelUnavailableError(error) from error
        except Exception as error:  # of whatever loads it: every other text would meet it, too
            cause = f"{type(error).__name__}: {error}".rstrip(".: ")
            remedy = "Check the model and the device; the same command goes on."
            problem = ModelError(f"cannot be loaded ({cause}).", where=self._settings.model, remedy=remedy)
            raise _ModelUnavailableError(problem) from error

    def _open(self, job: RunJob) -> _Text:
        """Return the text of a job; parts of one text mostly come one after another."""
        if self._text is None or self._text.key != job.input.key:
            self._text = _Text(job.input.key, self._read(job))
        return self._text

    def _read(self, job: RunJob) -> Narrative:
        from barthes.reading import narrate, parse_document, read_text
        from barthes.reading.source import read_bytes

        settings, name = self._settings, job.input.id
        if job.text is not None:
            _check_unchanged(job, job.text.encode("utf-8", "surrogatepass"))
            language = settings.language or "en"
            return read_text(job.text, language=language, title=name, sentences=settings.sentences)
        data = read_bytes(job.input.source) if job.data is None else job.data
        _check_unchanged(job, data)
        file = Path(job.input.source).name
        document = parse_document(data, where=name, name=file)
        options: dict[str, Any] = {"language": settings.language, "sentences": settings.sentences}
        return narrate(document, title=name, where=name, name=file, **options)


def find_differences(identity: Mapping[str, Any]) -> list[str]:
    """Return the versions of this machine that are not those under which a run began."""
    expected = identity.get("versions", {})
    found = find_versions() if expected else {}
    differences = [f"{name} {found[name]}" for name in found if found[name] != expected.get(name)]
    if (parser := identity.get("parser")) is not None and parser != (own := describe_parser()):
        differences.append(f"the parser {own}")
    return differences


class _Text:
    """The text at hand, with the tasks that methods have made of it."""

    def __init__(self, key: tuple[str, str], narrative: Narrative) -> None:
        self.key = key
        self.narrative = narrative
        self._tasks: dict[str, RemovalTask] = {}

    def prepare(self, method: RemovalMethod) -> RemovalTask:
        if method.name not in self._tasks:
            self._tasks[method.name] = method.prepare(self.narrative)
        return self._tasks[method.name]


class _ModelUnavailableError(Exception):
    """There is no model to work with, which is not the fault of the text at hand."""

    def __init__(self, cause: BarthesError) -> None:
        super().__init__(str(cause))
        self.cause = cause


def _is_divisible(method: Method) -> TypeGuard[RemovalMethod]:
    """Return whether texts are divided into parts for a method; previews take little time."""
    return isinstance(method, RemovalMethod) and not isinstance(method, Preview)


def _differences(on_tokens: Callable[[int], None]) -> Progress:
    """Return a progress callback that reports what was done since the last call."""
    before = 0

    def report(done: int, total: int) -> None:
        nonlocal before
        on_tokens(done - before)
        before = done

    return report


def _check_unchanged(job: RunJob, data: bytes) -> None:
    if hashlib.sha256(data).hexdigest() != job.input.sha256:
        raise ReadingError(
            "it has changed since the run began.",
            where=job.input.id,
            remedy="Restore it, or retry the failed texts to take it as it is now.",
        )
