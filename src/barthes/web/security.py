"""Access control (host names, origins, the token) and the security headers of every answer.

A server on one's own machine is attacked through one's own browser: by a site whose name points to 127.0.0.1
(so ``Host`` is checked), or that sends a form here (so ``Origin`` is checked).
"""

from __future__ import annotations

import hmac
import ipaddress
import socket
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""The pages may load nothing but their own files, and no inline scripts."""

_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), interest-cohort=()",
}
_SAFE = ("GET", "HEAD", "OPTIONS")


def is_loopback(host: str) -> bool:
    """Return whether an address can be reached from this machine only.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def allowed_hosts(host: str, others: Iterable[str] = ()) -> frozenset[str]:
    """Return the names that a server bound to `host` answers to.

    >>> sorted(allowed_hosts("127.0.0.1"))
    ['localhost']
    """
    names = {"localhost", *others}
    if not is_loopback(host):
        names |= {host, socket.gethostname(), f"{socket.gethostname()}.local"}
    return frozenset(name.lower().rstrip(".") for name in names)


@dataclass(frozen=True, slots=True)
class Access:
    """Who may use the server.

    Attributes:
        hosts: The names in ``Host`` that are answered; 127.0.0.1 and [::1] always are.
        numeric: Whether any numeric address in ``Host`` is answered. (Anyone can make a name point here, but
            not an address.)
        token: The token that everything under /api/ needs, as ``Authorization: Bearer`` or in the cookie;
            None needs none.
        cookie: The name of the cookie in which a browser keeps the token.
    """

    hosts: frozenset[str] = frozenset({"localhost"})
    numeric: bool = False
    token: str | None = field(default=None, repr=False)
    cookie: str = "barthes_token"


class SecurityMiddleware:
    """ASGI middleware that refuses requests without access, and adds the security headers to all answers."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # there are no WebSockets here

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                caching = "no-store" if scope["path"].startswith("/api/") else "no-cache"
                for name, value in (_HEADERS | {"cache-control": caching}).items():
                    headers.setdefault(name, value)
            await send(message)

        answer = self._refuse(HTTPConnection(scope)) or self._app
        await answer(scope, receive, send_with_headers)

    def _refuse(self, request: HTTPConnection) -> ASGIApp | None:
        """Return the answer to a request without access."""
        host = request.headers.get("host", "")
        path = request.scope["path"]
        if not self._answers_to(host):
            problem = (
                f"This server does not accept the host name {host[:80]!r}. Use another address, or ask for "
                "the name to be allowed on the server."
            )
            return JSONResponse({"detail": problem}, 421)
        if request.scope["method"] not in _SAFE and not _is_same_origin(request, host):
            problem = "This request comes from another site; only the server's own page may change data."
            return JSONResponse({"detail": problem}, 403)
        if path.startswith("/api/") and not self._has_token(request):
            problem = "This server requires a token, which it printed when it started."
            return JSONResponse({"detail": problem}, 401)
        return None

    def _answers_to(self, host: str) -> bool:
        try:
            name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
        except ValueError:  # such as [
            return False
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return name in self._access.hosts
        return self._access.numeric or address.is_loopback

    def _has_token(self, request: HTTPConnection) -> bool:
        if self._access.token is None:
            return True
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            given = request.cookies.get(self._access.cookie, "")
        # In constant time, so that the time does not reveal how much of it was right.
        return hmac.compare_digest(given.strip().encode("utf-8", "replace"), self._access.token.encode())


def _is_same_origin(request: HTTPConnection, host: str) -> bool:
    """Return whether a request comes from our own page, or from no page at all (a script)."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = request.headers.get("origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == host.lower()
    except ValueError:  # such as http://[
        return False
