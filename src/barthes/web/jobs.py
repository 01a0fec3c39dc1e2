"""The queue: jobs are taken in, done one after the other, cancelled, done again, deleted."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from dataclasses import replace
from typing import Any

from barthes.errors import BarthesError, OutputError
from barthes.web.course import Course
from barthes.web.hand import Hand, WorkerLost
from barthes.web.job import Job
from barthes.web.limits import Limits
from barthes.web.results import Results
from barthes.web.worker import Task

__all__ = ["GRACE", "Jobs", "QueueFullError"]

GRACE = 1.0
"""Seconds that a cancelled worker has to stop by itself, and so keep its model, before it is ended."""

_TICK = 0.05


class QueueFullError(BarthesError):
    """As many stories are waiting as the server takes on."""


class Jobs:
    """All jobs of a server, and the thread that sees to them.

    Jobs that were under way when the last server stopped are interrupted; one whose result had been
    written by then is finished.

    Args:
        results: Where they are kept.
        limits: What is too much.
        warm: A language model that the worker loads before anyone asks; None waits for the first job.
    """

    def __init__(self, results: Results, *, limits: Limits, warm: str | None = None) -> None:
        self.results = results
        self._limits = limits
        self._warm = warm
        self._changed = threading.Condition()
        self._jobs = {job.id: self._recover(job) for job in results.load()}
        self._waiting: deque[str] = deque()
        self._courses: dict[str, Course] = {}
        self._unwanted: set[str] = set()
        self._stopping = False
        self._hand = Hand()
        self._thread = threading.Thread(target=self._attend, name="barthes jobs", daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def stop(self) -> None:
        """End the work under way, which stays as interrupted, and the worker."""
        with self._changed:
            self._stopping = True
            for job in [self._jobs[key] for key in self._waiting]:
                self._put(job.end("interrupted"))
            self._waiting.clear()
            self._changed.notify_all()
        self._thread.join(10)

    @property
    def is_stopping(self) -> bool:
        """Whether the server is about to end."""
        return self._stopping

    def hang_up(self) -> None:
        """Let those who listen to a job know that the server is about to end."""
        self._stopping = True

    def list(self) -> list[Job]:
        """All jobs, the newest first."""
        with self._changed:
            return sorted(self._jobs.values(), key=lambda job: (job.created, job.id), reverse=True)

    def find(self, key: str) -> Job | None:
        """The job of that id."""
        return self._jobs.get(key)

    def find_course(self, key: str) -> Course | None:
        """How far a job that is running has come."""
        return self._courses.get(key)

    def count_before(self, key: str) -> int:
        """How many jobs will be done before a waiting one."""
        with self._changed:
            return list(self._waiting).index(key) + len(self._courses) if key in self._waiting else 0

    def check_room(self) -> None:
        """Raises QueueFullError if no job can be taken in."""
        if len(self._waiting) >= self._limits.waiting:
            raise QueueFullError(
                f"{self._limits.waiting} stories are waiting already.",
                remedy="Try again when some are done, or cancel some.",
            )

    def add(self, job: Job) -> None:
        """Put a job, which `Results.accept` has kept, at the end of the queue.

        Raises:
            QueueFullError: Too many are waiting.
        """
        with self._changed:
            self.check_room()
            self._put(job)
            self._waiting.append(job.id)
            self._changed.notify_all()

    def cancel(self, job: Job) -> Job:
        """Cancel a job; what is over stays as it is."""
        with self._changed:
            job = self._jobs.get(job.id, job)
            if job.id in self._waiting:
                self._waiting.remove(job.id)
                self._put(job.end("cancelled"))
            elif job.id in self._courses and job.state == "running":
                self._unwanted.add(job.id)
                self._put(job.end("cancelled"))
            self._changed.notify_all()
            return self._jobs.get(job.id, job)

    def renew(self, job: Job) -> Job:
        """Do a job that is over once more.

        Raises:
            QueueFullError: Too many are waiting.
        """
        if job.id in self._courses:  # just cancelled: its worker has a second to stop
            self._settle(job.id)
        with self._changed:
            now = self._jobs.get(job.id)
            if now is None:
                return job  # deleted meanwhile
            if not now.is_under_way:
                self.check_room()  # before anything is lost
                self.results.profile(job).unlink(missing_ok=True)
                self.add(now.renew())
            return self._jobs[job.id]

    def delete(self, job: Job) -> None:
        """Cancel a job and delete all that is kept of it."""
        self.cancel(job)
        self._settle(job.id)
        with self._changed:
            if job.id in self._jobs:
                self.results.delete(job)
                del self._jobs[job.id]

    def _settle(self, key: str) -> None:
        """Wait until the worker has let go of a job."""
        with self._changed:
            self._changed.wait_for(lambda: key not in self._courses, timeout=GRACE + 8)

    def _recover(self, job: Job) -> Job:
        written = self.results.profile(job).exists()
        if not job.is_under_way and not (written and job.state == "interrupted"):
            return job
        job = job.end("finished" if written else "interrupted")
        with contextlib.suppress(OutputError):
            self.results.save(job)
        return job

    def _put(self, job: Job) -> None:
        self._jobs[job.id] = job
        # A full disk must not stop the queue; a server started later takes the job for interrupted.
        with contextlib.suppress(OutputError):
            self.results.save(job)

    def _restart(self) -> None:
        """A new worker, which loads its model while nobody waits for it."""
        self._hand.end()
        if self._warm is not None:
            with contextlib.suppress(WorkerLost):  # the next job starts another
                self._hand.ask("warm", self._warm)

    def _attend(self) -> None:
        """The thread: one job after the other."""
        self._restart()
        while (job := self._take()) is not None:
            began = time.monotonic()
            course = self._courses[job.id]
            try:
                changes = self._do(job, course)
            except WorkerLost as lost:
                changes = {"state": "failed", "problem": _explain(lost)}
            except Exception as error:  # the queue must live on
                changes = {"state": "failed", "problem": f"{type(error).__name__}: {error}"}
            with self._changed:
                del self._courses[job.id]
                self._unwanted.discard(job.id)
                now = self._jobs.get(job.id)
                if now is not None and now.state == "running":  # else it was cancelled or deleted meanwhile
                    self._put(now.end(**changes, seconds=round(time.monotonic() - began, 3)))
                self._changed.notify_all()
        self._hand.end()

    def _take(self) -> Job | None:
        """The next job, once there is one; None when the server stops."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._stopping)
            if self._stopping:
                return None
            job = replace(self._jobs[self._waiting.popleft()], state="running")
            self._courses[job.id] = Course()
            self._put(job)
            return job

    def _do(self, job: Job, course: Course) -> dict[str, Any]:
        """Have the worker do a job; gives the changes that end it.

        Raises:
            WorkerLost: The worker ended by itself.
        """
        task = Task(job, self.results.story(job), self.results.profile(job), self._limits.sentences)
        self._hand.ask("score", task)
        deadline = time.monotonic() + self._limits.seconds
        grace: float | None = None
        while True:
            if job.id in self._unwanted and grace is None:
                self._hand.ask("cancel", job.id)
                grace = time.monotonic() + GRACE
            if self._stopping:  # the worker may have written its result, and its last word be on the way
                return {"state": "finished" if task.profile.exists() else "interrupted"}
            if grace is not None and time.monotonic() > grace:
                self._restart()
                return {"state": "cancelled"}
            if time.monotonic() > deadline:
                self._restart()
                return {"state": "failed", "problem": self._explain_timeout()}
            message = self._hand.listen(_TICK)
            if message is not None and (changes := self._hear(job, course, message)) is not None:
                return changes

    def _hear(self, job: Job, course: Course, message: tuple[Any, ...]) -> dict[str, Any] | None:
        """Take in a message; gives the changes that end the job, if it is the last."""
        kind, *content = message
        if kind == "phase":
            course.enter(*content)
        elif kind == "progress":
            course.advance(*content)
        elif kind == "scored":
            course.add((content[0], content[1], content[2]))
        elif kind == "read":
            [narrative] = content
            course.narrative = narrative
            told = {"title": narrative.title, "sentences": len(narrative), "notes": narrative.notes}
            with self._changed:
                if job.id in self._jobs:
                    self._put(replace(self._jobs[job.id], **told))
        elif kind == "finished":
            return {"state": "finished", "notes": tuple(content[0])}
        elif kind == "failed":
            return {"state": "failed", "problem": content[0]}
        elif kind == "cancelled":
            return {"state": "cancelled"}
        return None

    def _explain_timeout(self) -> str:
        minutes = self._limits.seconds / 60
        return (
            f"It took longer than {minutes:,.0f} minutes, which is this server's limit. Choose a chapter or "
            "a faster method, use `barthes score`, or start the server with a larger --max-minutes."
        )


def _explain(lost: WorkerLost) -> str:
    reason = "perhaps for want of memory" if lost.code == -9 else f"exit code {lost.code}"
    return f"The process that scores stories ended unexpectedly ({reason}). A smaller model may help."
