"""The HTTP interface to what comes of a job: its course, its report, its result as a file."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Query
from fastapi.responses import HTMLResponse, JSONResponse, Response, StreamingResponse

from barthes.web.course import describe
from barthes.web.desk import GONE, Desk, Key, Responses, explained
from barthes.web.downloads import DOWNLOADS, name_file
from barthes.web.schemas import Problem, Progress
from barthes.web.stream import follow

__all__ = ["add_result_routes"]

_NONE_YET: Responses = GONE | {409: {"model": Problem, "description": "There is no result (yet)."}}


def add_result_routes(router: APIRouter, desk: Desk) -> None:
    """Add the routes under /jobs/{key}."""
    results = desk.jobs.results

    @router.get("/jobs/{key}/progress", summary="How far a running job has come", responses=GONE)
    def get_progress(key: Key, since: Annotated[int, Query(ge=0)] = 0) -> Progress | None:
        """Null while the job waits and when it is over."""
        desk.find(key)
        course = desk.jobs.find_course(key)
        return None if course is None else Progress.model_validate(describe(course.tell(since)))

    streamed: Responses = GONE | {200: {"content": {"text/event-stream": {}}}}

    @router.get("/jobs/{key}/events", summary="The same as server-sent events", responses=streamed)
    async def get_events(key: Key) -> StreamingResponse:
        """Events `job`, `progress`, `deleted` and `bye`, each with JSON, until the job is over."""
        desk.find(key)
        return StreamingResponse(follow(desk.jobs, key, desk.view), media_type="text/event-stream")

    @router.get("/jobs/{key}/result.{ending}", summary="A result as a file", responses=_NONE_YET)
    def get_result(key: Key, ending: Annotated[str, Path(max_length=20)]) -> Response:
        """The endings are those of `downloads` in /api/options."""
        if ending not in DOWNLOADS:
            raise HTTPException(404, f"There is no result in that form. There are: {', '.join(DOWNLOADS)}.")
        job = desk.find_finished(key)
        download = DOWNLOADS[ending]
        content = explained(lambda: download.write(results.load_profile(job)))
        named = {"Content-Disposition": name_file(job.title, download.ending)}
        return Response(content, media_type=download.kind, headers=named)

    @router.get("/jobs/{key}/report", summary="The interactive report", responses=_NONE_YET)
    def get_report(key: Key) -> HTMLResponse:
        """Without scores yet where the job is running; the page fills them in."""
        from barthes.web.reports import await_scores, frame_policy, render_report

        job = desk.find(key)
        course = desk.jobs.find_course(key)
        if course is not None and course.narrative is not None and job.unit == "sentence":
            page = render_report(await_scores(course.narrative, job))
        else:
            job = desk.find_finished(key)
            page = explained(lambda: render_report(results.load_profile(job)))
        headers = {"Content-Security-Policy": frame_policy(page), "X-Frame-Options": "SAMEORIGIN"}
        return HTMLResponse(page, headers=headers)

    @router.get("/jobs/{key}/report-data", summary="What the report is filled in with", responses=_NONE_YET)
    def get_report_data(key: Key) -> JSONResponse:
        from barthes.web.reports import describe_data

        job = desk.find_finished(key)
        return JSONResponse(explained(lambda: describe_data(results.load_profile(job))))
