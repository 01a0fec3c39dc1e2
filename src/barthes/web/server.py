"""The server itself: an address, a loop, and a clean end."""

from __future__ import annotations

import contextlib
import secrets
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from barthes.errors import BarthesError
from barthes.web.limits import Limits

__all__ = ["DEFAULT_PORT", "Settings", "serve"]

DEFAULT_PORT = 8710


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to serve.

    Attributes:
        host: The address to listen on; any but this machine's own asks for a token.
        port: None takes 8710, or the next one that is free; 0 any that is free.
        token: Whether to ask for a token on this machine too.
        hosts: Further names that the server answers to.
        results: The folder for results.
        models: Language models besides the embedded ones; the first is the default.
        limits: What is too much.
        warm: Whether the worker loads the default model at once, if it is here.
    """

    host: str = "127.0.0.1"
    port: int | None = None
    token: bool = False
    hosts: Sequence[str] = ()
    results: Path
    models: Sequence[str] = ()
    limits: Limits = field(default_factory=Limits)
    warm: bool = True


def serve(settings: Settings, *, ready: Callable[[str, str | None], None]) -> None:
    """Serve until Ctrl-C or a termination signal.

    Args:
        settings: How.
        ready: Called with the address of the page and the token, if there is one, once it can be opened.

    Raises:
        BarthesError: The address cannot be used, the results cannot be kept, or FastAPI is not installed.
    """
    try:
        import fastapi  # noqa: F401
        import uvicorn
    except ModuleNotFoundError as error:
        raise BarthesError(
            f"the web page needs {error.name}, which is not installed.",
            remedy="Install it with: pip install 'barthes[serve]'",
        ) from error
    from barthes.web.app import Access, make_app
    from barthes.web.guard import allowed_hosts, is_loopback
    from barthes.web.jobs import Jobs
    from barthes.web.options import Choices
    from barthes.web.results import Results

    results = Results(settings.results)
    choices = Choices(settings.models)
    warm = choices.default_model if settings.warm and choices.is_here(choices.default_model) else None
    local = is_loopback(settings.host)
    token = secrets.token_urlsafe(24) if settings.token or not local else None
    with results.lock(), contextlib.closing(_bind(settings.host, settings.port)) as listener:
        port = listener.getsockname()[1]
        access = Access(
            hosts=allowed_hosts(settings.host, settings.hosts),
            numeric=not local,
            token=token,
            cookie=f"barthes_token_{port}",
        )
        jobs = Jobs(results, limits=settings.limits, warm=warm)
        app = make_app(jobs, choices, settings.limits, access)

        class Server(uvicorn.Server):
            """Lets go of those who listen to a job when it is told to end; they would keep it waiting."""

            def handle_exit(self, sig: int, frame: FrameType | None) -> None:
                jobs.hang_up()
                super().handle_exit(sig, frame)

            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                ready(_address(settings.host, port), token)

        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=3,
            limit_concurrency=200,
            ws="none",
            lifespan="on",
        )
        with contextlib.suppress(KeyboardInterrupt):  # uvicorn raises it again once everything has ended
            Server(config).run(sockets=[listener])


def _bind(host: str, port: int | None) -> socket.socket:
    """A socket that listens at the address; without a port, the first free one from 8710 on.

    Raises:
        BarthesError: There is none.
    """
    tried = range(DEFAULT_PORT, DEFAULT_PORT + 20) if port is None else [port]
    problem: OSError | None = None
    for each in tried:
        try:
            return _listen(host, each)
        except OSError as error:
            problem = error
    first = tried[0]
    raise BarthesError(
        f"it cannot be listened on ({problem.strerror if problem else 'unknown'}).",
        where=f"{host}:{first}",
        remedy="Choose another --port (0 takes any that is free) or --host.",
    ) from problem


def _listen(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, kind, protocol)
    try:
        if sys.platform != "win32":  # there it would let a second server steal the port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener


def _address(host: str, port: int) -> str:
    """What to type into a browser."""
    shown = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)
    return f"http://[{shown}]:{port}/" if ":" in shown else f"http://{shown}:{port}/"
