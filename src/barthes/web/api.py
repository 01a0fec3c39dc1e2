"""The HTTP interface to jobs and their results. `JobQueue` does the work."""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Header, HTTPException, Path, Query, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel, Field

from barthes.annotation.languages import known_languages
from barthes.jobs.offer import Limits, MethodView, Models, ModelView, describe_methods
from barthes.jobs.worker import TaskProgress
from barthes.reading.encoding import USUAL_ENCODINGS
from barthes.report.output import choose_writer, write_profiles
from barthes.salience.profile import Profile
from barthes.salience.serialization import to_saved_dict
from barthes.version import __version__
from barthes.web.job_store import Job, JobChange, JobRequest
from barthes.web.queue import JobQueue
from barthes.web.uploads import submit

_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]+)"')

DOWNLOADS = {
    "html": "text/html",
    "tsv": "text/tab-separated-values",
    "csv": "text/csv",
    "json": "application/json",
    "tei": "application/tei+xml",
}
"""The media types of results by the ending of their address."""


class Problem(BaseModel):
    """Why a request was refused."""

    detail: str = Field(description="What is wrong and what to do about it.")
    option: str | None = Field(None, description="The parameter to change, if it is one.")


class JobView(Job):
    """A job with what is known about it at the moment."""

    before: int = Field(description="Number of jobs ahead of this one.")
    progress: TaskProgress | None = Field(description="Null unless it is running.")
    downloads: dict[str, str] = Field(description="Addresses of results by ending; empty until finished.")


class Options(BaseModel):
    """Everything that can be chosen; the first of each list is the default."""

    version: str
    methods: list[MethodView]
    models: list[ModelView]
    languages: list[str]
    encodings: list[str] = Field(description="Usual ones; others that Python knows are accepted, too.")
    downloads: list[str] = Field(description="Formats of results.")
    limits: Limits


@dataclass(frozen=True, slots=True)
class AppContext:
    """Objects that the routes share, as ``app.state.context``.

    Attributes:
        queue: All jobs.
        models: The models on offer.
        cookie: The name of the cookie in which a browser keeps the token.
    """

    queue: JobQueue
    models: Models
    cookie: str

    def view(self, job: Job) -> JobView:
        """Return a job with what is known about it at the moment."""
        formats = DOWNLOADS if job.state == "finished" else ()
        return JobView(
            **job.model_dump(),
            before=self.queue.count_before(job.id),
            progress=self.queue.find_progress(job.id) if job.state == "running" else None,
            downloads={each: f"/api/jobs/{job.id}/result.{each}" for each in formats},
        )


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


def _describe_errors(**descriptions: str) -> dict[int | str, dict[str, Any]]:
    return {int(key[1:]): {"model": Problem, "description": text} for key, text in descriptions.items()}


_NO_JOB = _describe_errors(_404="There is no such job.")
_NO_RESULT = _NO_JOB | _describe_errors(_409="There is no result (yet).")
_FULL = _describe_errors(_429="The queue is full.")
_REFUSED = _FULL | _describe_errors(
    _408="The upload took too long.",
    _413="The story is too large.",
    _422="An empty story, or an unknown name.",
    _507="The disk is full.",
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
    return Options(
        version=__version__,
        methods=describe_methods(),
        models=context.models.describe(),
        languages=["en", *sorted(known_languages() - {"en"})],
        encodings=list(USUAL_ENCODINGS),
        downloads=list(DOWNLOADS),
        limits=context.queue.limits,
    )


@router.get("/jobs", summary="All jobs, the newest first")
def list_jobs(context: Context) -> list[JobView]:
    return [context.view(job) for job in context.queue.list()]


@router.post("/jobs", status_code=201, summary="Score a story", responses=_REFUSED, openapi_extra=_STORY)
async def add_job(
    request: Request, response: Response, asked: Annotated[JobRequest, Query()], context: Context
) -> JobView:
    job = await submit(request, asked, context.queue, context.models)
    response.headers["Location"] = f"/api/jobs/{job.id}"
    return context.view(job)


@router.get("/jobs/{key}", summary="One job", responses=_NO_JOB)
def get_job(job: FoundJob, context: Context) -> JobView:
    return context.view(job)


@router.delete("/jobs/{key}", status_code=204, summary="Cancel and delete a job", responses=_NO_JOB)
def delete_job(job: FoundJob, context: Context) -> Response:
    context.queue.delete(job)
    return Response(status_code=204)


@router.post("/jobs/{key}/cancel", summary="Cancel a job", responses=_NO_JOB)
def cancel_job(job: FoundJob, context: Context) -> JobView:
    return context.view(context.queue.cancel(job))


@router.post("/jobs/{key}/restart", summary="Run a job again", responses=_NO_JOB | _FULL)
def restart_job(job: FoundJob, context: Context, asked: Annotated[JobChange, Query()]) -> JobView:
    """With other values of the parameters that are given."""
    changes = asked.model_dump(exclude_unset=True) | ({"chapter": None} if asked.whole else {})
    return context.view(context.queue.restart(job, **changes))


@router.get("/jobs/{key}/result.{ending}", summary="Result as a file", responses=_NO_RESULT)
def get_result(job: FoundJob, context: Context, ending: Annotated[str, Path(max_length=20)]) -> Response:
    """See `downloads` in /api/options for the endings."""
    if ending not in DOWNLOADS:
        raise HTTPException(404, f"Unknown result format. Known formats: {', '.join(DOWNLOADS)}.")
    extension = "tei.xml" if ending == "tei" else ending
    return Response(
        _write(_load_result(job, context), ending),
        media_type=f"{DOWNLOADS[ending]}; charset=utf-8",
        headers={"Content-Disposition": name_file(job.title, extension)},
    )


@router.get("/jobs/{key}/report", summary="Interactive report", responses=_NO_RESULT)
def get_report(job: FoundJob, context: Context) -> HTMLResponse:
    """Of a running job with `early` scores, what readers are likely to find important."""
    is_early = job.state == "running" and job.early
    early = context.queue.store.early(job)
    page = _render(Profile.load(early) if is_early else _load_result(job, context))
    headers = {"Content-Security-Policy": _frame_policy(page), "X-Frame-Options": "SAMEORIGIN"}
    return HTMLResponse(page, headers=headers)


def _load_result(job: Job, context: AppContext) -> Profile:
    job = context.queue.find(job.id) or job  # it may have ended since
    if job.state != "finished":
        raise HTTPException(409, f"There is no result: the job is {job.state}.")
    return Profile.load(context.queue.store.profile(job))


def _write(profile: Profile, ending: str) -> str:
    if ending == "html":
        return _render(profile)
    if ending == "json":
        return json.dumps(to_saved_dict(profile), ensure_ascii=False, allow_nan=False)
    stream = io.StringIO()
    write_profiles([profile], choose_writer(ending, None), stream)
    mark = "\ufeff" if ending == "csv" else ""  # or Excel takes it for Windows-1252
    return mark + stream.getvalue()


def _render(profile: Profile) -> str:
    from barthes.report.page import render_page

    title = profile.narrative.title  # never a path here, though it may look like one
    return render_page(profile, title=title if "/" in title or "\\" in title else None)


def _frame_policy(page: str) -> str:
    """Return the page's own Content-Security-Policy as a header that lets only our pages frame it."""
    found = _POLICY.search(page)
    policy = found[1].replace("&#39;", "'") if found else "default-src 'none'"
    return f"{policy}; frame-ancestors 'self'"


def name_file(title: str, extension: str) -> str:
    """Return the value of ``Content-Disposition``, with a name that is valid on every file system.

    >>> name_file('The "old" wolf.txt', "tsv")
    "attachment; filename=the-old-wolf.tsv; filename*=UTF-8''the-old-wolf.tsv"
    """
    stem = re.sub(r"\.[A-Za-z0-9]{1,8}$", "", title)
    words = re.sub(r"[\W_]+", "-", stem.lower()).strip("-")[:60].strip("-") or "story"
    plain = re.sub(r"[^a-z0-9-]+", "", words).strip("-") or "story"
    return f"attachment; filename={plain}.{extension}; filename*=UTF-8''{quote(words)}.{extension}"
