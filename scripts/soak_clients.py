"""Clients for `soak_serve.py`: well-behaved ones, and abusive ones that send invalid or endless requests."""

from __future__ import annotations

import contextlib
import http.client
import json
import random
import socket
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from urllib.parse import urlencode

__all__ = ["METHODS", "Accepted", "Client", "Record"]

METHODS = ("sd", "position", "sd+tfidf")
_PAGES = ("/", "/static/page.css", "/api/options", "/api/jobs", "/openapi.json")
_INVALID = ("method=nonsense", "chapter=0", "unit=story", "model=http://127.0.0.1/v1", "language=klingon")
_OVER = ("finished", "failed", "cancelled", "interrupted")
_FULL = (429, 503)
_HOST = b" HTTP/1.1\r\nHost: localhost\r\n"


@dataclass
class Accepted:
    """A story accepted by the server, and whether its client cancelled or deleted it."""

    story: str
    method: str
    cancelled: bool = False
    deleted: bool = False
    scores: list[float] | None = None


@dataclass
class Record:
    """Responses by status, stories by id, and problems, of all clients."""

    statuses: Counter[int] = field(default_factory=Counter)
    accepted: dict[str, Accepted] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def report(self, problem: str) -> None:
        """Add a problem."""
        with self.lock:
            self.problems.append(problem)


class Client(threading.Thread):
    """A client that sends requests until a deadline."""

    def __init__(self, port: int, record: Record, until: float, seed: int) -> None:
        super().__init__(daemon=True)
        self._port = port
        self._record = record
        self._until = until
        self._random = random.Random(seed)

    def run(self) -> None:
        """Send requests, about one in ten of them abusive."""
        acts = [self._score, self._look, self._abuse]
        while time.monotonic() < self._until:
            try:
                self._random.choices(acts, weights=[5, 4, 1.5])[0]()
            except Exception as error:
                self._record.report(f"{type(error).__name__}: {error}")

    def ask(self, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """Return the status and the content of a response."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        with contextlib.closing(connection):
            connection.request(method, path, body=body)
            answer = connection.getresponse()
            content = answer.read()
        with self._record.lock:
            self._record.statuses[answer.status] += 1
        if answer.status >= 500 and answer.status not in _FULL:
            self._record.report(f"{method} {path}: {answer.status}")
        return answer.status, content

    def _score(self) -> None:
        story, method = self._make_story(), self._random.choice(METHODS)
        query = urlencode({"lines": "true", "method": method, "name": "A tale"})
        status, content = self.ask("POST", f"/api/jobs?{query}", story.encode())
        if status != 201:
            if status not in _FULL:
                self._record.report(f"a valid story was refused: {status} {content[:200]!r}")
            time.sleep(self._random.uniform(0.1, 0.5))
            return
        key, accepted = json.loads(content)["id"], Accepted(story, method)
        with self._record.lock:
            self._record.accepted[key] = accepted
        choice = self._random.random()
        if choice < 0.15:
            time.sleep(self._random.uniform(0, 0.3))
            accepted.cancelled = True
            self.ask("POST", f"/api/jobs/{key}/cancel")
        elif choice < 0.25:
            return  # the client leaves
        self._await(key, accepted)

    def _await(self, key: str, accepted: Accepted) -> None:
        while (state := self._find_state(key)) not in _OVER:
            if time.monotonic() > self._until:
                return
            time.sleep(0.2)
        if state == "finished":
            self._take(key, accepted)
        choice = self._random.random()
        if choice < 0.1:
            accepted.deleted = self.ask("DELETE", f"/api/jobs/{key}")[0] == 204
        elif choice < 0.15:
            self.ask("POST", f"/api/jobs/{key}/restart")
        elif choice < 0.3:
            self.ask("GET", f"/api/jobs/{key}/report")

    def _find_state(self, key: str) -> str:
        status, content = self.ask("GET", f"/api/jobs/{key}")
        return str(json.loads(content)["state"]) if status == 200 else "unknown"

    def _take(self, key: str, accepted: Accepted) -> None:
        status, content = self.ask("GET", f"/api/jobs/{key}/result.json")
        if status == 200:
            accepted.scores = [row["salience"] for row in json.loads(content)["sentences"]]
        elif status not in _FULL:
            self._record.report(f"a finished story has no result: {status} {content[:200]!r}")

    def _look(self) -> None:
        self.ask("GET", self._random.choice(_PAGES))
        time.sleep(self._random.uniform(0, 0.2))

    def _abuse(self) -> None:
        head = b"POST /api/jobs?method=position" + _HOST + b"Content-Length: 500\r\n\r\n"
        broken = b"GET /api/jobs HTTP/1.1\r\nHost: loc"
        acts = [
            self._send_oversized,
            self._send_invalid_request,
            lambda: self._send_raw(head, *[b"w"] * 20, pause=0.1),  # then stop
            lambda: self._send_raw(self._random.choice([broken, self._random.randbytes(300)]), pause=0.01),
        ]
        with contextlib.suppress(OSError, http.client.HTTPException):  # the server may close the connection
            self._random.choice(acts)()

    def _send_oversized(self) -> None:
        answer = self._send_raw(b"POST /api/jobs" + _HOST + b"Content-Length: 99000000\r\n\r\nwolf")
        if answer and answer.split()[1] not in (b"413", b"429", b"503"):
            self._record.report(f"an oversized request was answered with {answer[:60]!r}")

    def _send_invalid_request(self) -> None:
        query = self._random.choice(_INVALID)
        status, _ = self.ask("POST", f"/api/jobs?{query}", b'{"story": [')
        if status not in (422, *_FULL):
            self._record.report(f"{query} was answered with {status}")

    def _send_raw(self, *pieces: bytes, pause: float = 0.0) -> bytes:
        with socket.create_connection(("127.0.0.1", self._port), timeout=10) as line:
            for piece in pieces:
                line.sendall(piece)
                time.sleep(pause)
            return b"" if pause else line.recv(100)

    def _make_story(self) -> str:
        from tests.tiny_models import WORDS

        words = [word for word in WORDS if word.isalpha()]
        lines = (
            self._random.choices(words, k=self._random.randint(3, 9))
            for _ in range(self._random.randint(3, 12))
        )
        return "\n".join(map(" ".join, lines))
