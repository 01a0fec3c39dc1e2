"""Run jobs: read a text, and score it with every method of the run."""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path
from typing import Any

from barthes.cache import MemoryCache, ScoreCache
from barthes.errors import BarthesError, ModelError, ReadingError
from barthes.models.deferred import DeferredModel
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.runs.engine import JobResult, RunJob, WorkerSetup
from barthes.scorer import Scorer
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
        known = identity if identity.get("fingerprint") else None
        self._model = DeferredModel(setup.settings.model, load=self._load, known=known)

    def run(self, job: RunJob) -> JobResult:
        """Return the result of a job; a problem with the text is a result of the kind ``failed``.

        Raises:
            ModelError: The model cannot be loaded, or is not the one that the run started with.
        """
        try:
            return self._score(job)
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
        narrative = regroup(self._read(job), self._settings.unit)
        shared = MemoryCache()  # methods and sums share measurements
        tokens = 0

        def progress(done: int, total: int) -> None:
            nonlocal tokens
            tokens = max(tokens, done)

        profiles = []
        for scorer in self._scorers:
            scorer.cache = self._cache or shared
            profiles.append(scorer.score(narrative, progress=progress).to_dict())
        return JobResult(job, "done", {"profiles": profiles}, tokens)

    @cached_property
    def _scorers(self) -> list[Scorer]:
        settings = self._settings
        options: dict[str, Any] = {"unit": settings.unit, "window": settings.window, "seed": settings.seed}
        return [Scorer(name, lambda: self._model, **options) for name in settings.methods]

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


def _check_unchanged(job: RunJob, data: bytes) -> None:
    if hashlib.sha256(data).hexdigest() != job.input.sha256:
        raise ReadingError(
            "it has changed since the run started.",
            where=job.input.id,
            remedy="Restore it, or retry the failed texts to accept the new version.",
        )
