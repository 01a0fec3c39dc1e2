"""The queue of jobs, which are scored one at a time."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from barthes.errors import BarthesError, OutputError
from barthes.jobs.offer import Limits
from barthes.jobs.runner import Runner
from barthes.jobs.story import SeveralPartsError, StorySource
from barthes.jobs.worker import TaskCancelled, TaskProgress, Worker
from barthes.salience.profile import Profile
from barthes.web.job_store import Job, JobStore

_MOST_PATIENCE = 10.0  # seconds to wait for a cancelled job

_logger = logging.getLogger("barthes")


class QueueFullError(BarthesError):
    """The queue is full."""


@dataclass(frozen=True, slots=True)
class ScoreJob:
    """The task of a job: read its story, score it, and write the profile.

    It finds the title, the number of sentences and the notes of the story, and early scores.
    """

    job: Job
    story: Path
    profile: Path
    limits: Limits

    def __call__(self, worker: Worker) -> list[str]:
        """Return the notes on the scores."""
        from barthes.marks import parse_numbers, skip_sentences
        from barthes.units import regroup

        job = self.job
        narrative = worker.read(self._locate())
        if job.skip:
            narrative = skip_sentences(narrative, sorted(parse_numbers(job.skip)))
        narrative = regroup(narrative, job.unit)
        worker.send({"title": narrative.title, "sentences": len(narrative), "notes": list(narrative.notes)})
        profile = worker.score(narrative, method=job.method, unit=job.unit, model=job.model)
        profile.save(self.profile)
        return list(profile.notes)

    def _locate(self) -> StorySource:
        job = self.job
        options = job.model_dump(include={"name", "chapter", "language", "encoding", "keep"})
        options |= {"sentences": job.lines, "title": job.name if job.titled else None}
        whole = job.whole or job.lines or job.unit == "chapter"
        return StorySource(self.story, job.name, self.limits, options, whole=whole)


class JobQueue:
    """All jobs of a server, and the thread that runs them.

    Jobs that were active when the last server stopped become interrupted, or finished if their result was
    written.

    Args:
        store: Where jobs are stored.
        limits: The limits on them.
        warm: A language model to load at start; None waits for the first job.
    """

    def __init__(self, store: JobStore, *, limits: Limits, warm: str | None = None) -> None:
        self.store = store
        self.limits = limits
        self.runner: Runner = Runner(limits, warm=warm)
        self._changed = threading.Condition()
        self._jobs = {job.id: self._recover(job) for job in store.load()}
        self._waiting: deque[str] = deque()
        self._running: dict[str, TaskProgress] = {}
        self._is_stopping = False
        self._thread = threading.Thread(target=self._run, name="barthes jobs", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the worker; jobs that are waiting or running become interrupted."""
        with self._changed:
            self._is_stopping = True
            for job in [self._jobs[key] for key in self._waiting]:
                self._put(job.end("interrupted"))
            self._waiting.clear()
            self._changed.notify_all()
        self._thread.join(_MOST_PATIENCE)

    def list(self) -> list[Job]:
        """Return all jobs, the newest first."""
        with self._changed:
            return sorted(self._jobs.values(), key=lambda job: (job.created, job.id), reverse=True)

    def find(self, key: str) -> Job | None:
        """Return the job with that id."""
        return self._jobs.get(key)

    def find_progress(self, key: str) -> TaskProgress | None:
        """Return the progress of a job, if it is running."""
        return self._running.get(key)

    def count_before(self, key: str) -> int:
        """Return how many jobs will be done before a waiting one."""
        with self._changed:
            return list(self._waiting).index(key) + len(self._running) if key in self._waiting else 0

    def check_room(self) -> None:
        """Raise QueueFullError if no job can be added."""
        if len(self._waiting) >= self.limits.waiting:
            raise QueueFullError(
                f"{self.limits.waiting} stories are already waiting.",
                remedy="Try again when some are done, or cancel some.",
            )

    def add(self, job: Job) -> None:
        """Add a job that `JobStore.accept` has stored, or raise QueueFullError."""
        with self._changed:
            self.check_room()
            self._put(job)
            self._waiting.append(job.id)
            self._changed.notify_all()

    def cancel(self, job: Job) -> Job:
        """Cancel a job if it is active; return its new state."""
        with self._changed:
            job = self._jobs.get(job.id, job)
            if job.id in self._jobs and job.is_active:
                if job.id in self._waiting:
                    self._waiting.remove(job.id)
                job = job.end("cancelled")
                self._put(job)
            self._changed.notify_all()
            return job

    def restart(self, job: Job, **changes: Any) -> Job:
        """Run a job that is over again with other values, or raise QueueFullError."""
        self._wait_for_worker(job)  # it may still be busy with a job that was just cancelled
        with self._changed:
            current = self._jobs.get(job.id)
            if current is None:
                return job  # deleted meanwhile
            if not current.is_active:
                self.check_room()  # before anything is lost
                self.store.profile(job).unlink(missing_ok=True)
                self.add(current.reset(**changes))
            return self._jobs[job.id]

    def delete(self, job: Job) -> None:
        """Cancel a job and delete its files, or raise OutputError."""
        self.cancel(job)
        self._wait_for_worker(job)
        with self._changed:
            if job.id in self._jobs:
                self.store.delete(job)
                del self._jobs[job.id]

    def _wait_for_worker(self, job: Job) -> None:
        """Wait until the worker has stopped a job that is over."""
        with self._changed:
            current = self._jobs.get(job.id)
            if current is None or not current.is_active:
                self._changed.wait_for(lambda: job.id not in self._running, timeout=_MOST_PATIENCE)

    def _recover(self, job: Job) -> Job:
        written = self.store.profile(job).exists()
        if not job.is_active and not (written and job.state == "interrupted"):
            return job
        job = job.end("finished" if written else "interrupted")
        self._save(job)
        return job

    def _put(self, job: Job) -> None:
        self._jobs[job.id] = job
        self._save(job)

    def _save(self, job: Job) -> None:
        try:
            self.store.save(job)
        except OutputError as error:  # a full disk must not stop the queue
            _logger.warning("cannot store the state of a job: %s", error)

    def _run(self) -> None:
        """Run one job after the other until the server stops."""
        self.runner.start()
        while (job := self._take()) is not None:
            began = time.monotonic()
            changes = self._do(job)
            with self._changed:
                del self._running[job.id]
                if (current := self._find_running(job)) is not None:
                    self._put(current.end(**changes, seconds=round(time.monotonic() - began, 3)))
                self._changed.notify_all()
        self.runner.close()

    def _take(self) -> Job | None:
        """Wait for the next job; return None when the server stops."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_stopping)
            if self._is_stopping:
                return None
            job = self._jobs[self._waiting.popleft()].change(state="running")
            self._running[job.id] = TaskProgress()
            self._put(job)
            return job

    def _do(self, job: Job) -> dict[str, Any]:
        """Run a job; return the changes that end it."""
        task = ScoreJob(job, self.store.story(job), self.store.profile(job), self.limits)

        def check() -> None:
            if self._is_stopping or self._find_running(job) is None:
                raise TaskCancelled

        def listen(message: TaskProgress | Profile | dict[str, Any]) -> None:
            if isinstance(message, TaskProgress):
                self._running[job.id] = message
            elif isinstance(message, Profile):
                message.save(self.store.early(job))
                self._change(job, early=True)
            else:
                self._change(job, **message)

        try:
            notes = self.runner.run(task, listen=listen, check=check)
        except TaskCancelled:  # if the server stops, the result may be written already
            return {"state": "finished" if task.profile.exists() else "interrupted"}
        except SeveralPartsError as error:
            return {"state": "undecided", "parts": error.parts}
        except BarthesError as error:
            return {"state": "failed", "problem": str(error), "option": error.option or None}
        except Exception as error:  # must not stop the queue
            _logger.exception("job %s failed", job.id)
            return {"state": "failed", "problem": f"{type(error).__name__}: {error}"}
        return {"state": "finished", "notes": notes}

    def _change(self, job: Job, **changes: Any) -> None:
        with self._changed:
            if (current := self._find_running(job)) is not None:
                self._put(current.change(**changes))

    def _find_running(self, job: Job) -> Job | None:
        """Return the job as it is now, unless it was cancelled or deleted meanwhile."""
        current = self._jobs.get(job.id)
        return current if current is not None and current.state == "running" else None
