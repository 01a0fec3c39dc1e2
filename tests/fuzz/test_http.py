"""Any HTTP request is answered without a 5xx status or an exception.

Requests go directly to the application; a real worker scores.
"""

from __future__ import annotations

import json
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.web.running import InProcessServer

SLOW = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
STORY = b"It rained.\nThe wolf came.\nThe girl ran."
LIMITS = {"bytes": 20_000, "sentences": 50, "waiting": 400, "upload_seconds": 2}
ENDINGS = ["html", "tsv", "csv", "json", "tei", "exe", "../job.json", ""]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server with a story that was scored, and one that could not be."""
    made = InProcessServer(tmp_path_factory.mktemp("results"), models=["./no-such-model"], **LIMITS)
    for story, name in ((STORY, ""), (b"%PDF-1.7 broken", "a.pdf")):
        made.wait(made.post(story, name=name, method="position", lines="true"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def jobs(server):
    return [job.id for job in server.queue.list()]


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
NAMES = ["name", "file", "method", "unit", "model", "language", "lines", "chapter", "anything"]
QUERIES = st.lists(st.tuples(st.sampled_from(NAMES), WORDS), max_size=4)
METHODS = st.sampled_from(["GET", "POST", "DELETE", "PUT", "HEAD", "OPTIONS", "PATCH", "TRACE", "X"])
PARTS = ["", *"/report /cancel /restart".split()]
PARTS += [f"/result.{e}" for e in ENDINGS]


def paths(jobs):
    keys = st.sampled_from([*jobs, "0" * 16, "..", "job", "0" * 17]) | st.text(max_size=20)
    known = st.builds(lambda key, part: f"/api/jobs/{key}{part}", keys, st.sampled_from(PARTS))
    fixed = "/ /api/jobs /api/options /api/session /openapi.json /favicon.ico //".split()
    other = st.builds(str.__add__, st.sampled_from(["/static/", "/"]), st.text(max_size=30))
    return known | st.sampled_from(fixed) | other


def check(status, headers, content):
    assert status < 500, content
    if status:
        assert headers["x-content-type-options"] == "nosniff"
        assert "content-security-policy" in headers
    if status >= 400 and content:
        assert isinstance(json.loads(content)["detail"], str), content


@given(data=st.data(), method=METHODS, query=QUERIES, headers=HEADERS, hangs_up=st.booleans())
@settings(max_examples=150, suppress_health_check=SLOW)
def test_any_request_is_answered_without_server_error(server, jobs, data, method, query, headers, hangs_up):
    path = data.draw(paths(jobs))
    if method == "DELETE" and path.removeprefix("/api/jobs/") in jobs:
        return  # they are still needed
    body = data.draw(st.lists(st.binary(max_size=200), min_size=1, max_size=3))
    encoded = urlencode(query, errors="replace").encode() if query else data.draw(st.binary(max_size=20))
    check(*server.request(method, path, query=encoded, headers=headers, body=body, hangs_up=hangs_up))


@given(query=QUERIES, body=st.lists(st.binary(max_size=300), min_size=1, max_size=3), headers=HEADERS)
@settings(max_examples=50, suppress_health_check=SLOW)
def test_any_story_is_accepted_or_refused_with_a_reason(server, query, body, headers):
    encoded = urlencode(query, errors="replace").encode()
    status, answered, content = server.request("POST", "/api/jobs", query=encoded, headers=headers, body=body)
    check(status, answered, content)
    if status == 201:
        assert server.ask("DELETE", f"/api/jobs/{json.loads(content)['id']}")[0] == 204


@pytest.mark.parametrize("length", [None, b"999999999", b"9" * 5_000])
def test_too_long_a_story_is_refused_before_it_is_uploaded(server, length):
    headers = [] if length is None else [(b"Content-Length", length)]
    answer = server.request("POST", "/api/jobs", headers=headers, body=[b"A wolf. " * 1_000] * 4)
    check(*answer)
    assert answer[0] == 413
