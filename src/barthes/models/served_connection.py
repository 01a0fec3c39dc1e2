"""The connection to a server of language models: address, key, time limits, retries and back-off.

::

    request ─▶ server ─┬─▶ a whole answer ─────────────────────────────────────────▶ the result
                ▲      ├─▶ 429, 5xx, a broken answer or none ─▶ wait, longer each time ─┐
                │      └─▶ any other status ─▶ ModelError                               │
                └───────────────────────────────────────────────────────────────────────┘
"""

from __future__ import annotations

import asyncio
import functools
import os
import random
import threading
import time
import weakref
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from barthes.errors import ModelError

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")

KEY = "BARTHES_API_KEY"
"""The environment variable with the key of the server, if it asks for one."""
RANK = "BARTHES_RANK"
"""The environment variable with the number of a worker of a run, which replaces ``{rank}`` in an address."""
PATIENCE = 300.0
"""Seconds after its first failure in which a request is sent again; a server may be restarted meanwhile."""
FIRST_WAIT = 0.5
"""Seconds until a failed request is sent again; doubled each time."""

_LONGEST_WAIT = 30.0
_TIMEOUT = 600.0  # seconds; a long text may wait behind others
_AT_ONCE = 64  # requests
_TRANSIENT = (408, 429, 500, 502, 503, 504)


def _repeats_key(text: str) -> bool:
    """Return whether a text has the key of the server or six characters of it in a row."""
    key = os.environ.get(KEY, "")
    return bool(key) and any(key[start : start + 6] in text for start in range(max(1, len(key) - 5)))


class RejectedError(ModelError):
    """The server rejects a request; sending it again would not help."""


class _PassingError(Exception):
    """A request failed for a reason that may pass. `wait` are the seconds that the server asks for."""

    def __init__(self, problem: str, *, wait: float = 0.0) -> None:
        super().__init__(problem)
        self.wait = wait


class Connection:
    """Sends requests to one server, and repeats those that fail for reasons that may pass.

    Args:
        address: ``http://HOST:PORT/v1``, with ``#NAME`` for one of several models. ``{rank}`` in it is the
            number of the worker.

    Attributes:
        url: The address without the name of the model.
        root: The address of what is not part of the OpenAI interface.
        model: The name of the model; may be empty.
        is_local: Whether the server is on this machine.
        failures: How many requests failed so; the server may have been restarted since.

    Raises:
        ModelError: The address is not valid or contains a password (the message does not repeat it), or the
            key would be sent unencrypted.
    """

    def __init__(self, address: str) -> None:
        import httpx2

        address = address.replace("{rank}", os.environ.get(RANK, "0"))
        host = _check_address(address)
        address, _, self.model = address.partition("#")
        self.root = address.rstrip("/").removesuffix("/v1")
        self.url = f"{self.root}/v1"
        self.is_local = host in ("localhost", "::1") or host.startswith("127.")
        self.failures = 0
        self._room = asyncio.Semaphore(_AT_ONCE)  # the client's own queue is slow if it is long
        self._answered = False
        self._client = httpx2.AsyncClient(
            headers=self._authorize(),
            timeout=httpx2.Timeout(_TIMEOUT, connect=10.0, pool=None),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=_AT_ONCE),
            trust_env=not self.is_local,  # proxies and certificates
        )
        weakref.finalize(self, _close, self._client)

    async def request(self, url: str, parse: Callable[[Any], T], body: object = None) -> T:
        """Return what `parse` makes of the JSON at an address; `body` is sent there, if given.

        An answer for which `parse` raises a ValueError, LookupError or TypeError is broken.

        Raises:
            RejectedError: The server rejects this request.
            ModelError: There is no usable answer.
        """
        wait, first_failure = FIRST_WAIT, None
        while True:
            try:
                async with self._room:
                    return await self._send(url, parse, body)
            except _PassingError as error:
                failure = error
            self.failures += 1
            first_failure = first_failure or time.monotonic()
            pause = max(failure.wait, wait * random.SystemRandom().uniform(0.5, 1.0))
            if time.monotonic() + pause > first_failure + PATIENCE:
                remedy = "Check it, then run the same command again: it continues with what is finished."
                raise self._error(f"the server {failure}.", remedy) from failure
            await asyncio.sleep(pause)
            wait = min(2 * wait, _LONGEST_WAIT)

    async def _send(self, url: str, parse: Callable[[Any], T], body: object) -> T:
        """Send a request once."""
        import httpx2

        try:
            answer = await self._client.request("GET" if body is None else "POST", url, json=body)
        except httpx2.RequestError as error:
            if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout) and not self._answered:
                remedy = "Start the server, or check the address and the network."
                raise self._error(f"no server can be reached ({error}).", remedy) from error
            raise _PassingError(f"does not answer ({type(error).__name__})") from error
        self._answered = True
        if answer.status_code in _TRANSIENT:
            problem = f"answers with the status {answer.status_code}"
            raise _PassingError(problem, wait=_retry_after(answer))
        if not answer.is_success:
            raise self._reject(answer)
        try:
            return parse(answer.json())
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise _PassingError("sends answers that are cut off or broken") from error

    def _reject(self, answer: httpx2.Response) -> ModelError:
        """Return the error for an answer that means no."""
        if answer.status_code in (401, 403):
            return self._error("the server rejects the key.", f"Set its key as {KEY} in the environment.")
        said = " ".join(answer.text.split())
        if _repeats_key(said):
            said = "the answer is not shown, because it repeats the key"
        elif "<html" in said.lower():
            said = "it sends a web page and may not be a server of models"
        said = said[:300]
        return RejectedError(
            f"the server rejects a request ({answer.status_code}: {said}).",
            where=self.url,
            remedy="If the text is too long for it, choose a smaller window.",
            option="window",
        )

    def _authorize(self) -> dict[str, str]:
        """Return the headers with the key, which is never sent where others could read it."""
        key = os.environ.get(KEY)
        if key and not (self.is_local or self.url.startswith("https:")):
            remedy = "Use an https address or an SSH tunnel, or unset the variable."
            raise self._error(f"the key in {KEY} would be sent unencrypted.", remedy)
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _error(self, problem: str, remedy: str) -> ModelError:
        return ModelError(problem, where=self.url, remedy=remedy)


def start(coroutine: Coroutine[Any, Any, T]) -> Future[T]:
    """Run a coroutine in a background thread; cancelling the future cancels it."""
    return asyncio.run_coroutine_threadsafe(coroutine, _run_loop())


@functools.cache
def _run_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="served models", daemon=True).start()
    return loop


def _close(client: httpx2.AsyncClient) -> None:
    start(client.aclose())


def _check_address(address: str) -> str:
    """Return the host of an address."""
    with suppress(ValueError):
        parts = urlsplit(address)
        if parts.hostname and parts.port != 0:
            if "@" not in parts.netloc and not parts.query:
                return parts.hostname
            remedy = f"Leave out user, password and query; set the key as {KEY} in the environment."
            raise ModelError("the address of the model contains a password or a key.", remedy=remedy)
    remedy = "It looks like http://127.0.0.1:8000/v1."
    raise ModelError("the address of the model is not valid.", remedy=remedy)


def _retry_after(answer: httpx2.Response) -> float:
    """Return how many seconds the server asks to wait."""
    with suppress(ValueError):
        return max(0.0, float(answer.headers.get("Retry-After", 0)))
    return 0.0
