"""The course of a job as server-sent events: what the page listens to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from barthes.web.course import describe
from barthes.web.job import Job
from barthes.web.jobs import Jobs

__all__ = ["follow"]

_LOOK = 0.15  # seconds between looks at the course: scores come in batches, and a tab costs next to nothing
_HEARTBEAT = 15.0  # seconds of silence after which a sign of life is sent, or proxies hang up


async def follow(jobs: Jobs, key: str, view: Callable[[Job], dict[str, Any]]) -> AsyncIterator[str]:
    """Events until the job is over, the first ones with everything that has happened so far.

    ``job`` has the job whenever it changes, ``progress`` what is new about its course, ``deleted`` says that
    it is gone; ``bye`` is the last: the job is over, or the server stops.
    """
    yield "retry: 1000\n\n"
    told: dict[str, Any] | None = None
    changes, position, silent = -1, 0, 0.0
    while not jobs.is_stopping:
        course = jobs.find_course(key)  # before the job: a job that is over has told everything
        job = jobs.find(key)
        if job is None:
            yield _event("deleted", {})
            break
        if (now := view(job)) != told:
            told, silent = now, 0.0
            yield _event("job", now)
        if not job.is_under_way:
            break
        if course is not None and course.changes != changes:
            changes, silent = course.changes, 0.0
            news = course.tell(position)
            position = news.position
            yield _event("progress", describe(news))
        silent += _LOOK
        if silent >= _HEARTBEAT:
            silent = 0.0
            yield ": still here\n\n"
        await asyncio.sleep(_LOOK)
    yield _event("bye", {})


def _event(kind: str, content: dict[str, Any]) -> str:
    return f"event: {kind}\ndata: {json.dumps(content, ensure_ascii=False, allow_nan=False)}\n\n"
