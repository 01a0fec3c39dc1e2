"""The HTTP interface to jobs: take in, list, cancel, do again, delete. Thin: `Jobs` does the work."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Request
from fastapi.responses import JSONResponse, Response

from barthes.web.desk import GONE, Desk, Key, Responses, explained
from barthes.web.schemas import JobView, Options, Problem
from barthes.web.submission import Wish, submit

__all__ = ["add_job_routes"]

_REFUSALS: Responses = {
    408: {"model": Problem, "description": "The story took too long to come."},
    413: {"model": Problem, "description": "The story is too large."},
    422: {"model": Problem, "description": "An empty story, or a name that does not exist."},
    429: {"model": Problem, "description": "The queue is full."},
    507: {"model": Problem, "description": "There is no room for it on the disk."},
}
_STORY = {
    "requestBody": {
        "required": True,
        "description": "The story itself: the bytes of a file in any format that Barthes reads, or a text.",
        "content": {
            "text/plain": {"schema": {"type": "string"}},
            "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
        },
    }
}


def add_job_routes(router: APIRouter, desk: Desk) -> None:
    """Add the routes under /jobs, /options and /session."""

    @router.post("/session", status_code=204, summary="Keep the token as a cookie, for a browser")
    def open_session(authorization: Annotated[str, Header()] = "") -> Response:
        """The guard has seen that it is the right one; without a token there is nothing to keep."""
        response = Response(status_code=204)
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() == "bearer" and token.strip():
            response.set_cookie(desk.cookie, token.strip(), httponly=True, samesite="strict")
        return response

    @router.get("/options", summary="Methods, models, languages, limits")
    def get_options() -> Options:
        return desk.choices.describe(desk.limits)

    @router.get("/jobs", summary="All jobs, the newest first", response_model=list[JobView])
    def list_jobs() -> Any:
        return [desk.view(job) for job in desk.jobs.list()]

    @router.post(
        "/jobs",
        status_code=201,
        summary="Have a story scored",
        response_model=JobView,
        responses=_REFUSALS,
        openapi_extra=_STORY,
    )
    async def add_job(request: Request, wish: Annotated[Wish, Depends()]) -> Any:
        job = await submit(desk, wish, request)
        return JSONResponse(desk.view(job), 201, {"Location": f"/api/jobs/{job.id}"})

    @router.get("/jobs/{key}", summary="One job", response_model=JobView, responses=GONE)
    def get_job(key: Key) -> Any:
        return desk.view(desk.find(key))

    @router.delete("/jobs/{key}", status_code=204, summary="Cancel and delete a job", responses=GONE)
    def delete_job(key: Key) -> Response:
        explained(lambda: desk.jobs.delete(desk.find(key)))
        return Response(status_code=204)

    @router.post("/jobs/{key}/cancel", summary="Cancel a job", response_model=JobView, responses=GONE)
    def cancel_job(key: Key) -> Any:
        return desk.view(desk.jobs.cancel(desk.find(key)))

    again = GONE | {429: _REFUSALS[429]}

    @router.post("/jobs/{key}/restart", summary="Do a job again", response_model=JobView, responses=again)
    def restart_job(key: Key) -> Any:
        return desk.view(explained(lambda: desk.jobs.renew(desk.find(key))))
