"""What all routes need at hand: the jobs, what there is to choose from, and the limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import HTTPException, Path

from barthes.errors import BarthesError
from barthes.web.downloads import DOWNLOADS
from barthes.web.job import Job
from barthes.web.jobs import Jobs, QueueFullError
from barthes.web.limits import Limits
from barthes.web.options import Choices
from barthes.web.schemas import Problem

__all__ = ["GONE", "Desk", "Key", "Responses", "explained"]

T = TypeVar("T")
Responses = dict[int | str, dict[str, Any]]

Key = Annotated[str, Path(pattern="^[0-9a-f]{16}$", description="The id of a job.")]
GONE: Responses = {404: {"model": Problem, "description": "There is no such job."}}


@dataclass(frozen=True, slots=True)
class Desk:
    """Where requests are answered.

    Attributes:
        jobs: All jobs.
        choices: What can be asked for.
        limits: What is too much.
        cookie: In which a browser keeps the token.
    """

    jobs: Jobs
    choices: Choices
    limits: Limits
    cookie: str

    def view(self, job: Job) -> dict[str, Any]:
        """A job as the interface shows it: a `JobView`."""
        address = f"/api/jobs/{job.id}/result."
        downloads = {ending: address + ending for ending in DOWNLOADS} if job.state == "finished" else {}
        plain = job.to_dict()
        del plain["suffix"], plain["titled"], plain["name"]
        return plain | {"before": self.jobs.count_before(job.id), "downloads": downloads}

    def find(self, key: str) -> Job:
        """The job of that id.

        Raises:
            HTTPException: There is none.
        """
        job = self.jobs.find(key)
        if job is None:
            raise HTTPException(404, "There is no such job; it may have been deleted.")
        return job

    def find_finished(self, key: str) -> Job:
        """The job of that id, if it has a result.

        Raises:
            HTTPException: There is none.
        """
        job = self.find(key)
        if job.state != "finished":
            raise HTTPException(409, f"There is no result: the job is {job.state}.")
        return job


def explained(do: Callable[[], T]) -> T:
    """Turn what the library raises into an answer in words."""
    try:
        return do()
    except BarthesError as error:
        status = 429 if isinstance(error, QueueFullError) else 422
        message = str(error)
        raise HTTPException(status, message[:1].upper() + message[1:]) from error
