"""The queue of jobs, which runs one at a time."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections import deque
from typing import Any

from barthes.errors import BarthesError, OutputError
from barthes.web.downloads import make_blank_profile
from barthes.web.job import Job, JobProgress
from barthes.web.job_store import JobStore
from barthes.web.job_worker import JobWorker, ScoringTask
from barthes.web.server import Limits
from barthes.web.worker import GRACE, WorkerLostError, WorkerProcess

_logger = logging.getLogger("barthes")

_POLL = 0.05  # seconds


class QueueFullError(BarthesError):
    """The queue is full."""


class JobQueue:
    """All jobs of a server, and the thread that runs them in the worker.

    Jobs that were active when the last server stopped become interrupted, or finished if their result was
    written.

    Args:
        results: Where they are stored.
        limits: The limits on them.
        warm: A language model to load at start; None waits for the first job.

    Attributes:
        is_stopping: Whether the server is stopping, so that event streams end.
    """

    def __init__(self, results: JobStore, *, limits: Limits, warm: str | None = None) -> None:
        self.results = results
        self.limits = limits
        self._warm = warm
        self._changed = threading.Condition()
        self._jobs = {job.id: self._recover(job) for job in results.load()}
        self._waiting: deque[str] = deque()
        self._running: dict[str, JobProgress] = {}
        self._cancelled: set[str] = set()
        self.is_stopping: bool = False
        self._worker = WorkerProcess(JobWorker)
        self._thread = threading.Thread(target=self._run, name="barthes jobs", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the worker; jobs that are waiting or running become interrupted."""
        with self._changed:
            self.is_stopping = True
            for job in [self._jobs[key] for key in self._waiting]:
                self._put(job.end("interrupted"))
            self._waiting.clear()
            self._changed.notify_all()
        self._thread.join(10)

    def list(self) -> list[Job]:
        """Return all jobs, the newest first."""
        with self._changed:
            return sorted(self._jobs.values(), key=lambda job: (job.created, job.id), reverse=True)

    def find(self, key: str) -> Job | None:
        """Return the job with that id."""
        return self._jobs.get(key)

    def find_progress(self, key: str) -> JobProgress | None:
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
            if job.id in self._waiting:
                self._waiting.remove(job.id)
                self._put(job.end("cancelled"))
            elif job.id in self._running and job.state == "running":
                self._cancelled.add(job.id)
                self._put(job.end("cancelled"))
            self._changed.notify_all()
            return self._jobs.get(job.id, job)

    def restart(self, job: Job) -> Job:
        """Run a finished job again, or raise QueueFullError."""
        self._wait_for_worker(job)  # it may still be busy with a job that was just cancelled
        with self._changed:
            current = self._jobs.get(job.id)
            if current is None:
                return job  # deleted meanwhile
            if not current.is_active:
                self.check_room()  # before anything is lost
                self.results.profile(job).unlink(missing_ok=True)
                self.add(current.reset())
            return self._jobs[job.id]

    def delete(self, job: Job) -> None:
        """Cancel a job and delete its files, or raise OutputError."""
        self.cancel(job)
        self._wait_for_worker(job)
        with self._changed:
            if job.id in self._jobs:
                self.results.delete(job)
                del self._jobs[job.id]

    def _wait_for_worker(self, job: Job) -> None:
        """Wait until the worker has stopped a job that is over."""
        with self._changed:
            current = self._jobs.get(job.id)
            if current is None or not current.is_active:
                self._changed.wait_for(lambda: job.id not in self._running, timeout=GRACE + 8)

    def _recover(self, job: Job) -> Job:
        written = self.results.profile(job).exists()
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
            self.results.save(job)
        except OutputError as error:  # a full disk must not stop the queue
            _logger.warning("cannot store the state of a job: %s", error)

    def _restart_worker(self) -> None:
        self._worker.end()
        if self._warm is not None:
            with contextlib.suppress(WorkerLostError):  # the next job starts another
                self._worker.send("warm", self._warm)

    def _run(self) -> None:
        """Run one job after the other until the server stops."""
        self._restart_worker()
        while (job := self._take()) is not None:
            began = time.monotonic()
            try:
                changes = self._do(job, self._running[job.id])
            except WorkerLostError as error:
                changes = {"state": "failed", "problem": str(error)}
            except Exception as error:  # must not stop the queue
                _logger.exception("job %s failed", job.id)
                changes = {"state": "failed", "problem": f"{type(error).__name__}: {error}"}
            with self._changed:
                del self._running[job.id]
                self._cancelled.discard(job.id)
                current = self._jobs.get(job.id)
                if current is not None and current.state == "running":  # not cancelled or deleted meanwhile
                    self._put(current.end(**changes, seconds=round(time.monotonic() - began, 3)))
                self._changed.notify_all()
        self._worker.end()

    def _take(self) -> Job | None:
        """Wait for the next job; return None when the server stops."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self.is_stopping)
            if self.is_stopping:
                return None
            job = self._jobs[self._waiting.popleft()].change(state="running")
            self._running[job.id] = JobProgress()
            self._put(job)
            return job

    def _do(self, job: Job, progress: JobProgress) -> dict[str, Any]:
        """Run a job in the worker; return the changes that end it, or raise WorkerLostError."""
        task = ScoringTask(job, self.results.story(job), self.results.profile(job), self.limits)
        self._worker.send("run", task)
        deadline = time.monotonic() + self.limits.seconds
        last_moment: float | None = None
        while True:
            if job.id in self._cancelled and last_moment is None:
                self._worker.send("cancel", None)
                last_moment = time.monotonic() + GRACE
            if self.is_stopping:  # the result may be written already
                return {"state": "finished" if task.profile.exists() else "interrupted"}
            if last_moment is not None and time.monotonic() > last_moment:
                self._restart_worker()
                return {"state": "cancelled"}
            if time.monotonic() > deadline:
                self._restart_worker()
                return {"state": "failed", "problem": self.limits.explain_timeout()}
            message = self._worker.receive(_POLL)
            if message is not None and (changes := self._handle(job, progress, *message)) is not None:
                return changes

    def _handle(self, job: Job, progress: JobProgress, kind: str, *content: Any) -> dict[str, Any] | None:
        """Handle a message of the worker; return the changes that end the job, if it is the last one."""
        if kind == "phase":
            progress.start_phase(*content)
        elif kind == "progress":
            progress.update(*content)
        elif kind == "scored":
            progress.add_score(*content)
        elif kind == "read":
            [narrative] = content
            progress.profile = make_blank_profile(narrative, job)
            found = {"title": narrative.title, "sentences": len(narrative), "notes": list(narrative.notes)}
            with self._changed:
                if job.id in self._jobs:
                    self._put(self._jobs[job.id].change(**found))
        return content[0] if kind == "ended" else None
