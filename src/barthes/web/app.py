"""The application: pages, interface and guard put together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from barthes.version import __version__
from barthes.web.desk import Desk
from barthes.web.guard import Guard
from barthes.web.job_routes import add_job_routes
from barthes.web.jobs import Jobs
from barthes.web.limits import Limits
from barthes.web.options import Choices
from barthes.web.pages import make_pages
from barthes.web.result_routes import add_result_routes

if TYPE_CHECKING:
    from starlette.types import ASGIApp

__all__ = ["Access", "make_app"]

_DESCRIPTION = """Score the sentences of stories by salience. Post a story to /api/jobs, follow
/api/jobs/{id}/events (or ask /api/jobs/{id}), then get /api/jobs/{id}/result.json."""


@dataclass(frozen=True, slots=True)
class Access:
    """Who may use the server.

    Attributes:
        hosts: Names that it answers to.
        numeric: Whether it answers to any numeric address.
        token: What it asks for; None for nothing.
        cookie: In which a browser keeps the token.
    """

    hosts: frozenset[str] = frozenset({"localhost"})
    numeric: bool = False
    token: str | None = field(default=None, repr=False)
    cookie: str = "barthes_token"


def make_app(jobs: Jobs, choices: Choices, limits: Limits, access: Access) -> ASGIApp:
    """The guarded application; its lifespan starts and stops the jobs."""

    @asynccontextmanager
    async def live(app: FastAPI) -> AsyncIterator[None]:
        jobs.start()
        try:
            yield
        finally:
            jobs.stop()

    app = FastAPI(
        title="Barthes",
        version=__version__,
        description=_DESCRIPTION,
        lifespan=live,
        docs_url=None,  # it would come from a server far away
        redoc_url=None,
    )
    app.add_exception_handler(RequestValidationError, _explain_request)
    desk = Desk(jobs, choices, limits, access.cookie)
    interface = APIRouter(prefix="/api")
    add_job_routes(interface, desk)
    add_result_routes(interface, desk)
    app.include_router(interface)
    app.include_router(make_pages())
    return Guard(app, hosts=access.hosts, numeric=access.numeric, token=access.token, cookie=access.cookie)


def _explain_request(request: Request, error: Exception) -> JSONResponse:
    """What is wrong with a request, in one line like all other problems."""
    found = error.errors() if isinstance(error, RequestValidationError) else []
    problems = [f"{each['loc'][-1]}: {each['msg']}" for each in found]
    return JSONResponse({"detail": "; ".join(problems) or "The request cannot be understood."}, 422)
