"""Who may ask for what: host names, origins, the token; and the headers that every answer carries.

The dangers of a server on one's own machine come from one's own browser: a page elsewhere that has its name
point to 127.0.0.1 (hence the check of ``Host``), or that sends a form here (hence that of ``Origin``).
"""

from __future__ import annotations

import hmac
import ipaddress
import socket
from collections.abc import Iterable, Mapping
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["POLICY", "Guard", "allowed_hosts", "is_loopback"]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""What the pages may load: their own files and nothing else, and no script that is not a file."""

_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), interest-cohort=()",
    "cache-control": "no-store",
}
_SAFE = ("GET", "HEAD", "OPTIONS")


def is_loopback(host: str) -> bool:
    """Whether an address is reached from this machine only.

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
    """The names that a server bound to `host` answers to; numeric addresses need not be named.

    >>> sorted(allowed_hosts("127.0.0.1"))
    ['localhost']
    """
    names = {"localhost", *others}
    if not is_loopback(host):
        names |= {host, socket.gethostname(), f"{socket.gethostname()}.local"}
    return frozenset(name.lower().rstrip(".") for name in names)


class Guard:
    """ASGI middleware in front of everything.

    Args:
        app: What it guards.
        hosts: The names in ``Host`` that are answered; a numeric address is answered if `numeric`, and
            127.0.0.1 and [::1] always. (A name can be made to point here by anyone, an address cannot.)
        numeric: Whether any numeric address is answered.
        token: What everything under /api/ asks for, in ``Authorization: Bearer`` or in the cookie; None
            asks for nothing.
        cookie: The name of the cookie.
    """

    def __init__(
        self, app: ASGIApp, *, hosts: frozenset[str], numeric: bool, token: str | None, cookie: str
    ) -> None:
        self._app = app
        self._hosts = hosts
        self._numeric = numeric
        self._token = token
        self._cookie = cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name.lower() for name, _ in message["headers"]}
                extra = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
                message["headers"] = [*message["headers"], *(pair for pair in extra if pair[0] not in given)]
            await send(message)

        if scope["type"] != "http":
            return  # no sockets are spoken here
        refusal = self._refuse(scope)
        if refusal is None:
            await self._app(scope, receive, send_guarded)
            return
        from starlette.responses import JSONResponse

        status, problem = refusal
        await JSONResponse({"detail": problem}, status)(scope, receive, send_guarded)

    def _refuse(self, scope: Scope) -> tuple[int, str] | None:
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
        }
        host = headers.get("host", "")
        if not self._answers_to(host):
            return 421, (
                f"This server does not answer to the name {_strip_port(host)[:80]!r}. If it should, start it "
                "with --allow-host and that name."
            )
        if scope["method"] not in _SAFE and not _is_same_origin(headers, host):
            return (
                403,
                "This request comes from another site, and only the server's own page may change things.",
            )
        if self._needs_token(scope) and not self._has_token(headers):
            return 401, "This server asks for its token, which it printed when it was started."
        return None

    def _answers_to(self, host: str) -> bool:
        name = _strip_port(host).lower().rstrip(".")
        try:
            address = ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return name in self._hosts
        return self._numeric or address.is_loopback

    def _needs_token(self, scope: Scope) -> bool:
        return self._token is not None and scope["path"].startswith("/api/")

    def _has_token(self, headers: Mapping[str, str]) -> bool:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            given = _read_cookie(headers.get("cookie", ""), self._cookie)
        expected = self._token or ""
        # In constant time: how long it takes must not tell how much of it was right.
        return hmac.compare_digest(given.strip().encode("utf-8", "replace"), expected.encode())


def _strip_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() and (name.endswith("]") or ":" not in name) else host


def _is_same_origin(headers: Mapping[str, str], host: str) -> bool:
    """Whether a request that changes something comes from our own page, or from no page at all (a script)."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == host.lower()
    except ValueError:  # such as http://[
        return False


def _read_cookie(header: str, name: str) -> str:
    try:
        cookies = SimpleCookie(header)
    except CookieError:
        return ""
    return cookies[name].value if name in cookies else ""
