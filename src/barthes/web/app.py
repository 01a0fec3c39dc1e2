"""The application: the pages, the HTTP interface and the security middleware put together."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import TYPE_CHECKING

from fastapi import APIRouter, FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response

from barthes.errors import BarthesError
from barthes.version import __version__
from barthes.web import api
from barthes.web.jobs import JobQueue, QueueFullError
from barthes.web.score_options import Choices
from barthes.web.security import Access, SecurityMiddleware

if TYPE_CHECKING:
    from starlette.types import ASGIApp

_DESCRIPTION = """Score the sentences of stories by salience. Post a story to /api/jobs, follow
/api/jobs/{id}/events (or poll /api/jobs/{id}), then get /api/jobs/{id}/result.json."""

_KINDS = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


def make_app(queue: JobQueue, choices: Choices, access: Access) -> ASGIApp:
    """Return the application behind its security middleware; its lifespan starts and stops the queue."""

    @asynccontextmanager
    async def run_queue(app: FastAPI) -> AsyncIterator[None]:
        queue.start()
        try:
            yield
        finally:
            queue.stop()

    app = FastAPI(
        title="Barthes",
        version=__version__,
        description=_DESCRIPTION,
        lifespan=run_queue,
        docs_url=None,  # it would load scripts from another server
        redoc_url=None,
    )
    app.state.context = api.AppContext(queue, choices, access.cookie)
    app.add_exception_handler(RequestValidationError, _explain_request)
    app.add_exception_handler(BarthesError, _explain_error)
    app.include_router(api.router)
    app.include_router(_make_pages())
    return SecurityMiddleware(app, access)


def _explain_request(request: Request, error: Exception) -> JSONResponse:
    """Return the problems of a request as one message."""
    found = error.errors() if isinstance(error, RequestValidationError) else []
    problems = [f"{each['loc'][-1]}: {each['msg']}" for each in found]
    return JSONResponse({"detail": "; ".join(problems) or "The request is invalid."}, 422)


def _explain_error(request: Request, error: Exception) -> JSONResponse:
    """Return the message of an error that the library raised."""
    message = str(error)
    status = 429 if isinstance(error, QueueFullError) else 422
    return JSONResponse({"detail": message[:1].upper() + message[1:]}, status)


def _make_pages() -> APIRouter:
    """Return routes for ``/``, ``/jobs/ID`` and ``/static/…``, served from memory; they need no token."""
    router = APIRouter(include_in_schema=False)
    contents = {
        path.name: path.read_bytes() for path in (files("barthes.web") / "static").iterdir() if path.is_file()
    }
    contents["palette.css"] = (files("barthes.report.page") / "templates" / "palette.css").read_bytes()
    tags = {name: f'"{hashlib.sha256(content).hexdigest()[:20]}"' for name, content in contents.items()}

    # Coroutines, so that they respond even if all threads are busy.
    @router.get("/static/{name}")
    async def get_static(name: str, request: Request) -> Response:
        kind = _KINDS.get(name.rpartition(".")[2])
        if name not in contents or kind is None:
            raise HTTPException(404, "There is no such page.")
        headers = {"ETag": tags[name], "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == tags[name]:
            return Response(status_code=304, headers=headers)
        return Response(contents[name], media_type=kind, headers=headers)

    @router.get("/")
    async def get_home(request: Request) -> Response:
        return await get_static("home.html", request)

    @router.get("/jobs/{key}")
    async def get_job_page(key: str, request: Request) -> Response:
        return await get_static("job.html", request)

    @router.get("/favicon.ico")
    async def get_icon(request: Request) -> Response:
        return await get_static("icon.svg", request)

    return router
