"""Run jobs: read a text, divide it if it is long, and score it with every method of the run."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeGuard

from barthes.cache import ScoreCache
from barthes.errors import BarthesError, ModelError, ReadingError
from barthes.methods import parse_method
from barthes.models.deferred import DeferredModel
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.runs.engine import JobResult, RunJob, WorkerSetup
from barthes.salience.coherence_loss import RemovalTask
from barthes.salience.measurement import Measurement
from barthes.salience.method import Method, ModelMethod
from barthes.salience.parts import Part, join_measurements, plan_parts
from barthes.salience.removal_method import RemovalMethod
from barthes.scoring import fetch_measurement, score_narrative, store_measurement
from barthes.units import regroup


class RunWorker:
    """Run jobs one at a time; the model is loaded when it is first needed."""

    def __init__(self, setup: WorkerSetup, *, device: str = "auto") -> None:
        self._setup = setup
        self._settings = setup.settings
        self._device = device
        self._cache = ScoreCache() if setup.cache else None
        # If the fingerprint is known, cached texts need no model.
        identity = setup.identity
        known = {**identity, "hardware": identity.get("device")} if identity.get("fingerprint") else None
        self._model = DeferredModel(setup.settings.model, load=self._load, known=known)
        self._methods: dict[str, Method] = {}
        self._key: tuple[str, str] | None = None  # of the current text
        self._tasks: dict[str, RemovalTask] = {}  # of the current text, by method
        self._tokens = 0  # of the current job

    def run(self, job: RunJob) -> JobResult:
        """Return the result of a job; a problem with the text is a result of the kind ``failed``.

        Raises:
            ModelError: The model cannot be loaded, or is not the one that the run started with.
        """
        self._tokens = 0
        try:
            if self._key != job.input.key:  # parts of one text mostly follow each other
                self._narrative = regroup(self._read(job), self._settings.unit)
                self._key, self._tasks = job.input.key, {}
            result = self._score(job) if job.part is None else self._score_part(job, job.part)
            return replace(result, tokens=self._tokens)
        except _ModelUnavailableError as error:
            raise error.cause from error
        except BarthesError as error:
            reason = str(error)
        except MemoryError:
            reason = f"{job.input.id}: out of memory. Use a smaller window or fewer workers."
        except Exception as error:  # a bug: only this text fails
            reason = f"{job.input.id}: unexpected error: {type(error).__name__}: {error}"
        return JobResult(job, "failed", {"reason": reason})

    def close(self) -> None:
        """Close the cache."""
        if self._cache is not None:
            self._cache.close()

    def _score(self, job: RunJob) -> JobResult:
        """Score the text; if it is long, return the parts to divide it into."""
        known: dict[str, Measurement] = {}
        missing: dict[str, ModelMethod] = {}
        for name in self._settings.single_methods:
            method = self._method(name)
            if name in job.known:
                known[name] = join_measurements([Measurement.from_dict(each) for each in job.known[name]])
                self._store(method, known[name])
            elif (found := self._fetch(method)) is not None:
                known[name] = found
            elif isinstance(method, ModelMethod):
                missing[name] = method
        plans = [
            plan_parts(self._prepare(method), name, self._model, part_tokens=self._settings.part_tokens)
            for name, method in missing.items()
            if _is_divisible(method)
        ]
        if any(len(parts) > 1 for parts in plans):
            return JobResult(job, "divided", {}, tuple(part for parts in plans for part in parts))
        for name, method in missing.items():
            if _is_divisible(method):
                known[name] = self._measure(method, self._prepare(method))
            else:
                known[name] = method.measure(self._narrative)
            self._store(method, known[name])
        methods = map(self._method, self._settings.methods)
        profiles = [score_narrative(self._narrative, method, known=known).to_dict() for method in methods]
        return JobResult(job, "done", {"profiles": profiles})

    def _score_part(self, job: RunJob, part: Part) -> JobResult:
        method = self._method(part.method)
        assert _is_divisible(method)
        task = self._prepare(method).slice(part.start, part.stop)
        return JobResult(job, "part", self._measure(method, task).to_dict())

    def _measure(self, method: RemovalMethod, task: RemovalTask) -> Measurement:
        done = 0

        def progress(tokens: int, total: int) -> None:
            nonlocal done
            done = tokens

        measurement = method.summarize(task, method.measure_task(task, progress=progress))
        self._tokens += done
        return measurement

    def _prepare(self, method: RemovalMethod) -> RemovalTask:
        if method.name not in self._tasks:
            self._tasks[method.name] = method.prepare(self._narrative)
        return self._tasks[method.name]

    def _method(self, name: str) -> Method:
        if name not in self._methods:
            self._methods[name] = parse_method(
                name,
                model=lambda: self._model,
                unit=self._settings.unit,
                window=self._settings.window,
                seed=self._settings.seed,
            )
        return self._methods[name]

    def _fetch(self, method: Method) -> Measurement | None:
        if self._cache is None:
            return None
        return fetch_measurement(self._cache, self._narrative, method, threads=self._settings.threads)

    def _store(self, method: Method, measurement: Measurement) -> None:
        if self._cache is not None:
            threads = self._settings.threads
            store_measurement(self._cache, self._narrative, method, measurement, threads=threads)

    def _load(self) -> LanguageModel:
        """Load the model, and check that it is the one that the run started with."""
        expected, name = self._setup.identity, self._settings.model
        try:
            model = self._setup.load(self._device)
            found = (model.fingerprint, model.precision)
            if found != (expected.get("fingerprint"), expected.get("precision")):
                raise ModelError(
                    "is not the model that the run started with: its weights or its precision differ.",
                    where=name,
                    remedy="Give the same model to every worker.",
                )
            return model
        except BarthesError as error:
            raise _ModelUnavailableError(error) from error
        except Exception as error:  # of any library; it would occur with every other text, too
            cause = f"{type(error).__name__}: {error}".rstrip(".: ")
            remedy = "Check the model and the device, then run the same command again."
            problem = ModelError(f"cannot be loaded ({cause}).", where=name, remedy=remedy)
            raise _ModelUnavailableError(problem) from error

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
        kept: dict[str, Any] = {"with_speakers": settings.with_speakers}
        document = parse_document(data, where=name, name=file, encoding=settings.encoding, **kept)
        options = {"language": settings.language, "sentences": settings.sentences, **kept}
        return narrate(document, title=name, where=name, name=file, **options)


class _ModelUnavailableError(Exception):
    """The model cannot be loaded, which is not a failure of the current text."""

    def __init__(self, cause: BarthesError) -> None:
        super().__init__(str(cause))
        self.cause = cause


def _is_divisible(method: Method) -> TypeGuard[RemovalMethod]:
    """Return whether texts are divided into parts for a method; previews are fast enough without."""
    return isinstance(method, RemovalMethod) and not method.info.is_estimate


def _check_unchanged(job: RunJob, data: bytes) -> None:
    if hashlib.sha256(data).hexdigest() != job.input.sha256:
        raise ReadingError(
            "it has changed since the run started.",
            where=job.input.id,
            remedy="Restore it, or retry the failed texts to accept the new version.",
        )
