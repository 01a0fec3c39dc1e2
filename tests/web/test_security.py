"""Who may ask for what, and the headers of every answer."""

from __future__ import annotations

import asyncio

import pytest

from barthes.web.security import Access, SecurityMiddleware, allowed_hosts

TOKEN = "s3cret-token-of-some-length"


async def app(scope, receive, send):
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"x-frame-options", b"SAMEORIGIN")]}
    )
    await send({"type": "http.response.body", "body": b"ok"})


def ask(guard, method="GET", path="/api/jobs", **headers):
    sent = []
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "headers": [(name.replace("_", "-").lower().encode(), v.encode()) for name, v in headers.items()],
    }

    async def receive():
        return {"type": "http.request"}

    async def send(message):
        sent.append(message)

    asyncio.run(guard(scope, receive, send))
    return sent[0]["status"], {k.decode().lower(): v.decode() for k, v in sent[0]["headers"]}


def local(**options):
    return SecurityMiddleware(app, Access(**{"hosts": allowed_hosts("127.0.0.1"), "cookie": "c"} | options))


OWN = ["127.0.0.1:8710", "localhost:9000", "LOCALHOST", "[::1]:8710", "127.0.0.2", "localhost."]
OTHER = [
    *("evil.example:8710", "192.168.0.7:8710", "localhost.evil.example", "", "127.0.0.1@evil.example"),
    *("a:b:c", "127.0.0.1.evil.example", "localhost.evil.example:80"),
]


@pytest.mark.parametrize(("host", "status"), [*((h, 200) for h in OWN), *((h, 421) for h in OTHER)])
def test_only_own_names_are_answered(host, status):
    assert ask(local(), Host=host)[0] == ask(local(), path="/", Host=host)[0] == status
    assert ask(local())[0] == 421  # no Host at all


def test_a_server_for_the_network_answers_to_any_address_and_to_names_it_was_given():
    guard = local(hosts=allowed_hosts("0.0.0.0", ["Stories.Example.org"]), numeric=True)
    assert ask(guard, Host="192.168.0.7:8710")[0] == 200
    assert ask(guard, Host="stories.example.org")[0] == 200
    assert ask(guard, Host="evil.example")[0] == 421


@pytest.mark.parametrize("method", ["POST", "DELETE", "PUT", "PATCH"])
def test_changes_come_from_our_own_page_or_from_no_page(method):
    guard, host = local(), "127.0.0.1:8710"
    for own in ({}, {"Origin": "http://127.0.0.1:8710", "Sec_Fetch_Site": "same-origin"}):
        assert ask(guard, method, Host=host, **own)[0] == 200
    for origin in ("http://localhost:8710", "http://127.0.0.1:8711", "http://evil.example", "null", ""):
        assert ask(guard, method, Host=host, Origin=origin)[0] == 403
    for site in ("same-site", "cross-site"):
        assert ask(guard, method, Host=host, Sec_Fetch_Site=site)[0] == 403
    assert ask(guard, "GET", Host=host, Origin="http://evil.example")[0] == 200  # unreadable for it: no CORS


def test_the_token_is_asked_for_under_api_only():
    guard = local(token=TOKEN)
    assert ask(guard, path="/", Host="localhost")[0] == 200
    assert ask(guard, Host="localhost")[0] == 401
    assert ask(guard, Host="localhost", Authorization=f"Bearer {TOKEN}")[0] == 200
    assert ask(guard, Host="localhost", Authorization=f"bearer  {TOKEN}")[0] == 200
    assert ask(guard, Host="localhost", Cookie=f"other=1; c={TOKEN}")[0] == 200
    for wrong in (TOKEN[:-1], TOKEN + "x", "", "é"):
        assert ask(guard, Host="localhost", Authorization=f"Bearer {wrong}")[0] == 401
        assert ask(guard, Host="localhost", Cookie=f"c={wrong}")[0] == 401
    assert ask(guard, Host="localhost", Authorization=f"Basic {TOKEN}")[0] == 401


def test_headers_are_on_every_answer_and_an_answer_can_set_its_own():
    for _, headers in (ask(local(), Host="localhost"), ask(local(), Host="evil.example")):
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
    assert ask(local(), Host="localhost")[1]["x-frame-options"] == "SAMEORIGIN"
    assert ask(local(), Host="evil.example")[1]["x-frame-options"] == "DENY"
