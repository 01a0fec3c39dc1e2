"""The HTTP interface, asked anything: no answer is a 5xx of our making, and nothing is raised.

Requests go straight into the application, as a server would hand them over; a worker really scores.
"""

from __future__ import annotations

import asyncio
import json
import time
from urllib.parse import quote, urlencode

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from barthes.web.app import Access, make_app
from barthes.web.guard import allowed_hosts
from barthes.web.jobs import Jobs
from barthes.web.limits import Limits
from barthes.web.options import Choices
from barthes.web.results import Results

SLOW = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
STORY = b"It rained.\nThe wolf came.\nThe girl ran."
LIMITS = Limits(size=20_000, sentences=50, waiting=400, upload_seconds=2)
ENDINGS = ["html", "tsv", "csv", "json", "tei", "exe", "../job.json", ""]


class Caller:
    """Hands requests to an application; `jobs` are the ids of stories that were scored, or could not be."""

    def __init__(self, app):
        self._app = app
        self.jobs: list[str] = []

    def ask(self, method, path, *, query=b"", headers=(), body=(b"",), hangs_up=False):
        """The status, the headers and the content of an answer; a status of 0 is no answer."""
        return asyncio.run(asyncio.wait_for(self._ask(method, path, query, headers, body, hangs_up), 30))

    async def _ask(self, method, path, query, headers, body, hangs_up):
        given_names = {name.lower() for name, _ in headers}
        host = [] if b"host" in given_names else [(b"host", b"127.0.0.1:8710")]
        raw = quote(path).encode()
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": raw,
            "query_string": query,
            "root_path": "",
            "headers": [*host, *((name.lower(), value) for name, value in headers)],
            "client": ("127.0.0.1", 5),
            "server": ("127.0.0.1", 8710),
        }
        messages = [
            {"type": "http.request", "body": chunk, "more_body": hangs_up or index + 1 < len(body)}
            for index, chunk in enumerate(body)
        ]
        sent = []

        async def receive():
            if messages:
                return messages.pop(0)
            await asyncio.sleep(0 if hangs_up else 0.05)
            return {"type": "http.disconnect"}

        async def send(message):
            sent.append(message)

        await self._app(scope, receive, send)
        if not sent:
            return 0, {}, b""
        content = b"".join(message.get("body", b"") for message in sent[1:])
        return sent[0]["status"], {k.decode().lower(): v for k, v in sent[0]["headers"]}, content

    def post(self, story=STORY, **choices):
        """A new job, once it is over."""
        status, _, content = self.ask(
            "POST", "/api/jobs", query=urlencode({"lines": "true", **choices}).encode(), body=[story]
        )
        assert status == 201, content
        key = json.loads(content)["id"]
        until = time.monotonic() + 120
        while json.loads(self.ask("GET", f"/api/jobs/{key}")[2])["state"] in ("waiting", "running"):
            assert time.monotonic() < until
            time.sleep(0.02)
        return key


@pytest.fixture(scope="module")
def caller(tmp_path_factory):
    jobs = Jobs(Results(tmp_path_factory.mktemp("results")), limits=LIMITS)
    access = Access(hosts=allowed_hosts("127.0.0.1"))
    made = Caller(make_app(jobs, Choices(["./no-such-model"]), LIMITS, access))
    jobs.start()
    made.jobs = [made.post(method="position"), made.post(b"%PDF-1.7 broken", method="position", name="a.pdf")]
    yield made
    jobs.stop()


HEADER_VALUES = st.binary(max_size=40) | st.sampled_from(
    [b"http://[", b"http://[::1", b"null", b"[", b"]:80", b"a@b:99999", b"Bearer \xff", b"bytes=0-",
     b"9" * 5000, b"-1",
     b"chunked", b"application/json", b"c=\"\\", b'="', b"127.0.0.1:8710", b"localhost", b"\xf0\x9f", b"*"]
)  # fmt: skip
HEADERS = st.lists(
    st.tuples(
        st.sampled_from(
            [b"Host", b"Origin", b"Cookie", b"Authorization", b"Content-Length", b"Content-Type",
             b"If-None-Match",
             b"Range", b"Sec-Fetch-Site", b"Accept", b"Accept-Encoding", b"Transfer-Encoding",
             b"X-Anything"]
        ),
        HEADER_VALUES,
    ),
    max_size=3,
)  # fmt: skip
WORDS = st.text(max_size=30) | st.sampled_from(
    ["sd", "va", "position", "sd+tfidf", "tfidf", "+", "sd+", "en", "de", "xx", "event", "sentence",
     "true", "1", "0",
     "-1", "9" * 400, "1e9", "NaN", "smollm2-135m", "../../etc/passwd", "./no-such-model", "a.epub",
     "\x00", "\u202e"]
)  # fmt: skip
NAMES = ["name", "file", "method", "unit", "model", "language", "lines", "chapter", "since", "anything"]
QUERIES = st.lists(st.tuples(st.sampled_from(NAMES), WORDS), max_size=4)
METHODS = st.sampled_from(["GET", "POST", "DELETE", "PUT", "HEAD", "OPTIONS", "PATCH", "TRACE", "X"])
PARTS = [
    "",
    *"/progress /events /report /report-data /cancel /restart".split(),
    *(f"/result.{e}" for e in ENDINGS),
]


def paths(jobs):
    keys = st.sampled_from([*jobs, "0" * 16, "..", "job", "0" * 17]) | st.text(max_size=20)
    known = st.builds(lambda key, part: f"/api/jobs/{key}{part}", keys, st.sampled_from(PARTS))
    fixed = st.sampled_from(
        ["/", "/api/jobs", "/api/options", "/api/session", "/openapi.json", "/favicon.ico", "//"]
    )
    other = st.builds(lambda name: f"/static/{name}", st.text(max_size=20)) | st.text(max_size=30).map(
        "/".__add__
    )
    return known | fixed | other


def check(status, headers, content):
    assert status < 500, content
    if status:
        assert headers["x-content-type-options"] == b"nosniff"
        assert b"content-security-policy" in {name.encode() for name in headers}
    if status >= 400 and content:
        assert isinstance(json.loads(content)["detail"], str), content


@given(data=st.data(), method=METHODS, query=QUERIES, headers=HEADERS, hangs_up=st.booleans())
@settings(max_examples=150, suppress_health_check=SLOW)
def test_any_request_has_an_answer_in_words(caller, data, method, query, headers, hangs_up):
    path = data.draw(paths(caller.jobs))
    if method == "DELETE" and path.removeprefix("/api/jobs/") in caller.jobs:
        return  # they are needed still
    body = data.draw(st.lists(st.binary(max_size=200), min_size=1, max_size=3))
    encoded = urlencode(query, errors="replace").encode() if query else data.draw(st.binary(max_size=20))
    check(*caller.ask(method, path, query=encoded, headers=headers, body=body, hangs_up=hangs_up))


@given(query=QUERIES, body=st.lists(st.binary(max_size=300), min_size=1, max_size=3), headers=HEADERS)
@settings(max_examples=50, suppress_health_check=SLOW)
def test_any_story_is_taken_in_or_refused_in_words(caller, query, body, headers):
    status, answered, content = caller.ask(
        "POST", "/api/jobs", query=urlencode(query, errors="replace").encode(), headers=headers, body=body
    )
    check(status, answered, content)
    if status == 201:
        key = json.loads(content)["id"]
        assert caller.ask("DELETE", f"/api/jobs/{key}")[0] == 204


@given(origin=HEADER_VALUES)
@example(b"http://[")
@settings(max_examples=30, suppress_health_check=SLOW)
def test_any_origin_is_told_from_our_own(caller, origin):
    """`urlsplit` raises for an address that is none."""
    status, headers, content = caller.ask("POST", "/api/session", headers=[(b"Origin", origin)])
    check(status, headers, content)
    assert status == (204 if origin == b"http://127.0.0.1:8710" else 403)


def test_a_story_that_is_too_long_is_refused_before_it_has_come(caller):
    for headers in ([], [(b"Content-Length", b"999999999")], [(b"Content-Length", b"9" * 5_000)]):
        status, answered, content = caller.ask(
            "POST", "/api/jobs", headers=headers, body=[b"A wolf. " * 1_000] * 4
        )
        check(status, answered, content)
        assert status == 413


def test_a_client_that_hangs_up_leaves_nothing_behind(caller):
    before = json.loads(caller.ask("GET", "/api/jobs")[2])
    status, _, _ = caller.ask("POST", "/api/jobs", body=[b"A wolf"], hangs_up=True)
    assert status == 400
    assert len(json.loads(caller.ask("GET", "/api/jobs")[2])) == len(before)
