"""A real `barthes serve` in a process of its own, and the plainest of clients."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from tests.cli.interrupts import hear_interrupts
from tests.tiny_models import tiny_network, tiny_tokenizer

PATIENCE = 240  # seconds: the first import of torch on a busy machine is slow


def save_tiny_model(folder: Path) -> Path:
    """A random language model of a few thousand weights, for `--model`."""
    tiny_network(context=4096).save_pretrained(folder)
    tiny_tokenizer().save_pretrained(folder)
    return folder


class RunningServer:
    """Started at once; `close` ends it as Ctrl-C does and gives its exit code."""

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
        """The exit code and what was written to stderr."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors

    def kill(self) -> None:
        """As a power cut would."""
        self.process.kill()
        self.process.communicate(timeout=60)

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and content of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(connection):
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()

    def get(self, path: str) -> Any:
        """The JSON of an answer."""
        status, _, content = self.ask("GET", path)
        assert status == 200, content
        return json.loads(content)

    def post(self, story: str | bytes, **choices: Any) -> dict[str, Any]:
        """A new job."""
        status, _, content = self.send(story, **choices)
        assert status == 201, content
        return json.loads(content)

    def send(self, story: str | bytes, **choices: Any) -> tuple[int, dict[str, str], bytes]:
        """The answer to a story."""
        body = story.encode() if isinstance(story, str) else story
        return self.ask("POST", f"/api/jobs?{urlencode(choices, quote_via=quote)}", body)

    def wait(self, job: dict[str, Any], *states: str) -> dict[str, Any]:
        """The job once it is over, or in one of some states."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            job = self.get(f"/api/jobs/{job['id']}")
            if job["state"] in (states or ("finished", "failed", "cancelled", "interrupted")):
                return job
            time.sleep(0.1)
        raise AssertionError(f"still {job['state']} after {PATIENCE} seconds")

    def follow(self, job: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        """The events of a job."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request("GET", f"/api/jobs/{job['id']}/events")
            answer = connection.getresponse()
            kind = ""
            for line in iter(answer.readline, b""):
                name, _, content = line.decode().rstrip("\n").partition(": ")
                if name == "event":
                    kind = content
                elif name == "data":
                    yield kind, json.loads(content)


@contextlib.contextmanager
def serving(results: Path, *options: str) -> Iterator[RunningServer]:
    """A server for a block of a test."""
    server = RunningServer(results, *options)
    try:
        yield server
    finally:
        server.close()
