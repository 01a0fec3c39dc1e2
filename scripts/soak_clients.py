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
_OVER = ("finished", "failed", "cancelled", "interrupted")
_FULL = (429, 503)


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
    """Responses by status, seconds by kind of request, stories by id, and problems, of all clients."""

    statuses: Counter[int] = field(default_factory=Counter)
    seconds: dict[str, list[float]] = field(default_factory=dict)
    accepted: dict[str, Accepted] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    abuses: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, kind: str, status: int, seconds: float) -> None:
        """Count a response."""
        with self.lock:
            self.statuses[status] += 1
            self.seconds.setdefault(kind, []).append(seconds)
            if status >= 500 and status not in _FULL:
                self.problems.append(f"{kind}: {status}")


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
        while time.monotonic() < self._until:
            try:
                act = self._random.choices(
                    [self._score, self._look, self._abuse], weights=[5, 4, 1 + self._random.random()]
                )[0]
                act()
            except Exception as error:
                with self._record.lock:
                    self._record.problems.append(f"{type(error).__name__}: {error}")

    def ask(self, kind: str, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """Return the status and the content of a response."""
        began = time.perf_counter()
        with contextlib.closing(
            http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        ) as connection:
            connection.request(method, path, body=body)
            answer = connection.getresponse()
            content = answer.read()
        self._record.note(kind, answer.status, time.perf_counter() - began)
        return answer.status, content

    def _score(self) -> None:
        story, method = self._make_story(), self._random.choice(METHODS)
        query = urlencode({"lines": "true", "method": method, "name": "A tale"})
        status, content = self.ask("submit", "POST", f"/api/jobs?{query}", story.encode())
        if status != 201:
            if status not in _FULL:
                self._report(f"a valid story was refused: {status} {content[:200]!r}")
            time.sleep(self._random.uniform(0.1, 0.5))
            return
        key = json.loads(content)["id"]
        accepted = Accepted(story, method)
        with self._record.lock:
            self._record.accepted[key] = accepted
        choice = self._random.random()
        if choice < 0.15:
            time.sleep(self._random.uniform(0, 0.3))
            accepted.cancelled = True
            self.ask("cancel", "POST", f"/api/jobs/{key}/cancel")
        elif choice < 0.25:
            return  # the client leaves
        self._await(key, accepted)

    def _await(self, key: str, accepted: Accepted) -> None:
        while time.monotonic() < self._until:
            status, content = self.ask("poll", "GET", f"/api/jobs/{key}")
            if status == 200 and json.loads(content)["state"] in _OVER:
                break
            time.sleep(0.2)
        else:
            return
        if json.loads(content)["state"] == "finished":
            self._take(key, accepted)
            if self._random.random() < 0.2:
                self.ask("report", "GET", f"/api/jobs/{key}/report")
        if self._random.random() < 0.1:
            accepted.deleted = self.ask("delete", "DELETE", f"/api/jobs/{key}")[0] == 204
        elif self._random.random() < 0.05:
            self.ask("restart", "POST", f"/api/jobs/{key}/restart")

    def _take(self, key: str, accepted: Accepted) -> None:
        status, content = self.ask("result", "GET", f"/api/jobs/{key}/result.json")
        if status == 200:
            accepted.scores = [row["salience"] for row in json.loads(content)["sentences"]]
        elif status not in _FULL:
            self._report(f"a finished story has no result: {status} {content[:200]!r}")

    def _look(self) -> None:
        page = self._random.choices(_PAGES, weights=[6, 1, 1, 1, 1])[0]
        self.ask("page" if page == "/" else page, "GET", page)
        time.sleep(self._random.uniform(0, 0.2))

    def _abuse(self) -> None:
        act = self._random.choice(
            [
                self._send_oversized,
                self._send_slowly,
                self._disconnect,
                self._send_garbage,
                self._send_invalid_request,
            ]
        )
        with self._record.lock:
            self._record.abuses[act.__name__[1:].replace("_", " ")] += 1
        with contextlib.suppress(OSError, http.client.HTTPException):  # the server may close the connection
            act()

    def _send_oversized(self) -> None:
        if self._random.random() < 0.5:
            head = b"POST /api/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99000000\r\n\r\n"
            answer = self._send_raw([head + b"wolf " * 1_000])
        else:
            status, _ = self.ask("oversized", "POST", "/api/jobs", b"wolf " * 10_100_000)
            answer = b"HTTP/1.1 %d" % status
        if answer and answer.split()[1] not in (b"413", b"429", b"503"):
            self._report(f"an oversized request was answered with {answer[:60]!r}")

    def _send_slowly(self) -> None:
        head = b"POST /api/jobs?method=position HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n"
        self._send_raw([head, *[b"w"] * 20], pause=0.1)  # then stop

    def _disconnect(self) -> None:
        lines = [
            b"GET /api/jobs HTTP/1.1\r\nHost: loc",
            b"POST /api/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Len",
        ]
        key = self._random.choice(list(self._record.accepted) or ["0" * 16])
        lines.append(b"GET /api/jobs/%s/events HTTP/1.1\r\nHost: localhost\r\n\r\n" % key.encode())
        self._send_raw([self._random.choice(lines)], listen=False)

    def _send_garbage(self) -> None:
        self._send_raw([self._random.randbytes(300), b"\r\n\r\n"])

    def _send_invalid_request(self) -> None:
        query = self._random.choice(
            ["method=nonsense", "chapter=0", "unit=story", "model=../../x", "language=klingon"]
        )
        status, _ = self.ask("invalid", "POST", f"/api/jobs?{query}", b'{"story": [')
        if status not in (422, *_FULL):
            self._report(f"{query} was answered with {status}")
        status, _ = self.ask(
            "invalid", "GET", self._random.choice(["/api/jobs/x", "/api/jobs/..%2f..", "/%00", "/x"])
        )
        if status not in (404, 422, *_FULL):
            self._report(f"an invalid request was answered with {status}")

    def _send_raw(self, pieces: list[bytes], *, pause: float = 0.0, listen: bool = True) -> bytes:
        with socket.create_connection(("127.0.0.1", self._port), timeout=10) as line:
            for piece in pieces:
                line.sendall(piece)
                time.sleep(pause)
            return line.recv(100) if listen and not pause else b""

    def _make_story(self) -> str:
        from tests.tiny_models import WORDS

        words = [word for word in WORDS if word.isalpha()]
        count = self._random.randint(3, 12)
        return "\n".join(
            " ".join(self._random.choices(words, k=self._random.randint(3, 9))) for _ in range(count)
        )

    def _report(self, problem: str) -> None:
        with self._record.lock:
            self._record.problems.append(problem)
