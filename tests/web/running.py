"""Servers for tests, `barthes serve` in a process and the application in this one, and stories."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from tests.cli.commands import hear_interrupts
from tests.tiny_models import WORDS, tiny_network, tiny_tokenizer

PATIENCE = 240  # seconds: the first import of torch on a busy machine is slow

TALE = """A wolf came. The king slept and the girl ran.

The wolf ate a sheep! The sheep died. Then the king came and the wolf ran.
It rained. The girl married the king."""

_WORDS = [word for word in WORDS if word.isalpha()]
LONG_TALE = "\n".join(
    " ".join(_WORDS[(3 * i + 7 * j) % len(_WORDS)] for j in range(12)) + " ." for i in range(4_000)
)
"""So many sentences, one a line, that scoring takes long even with a tiny model."""

SLOW = "A wolf came. " * 20_000
"""A text that takes seconds to split into sentences, without any language model."""


def save_tiny_model(folder: Path) -> Path:
    """Save a random language model of a few thousand weights, for `--model`."""
    tiny_network(context=4096).save_pretrained(folder)
    tiny_tokenizer().save_pretrained(folder)
    return folder


class Client:
    """What tests ask a server for; a subclass sends the requests."""

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Return status, headers and content of an answer."""
        raise NotImplementedError

    def get(self, path: str) -> Any:
        """Return the JSON of an answer."""
        status, _, content = self.ask("GET", path)
        assert status == 200, content
        return json.loads(content)

    def post(self, story: str | bytes, **choices: Any) -> dict[str, Any]:
        """Return a new job."""
        status, _, content = self.send(story, **choices)
        assert status == 201, content
        return json.loads(content)

    def send(self, story: str | bytes, **choices: Any) -> tuple[int, dict[str, str], bytes]:
        """Return the answer to a story."""
        body = story.encode() if isinstance(story, str) else story
        return self.ask("POST", f"/api/jobs?{urlencode(choices, quote_via=quote)}", body)

    def wait(self, job: dict[str, Any], *states: str) -> dict[str, Any]:
        """Return the job once it is over, or in one of some states."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            job = self.get(f"/api/jobs/{job['id']}")
            if job["state"] in (states or ("finished", "failed", "cancelled", "interrupted", "undecided")):
                return job
            time.sleep(0.02)
        raise AssertionError(f"still {job['state']} after {PATIENCE} seconds")


class RunningServer(Client):
    """`barthes serve`, started at once; `close` ends it as Ctrl-C does."""

    def __init__(self, results: Path, *options: str, port: int = 0) -> None:
        command = [sys.executable, "-m", "barthes", "serve", "--port", str(port), "--no-open"]
        self.process = subprocess.Popen(
            [*command, "--results", str(results), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            preexec_fn=hear_interrupts,
        )
        first = self.process.stdout.readline()
        found = re.match(r"Barthes is at (http://\S+)", first)
        if not found:
            raise AssertionError(first + "".join(self.process.communicate(timeout=60)))
        self.address, _, self.token = found[1].partition("#token=")
        self.port = urlsplit(self.address).port

    def close(self, number: int = signal.SIGINT) -> tuple[int, str]:
        """Return the exit code and what was written to stderr."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.communicate(timeout=60)

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(connection):
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()


@contextlib.contextmanager
def serving(results: Path, *options: str, port: int = 0) -> Iterator[RunningServer]:
    """A server for a block of a test."""
    server = RunningServer(results, *options, port=port)
    try:
        yield server
    finally:
        server.close()


class InProcessServer(Client):
    """The application without sockets, with a real worker process."""

    def __init__(self, results: Path, *, models: Sequence[str] = (), **limits: float) -> None:
        from barthes.jobs.offer import Limits, Models
        from barthes.web.job_store import JobStore
        from barthes.web.queue import JobQueue
        from barthes.web.security import Access
        from barthes.web.server import make_app

        self.queue = JobQueue(JobStore(results), limits=Limits(**limits))
        self._app = make_app(self.queue, Models(models), Access())
        self.queue.start()
        self.close = self.queue.stop

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        path, _, query = path.partition("?")
        pairs = [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
        return self.request(method, path, query=query.encode(), headers=pairs, body=[body or b""])

    def request(self, *request: Any, **options: Any) -> tuple[int, dict[str, str], bytes]:
        """Return an answer to anything at all, see `_request`; a status of 0 is none."""
        return asyncio.run(asyncio.wait_for(self._request(*request, **options), PATIENCE))

    async def _request(
        self,
        method: str,
        path: str,
        *,
        query: bytes = b"",
        headers: Sequence[tuple[bytes, bytes]] = (),
        body: Sequence[bytes] = (b"",),
        hangs_up: bool = False,  # before the end of the body
    ) -> tuple[int, dict[str, str], bytes]:
        given = {name.lower() for name, _ in headers}
        host = [] if b"host" in given else [(b"host", b"127.0.0.1:8710")]
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": quote(path).encode(),
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
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            if not messages and not hangs_up:
                await asyncio.Event().wait()  # the client waits for its answer
            return messages.pop(0) if messages else {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await self._app(scope, receive, send)
        if not sent:
            return 0, {}, b""
        content = b"".join(message.get("body", b"") for message in sent[1:])
        answered = {name.decode().lower(): value.decode("latin-1") for name, value in sent[0]["headers"]}
        return sent[0]["status"], answered, content
