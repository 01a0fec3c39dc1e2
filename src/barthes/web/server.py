"""Run the server: bind an address, serve until a signal, shut down cleanly."""

from __future__ import annotations

import contextlib
import secrets
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from barthes.errors import BarthesError, NarrativeError
from barthes.narrative import Narrative
from barthes.reading.source import LARGEST

DEFAULT_PORT = 8710


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the server; what exceeds them is refused with a message.

    Attributes:
        size: Bytes of a file or a pasted text.
        sentences: Sentences of a story.
        waiting: Stories in the queue.
        seconds: Time to read and score one story.
        upload_seconds: Time for an upload.
    """

    size: int = LARGEST
    sentences: int = 5_000
    waiting: int = 20
    seconds: float = 7_200
    upload_seconds: float = 300

    def check_length(self, narrative: Narrative, *, where: str) -> None:
        """Raise NarrativeError if a story has too many sentences."""
        if len(narrative) > self.sentences:
            raise NarrativeError(
                f"it has {len(narrative):,} sentences; this server accepts up to {self.sentences:,}.",
                where=where,
                remedy="Choose a chapter, or ask for a higher limit on the server.",
            )

    def explain_size(self) -> str:
        """Return the message for a story that is too large."""
        return f"The story is larger than {self.size / 1e6:g} MB. Split it into parts."

    def explain_timeout(self) -> str:
        """Return the message for a story that took too long."""
        return (
            f"Scoring took longer than {self.seconds / 60:,.0f} minutes, the limit of this server. Choose a "
            "chapter or a faster method, or ask for a higher limit on the server."
        )


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
        warm: Whether the worker loads the default model at once, unless it has to be downloaded.
    """

    host: str = "127.0.0.1"
    port: int | None = None
    token: bool = False
    hosts: Sequence[str] = ()
    results: Path
    models: Sequence[str] = ()
    limits: Limits = field(default_factory=Limits)
    warm: bool = True


def serve(settings: ServerSettings, *, ready: Callable[[str, str | None], None]) -> None:
    """Serve until Ctrl-C or a termination signal.

    Args:
        settings: The settings.
        ready: Called with the address of the page and the token (or None) once the page can be opened.

    Raises:
        BarthesError: The address or the folder for results cannot be used, or FastAPI is not installed.
    """
    try:
        import fastapi  # noqa: F401
        import uvicorn
    except ModuleNotFoundError as error:
        raise BarthesError(
            f"the web page needs {error.name}, which is not installed.",
            remedy="Install it with: pip install fastapi uvicorn",
        ) from error
    from barthes.web.app import make_app
    from barthes.web.job_store import JobStore
    from barthes.web.jobs import JobQueue
    from barthes.web.score_options import Choices
    from barthes.web.security import Access, allowed_hosts, is_loopback

    results = JobStore(settings.results)
    choices = Choices(settings.models)
    warm = choices.default_model if settings.warm and choices.is_local(choices.default_model) else None
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
        queue = JobQueue(results, limits=settings.limits, warm=warm)

        class Server(uvicorn.Server):
            """Ends event streams at a signal, so that they do not delay the shutdown."""

            def handle_exit(self, sig: int, frame: FrameType | None) -> None:
                queue.is_stopping = True
                super().handle_exit(sig, frame)

            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                ready(_address(settings.host, port), token)

        config = uvicorn.Config(
            make_app(queue, choices, access),
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


def _bind(host: str, port: int | None) -> socket.socket:
    """Return a socket that listens at the address; without a port, at the first free one from 8710 on."""
    tried = range(DEFAULT_PORT, DEFAULT_PORT + 20) if port is None else [port]
    problem: OSError | None = None
    for each in tried:
        try:
            return _listen(host, each)
        except OSError as error:
            problem = error
    raise BarthesError(
        f"cannot listen on this address ({problem.strerror if problem else 'unknown'}).",
        where=f"{host}:{tried[0]}",
        remedy="Choose another port, or another address.",
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
    """Return the address for the browser."""
    shown = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)
    return f"http://[{shown}]:{port}/" if ":" in shown else f"http://{shown}:{port}/"
