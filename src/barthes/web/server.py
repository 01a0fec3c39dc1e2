"""Run the server: put the application together, bind an address, serve until a signal, shut down cleanly."""

from __future__ import annotations

import contextlib
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles

from barthes.errors import BarthesError
from barthes.jobs.offer import Limits, Models
from barthes.version import __version__
from barthes.web import api
from barthes.web.job_store import JobStore
from barthes.web.queue import JobQueue, QueueFullError
from barthes.web.security import Access, SecurityMiddleware, allowed_hosts, is_loopback

if TYPE_CHECKING:
    from starlette.types import ASGIApp

DEFAULT_PORT = 8710

_DESCRIPTION = """Score the sentences of stories by salience. Post a story to /api/jobs, poll /api/jobs/{id}
until its state is finished, then get /api/jobs/{id}/result.json."""

_STATIC = Path(str(files("barthes.web"))) / "static"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """The settings of a server.

    Attributes:
        host: The address to listen on; addresses that other machines can reach require a token.
        port: None takes 8710 or the next free one; 0 takes any free one.
        token: Whether to require a token on this machine too.
        hosts: Further host names to accept.
        results: The folder for results.
        models: Language models besides the embedded ones; the first is the default.
        limits: The limits.
    """

    host: str = "127.0.0.1"
    port: int | None = None
    token: bool = False
    hosts: Sequence[str] = ()
    results: Path
    models: Sequence[str] = ()
    limits: Limits = field(default_factory=Limits)


def serve(settings: ServerSettings, *, ready: Callable[[str, str | None], None]) -> None:
    """Serve until Ctrl-C or a termination signal.

    Args:
        settings: The settings.
        ready: Called with the address of the page and the token (or None) once the page can be opened.

    Raises:
        BarthesError: The address or the folder for results cannot be used.
    """
    store = JobStore(settings.results)
    models = Models(settings.models)
    warm = models.default if models.is_local(models.default) else None
    local = is_loopback(settings.host)
    token = secrets.token_urlsafe(24) if settings.token or not local else None
    with store.lock(), contextlib.closing(_bind(settings.host, settings.port)) as listener:
        port = listener.getsockname()[1]
        access = Access(
            hosts=allowed_hosts(settings.host, settings.hosts),
            numeric=not local,
            token=token,
            cookie=f"barthes_token_{port}",
        )
        queue = JobQueue(store, limits=settings.limits, warm=warm)

        class Server(uvicorn.Server):
            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                ready(_address(settings.host, port), token)

        config = uvicorn.Config(
            make_app(queue, models, access),
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=3,
            limit_concurrency=200,
            ws="none",
            lifespan="on",
        )
        with contextlib.suppress(KeyboardInterrupt):  # uvicorn raises it after a clean shutdown
            Server(config).run(sockets=[listener])


def make_app(queue: JobQueue, models: Models, access: Access) -> ASGIApp:
    """Return the application behind its security middleware; its lifespan starts and stops the queue."""

    @contextlib.asynccontextmanager
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
    app.state.context = api.AppContext(queue, models, access.cookie)
    app.add_exception_handler(RequestValidationError, _explain_request)
    app.add_exception_handler(BarthesError, _explain_error)
    app.include_router(api.router)
    _add_pages(app)
    return SecurityMiddleware(app, access)


def _explain_request(request: Request, error: Exception) -> JSONResponse:
    """Return the problems of a request as one message, with the first parameter that has one."""
    found = error.errors() if isinstance(error, RequestValidationError) else []
    problems = [f"{each['loc'][-1]}: {each['msg']}" for each in found]
    option = str(found[0]["loc"][-1]) if found else None
    detail = "; ".join(problems) or "The request is invalid."
    return JSONResponse({"detail": detail, "option": option}, 422)


def _explain_error(request: Request, error: Exception) -> JSONResponse:
    """Return the message of an error that the library raised."""
    message = str(error)
    status = 429 if isinstance(error, QueueFullError) else 422
    option = error.option if isinstance(error, BarthesError) else ""
    return JSONResponse({"detail": message[:1].upper() + message[1:], "option": option or None}, status)


def _add_pages(app: FastAPI) -> None:
    """Add ``/``, ``/jobs/ID`` and their files, which need no token."""
    pages = {
        "/": _STATIC / "home.html",
        "/jobs/{key}": _STATIC / "job.html",
        "/palette.css": Path(str(files("barthes.report.page"))) / "templates" / "palette.css",
        "/favicon.ico": _STATIC / "icon.svg",
    }
    for path, file in pages.items():
        app.add_route(path, partial(_send_file, file), include_in_schema=False)
    app.mount("/static", StaticFiles(directory=_STATIC))


async def _send_file(file: Path, request: Request) -> FileResponse:
    return FileResponse(file)


def _bind(host: str, port: int | None) -> socket.socket:
    """Return a socket that listens at the address; without a port, at the first free one from 8710 on."""
    tried = range(DEFAULT_PORT, DEFAULT_PORT + 20) if port is None else [port]
    problem: OSError | None = None
    for each in tried:
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            return socket.create_server((host, each), family=family, backlog=128)
        except OSError as error:
            problem = error
    raise BarthesError(
        f"cannot listen on this address ({problem.strerror if problem else 'unknown'}).",
        where=f"{host}:{tried[0]}",
        remedy="Choose another port, or another address.",
    ) from problem


def _address(host: str, port: int) -> str:
    """Return the address for the browser."""
    shown = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)
    return f"http://[{shown}]:{port}/" if ":" in shown else f"http://{shown}:{port}/"
