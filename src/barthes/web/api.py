"""The HTTP interface to jobs, their progress and their results. `JobQueue` does the work."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, HTTPException, Path, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, Field

from barthes.salience.profile import Profile
from barthes.web.downloads import (
    DOWNLOADS,
    describe_data,
    frame_policy,
    name_file,
    render_report,
)
from barthes.web.job import Job, JobView, Progress
from barthes.web.jobs import JobQueue
from barthes.web.score_options import Choices, Options
from barthes.web.uploads import JobRequest, submit

_POLL = 0.15  # seconds between checks of the progress; scores come in batches
_HEARTBEAT = 15.0  # seconds without an event, after which a proxy might close the connection


class Problem(BaseModel):
    """Why a request was refused."""

    detail: str = Field(description="What is wrong and what to do about it.")


@dataclass(frozen=True, slots=True)
class AppContext:
    """Objects that the routes share, as ``app.state.context``.

    Attributes:
        queue: All jobs.
        choices: The models on offer.
        cookie: The name of the cookie in which a browser keeps the token.
    """

    queue: JobQueue
    choices: Choices
    cookie: str

    def view(self, job: Job) -> dict[str, Any]:
        """Return a job as a `JobView` shows it."""
        address = f"/api/jobs/{job.id}/result."
        downloads = {ending: address + ending for ending in DOWNLOADS} if job.state == "finished" else {}
        return job.view(before=self.queue.count_before(job.id), downloads=downloads)


# Coroutines, so that they need no thread.
async def _get_context(request: Request) -> AppContext:
    context: AppContext = request.app.state.context
    return context


Context = Annotated[AppContext, Depends(_get_context)]


async def _find_job(
    key: Annotated[str, Path(pattern="^[0-9a-f]{16}$", description="The id of a job.")], context: Context
) -> Job:
    job = context.queue.find(key)
    if job is None:
        raise HTTPException(404, "There is no such job. It may have been deleted.")
    return job


FoundJob = Annotated[Job, Depends(_find_job)]


Responses = dict[int | str, dict[str, Any]]


def _describe_error(status: int, description: str) -> Responses:
    return {status: {"model": Problem, "description": description}}


_NO_JOB = _describe_error(404, "There is no such job.")
_NO_RESULT = _NO_JOB | _describe_error(409, "There is no result (yet).")
_FULL = _describe_error(429, "The queue is full.")
_REFUSED = (
    _describe_error(408, "The upload took too long.")
    | _describe_error(413, "The story is too large.")
    | _describe_error(422, "An empty story, or an unknown name.")
    | _FULL
    | _describe_error(507, "The disk is full.")
)
_STORY = {
    "requestBody": {
        "required": True,
        "description": "The story: a file in any format that Barthes reads, or a text.",
        "content": {
            "text/plain": {"schema": {"type": "string"}},
            "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
        },
    }
}
_STREAMED: Responses = _NO_JOB | {200: {"content": {"text/event-stream": {}}}}

router: APIRouter = APIRouter(prefix="/api")


# The summaries and docstrings of routes are their description in /openapi.json.
@router.post("/session", status_code=204, summary="Store the token as a cookie")
def open_session(context: Context, authorization: Annotated[str, Header()] = "") -> Response:
    """For browsers. The token has been checked by then."""
    response = Response(status_code=204)
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        response.set_cookie(context.cookie, token.strip(), httponly=True, samesite="strict")
    return response


@router.get("/options", summary="Methods, models, languages, limits")
def get_options(context: Context) -> Options:
    return context.choices.describe(context.queue.limits)


@router.get("/jobs", summary="All jobs, the newest first", response_model=list[JobView])
def list_jobs(context: Context) -> Any:
    return [context.view(job) for job in context.queue.list()]


@router.post(
    "/jobs",
    status_code=201,
    summary="Score a story",
    response_model=JobView,
    responses=_REFUSED,
    openapi_extra=_STORY,
)
async def add_job(request: Request, asked: Annotated[JobRequest, Depends()], context: Context) -> Any:
    job = await submit(request, asked, context.queue, context.choices)
    return JSONResponse(context.view(job), 201, {"Location": f"/api/jobs/{job.id}"})


@router.get("/jobs/{key}", summary="One job", response_model=JobView, responses=_NO_JOB)
def get_job(job: FoundJob, context: Context) -> Any:
    return context.view(job)


@router.delete("/jobs/{key}", status_code=204, summary="Cancel and delete a job", responses=_NO_JOB)
def delete_job(job: FoundJob, context: Context) -> Response:
    context.queue.delete(job)
    return Response(status_code=204)


@router.post("/jobs/{key}/cancel", summary="Cancel a job", response_model=JobView, responses=_NO_JOB)
def cancel_job(job: FoundJob, context: Context) -> Any:
    return context.view(context.queue.cancel(job))


@router.post(
    "/jobs/{key}/restart", summary="Run a job again", response_model=JobView, responses=_NO_JOB | _FULL
)
def restart_job(job: FoundJob, context: Context) -> Any:
    return context.view(context.queue.restart(job))


@router.get("/jobs/{key}/progress", summary="Progress of a running job", responses=_NO_JOB)
def get_progress(job: FoundJob, context: Context, since: Annotated[int, Query(ge=0)] = 0) -> Progress | None:
    """Null if the job is waiting or over."""
    progress = context.queue.find_progress(job.id)
    return None if progress is None else progress.since(since)


@router.get("/jobs/{key}/events", summary="Progress as server-sent events", responses=_STREAMED)
async def get_events(job: FoundJob, context: Context) -> StreamingResponse:
    """Events `job`, `progress`, `deleted` and `bye` with JSON data, until the job is over."""
    return StreamingResponse(_stream_events(context, job.id), media_type="text/event-stream")


@router.get("/jobs/{key}/result.{ending}", summary="Result as a file", responses=_NO_RESULT)
def get_result(job: FoundJob, context: Context, ending: Annotated[str, Path(max_length=20)]) -> Response:
    """See `downloads` in /api/options for the endings."""
    if (download := DOWNLOADS.get(ending)) is None:
        raise HTTPException(404, f"Unknown result format. Known formats: {', '.join(DOWNLOADS)}.")
    content = download.write(_load_result(job, context))
    named = {"Content-Disposition": name_file(job.title, download.ending)}
    return Response(content, media_type=download.media_type, headers=named)


@router.get("/jobs/{key}/report", summary="Interactive report", responses=_NO_RESULT)
def get_report(job: FoundJob, context: Context) -> HTMLResponse:
    """While the job runs, the report has no scores; the page adds them."""
    progress = context.queue.find_progress(job.id)
    if progress is not None and progress.profile is not None and job.unit != "event":
        profile = progress.profile
    else:
        profile = _load_result(job, context)
    page = render_report(profile)
    headers = {"Content-Security-Policy": frame_policy(page), "X-Frame-Options": "SAMEORIGIN"}
    return HTMLResponse(page, headers=headers)


@router.get("/jobs/{key}/report-data", summary="Data of the report", responses=_NO_RESULT)
def get_report_data(job: FoundJob, context: Context) -> JSONResponse:
    return JSONResponse(describe_data(_load_result(job, context)))


def _load_result(job: Job, context: AppContext) -> Profile:
    job = context.queue.find(job.id) or job  # it may have ended since
    if job.state != "finished":
        raise HTTPException(409, f"There is no result: the job is {job.state}.")
    return context.queue.results.load_profile(job)


async def _stream_events(context: AppContext, key: str) -> AsyncIterator[str]:
    """Yield server-sent events until the job is over.

    ``job``: the job, after every change. ``progress``: new progress. ``deleted``: the job was deleted.
    ``bye``: the last event; the job is over, or the server stops.
    """
    yield "retry: 1000\n\n"
    sent: dict[str, Any] | None = None
    changes, position, silent = -1, 0, 0.0
    while not context.queue.is_stopping:
        progress = context.queue.find_progress(key)  # before the job, so that no last scores are missed
        job = context.queue.find(key)
        if job is None:
            yield _format_event("deleted", {})
            break
        if (view := context.view(job)) != sent:
            sent, silent = view, 0.0
            yield _format_event("job", view)
        if not job.is_active:
            break
        if progress is not None and progress.changes != changes:
            changes, silent = progress.changes, 0.0
            update = progress.since(position)
            position = update.position
            yield _format_event("progress", update.model_dump())
        silent += _POLL
        if silent >= _HEARTBEAT:
            silent = 0.0
            yield ": heartbeat\n\n"
        await asyncio.sleep(_POLL)
    yield _format_event("bye", {})


def _format_event(kind: str, content: dict[str, Any]) -> str:
    return f"event: {kind}\ndata: {json.dumps(content, ensure_ascii=False, allow_nan=False)}\n\n"
