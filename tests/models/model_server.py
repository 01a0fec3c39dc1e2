"""A small server of language models for tests: it speaks like several servers, and fails on request."""

from __future__ import annotations

import json
import math
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from barthes.models.counting import CountingModel

_TOKEN = re.compile(r"\s*(?:</s>|\w+|[^\w\s])")
FAULTS = ("status 500", "status 503", "status 429", "cut off", "other JSON", "a token less", "no answer")


class ModelServer(ThreadingHTTPServer):
    """Serves a counting model.

    Args:
        model: What it serves; may be changed while it runs.
        dialect: ``vllm``, ``sglang``, ``echo`` or ``ollama`` (no log-probabilities).
        context: The length of its context, if it says so.
        key: The key that it asks for.
        port: By default any that is free.

    Attributes:
        faults: Kinds of faults; one for every tenth request, in turn.
        asked: The bodies of all requests.
        broken_after: The number of requests after which all answers have the status 500.
        silent_after: The number of requests after which it answers no more.
        retry_after: The seconds after which it asks to repeat a request that failed.
    """

    daemon_threads = True
    request_queue_size = 128  # as real servers have; with 5, connections are reset

    def __init__(
        self,
        model: CountingModel,
        dialect: str = "vllm",
        *,
        context: int | None = None,
        key: str = "",
        port: int = 0,
    ) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.model, self.dialect, self.context, self.key = model, dialect, context, key
        self.faults: tuple[str, ...] = ()
        self.asked: list[dict[str, Any]] = []
        self.silent_after = self.broken_after = math.inf
        self.retry_after = 0
        self.released = threading.Event()

    @property
    def missing(self) -> set[str]:
        """The paths that servers of this dialect do not have."""
        takes_ids = {"/tokenize"} if self.dialect in ("echo", "ollama") else set()
        return takes_ids | {"/extras/tokenize"} | ({"/generate"} if self.dialect != "sglang" else set())

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    @contextmanager
    def running(self) -> Iterator[ModelServer]:
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield self
        finally:
            self.released.set()
            self.shutdown()
            self.server_close()

    def next_fault(self, body: dict[str, Any]) -> str:
        self.asked.append(body)
        number, due = divmod(len(self.asked), 10)
        return self.faults[number % len(self.faults)] if self.faults and due == 0 else ""

    def answer(self, path: str, body: dict[str, Any]) -> Any:
        """Return the answer to a request."""
        if path == "/v1/models":
            return {"data": [{"id": "counting", "max_model_len": self.context}]}
        if path == "/version":
            return {"version": "0"}
        if path == "/tokenize":
            return {"tokens": [self._number(token) for token in _TOKEN.findall(body["prompt"])]}
        if path == "/generate":
            tokens, first = body["input_ids"], body["logprob_start_len"]
            rows = [[value, token] for value, token in zip(self._score(tokens), tokens, strict=True)]
            return {"meta_info": {"input_token_logprobs": [[None, tokens[first]], *rows[first + 1 :]]}}
        return {"choices": [self._complete(body)], "usage": {"completion_tokens": 1}}

    def _complete(self, body: dict[str, Any]) -> dict[str, Any]:
        prompt = body["prompt"]
        if self.dialect == "vllm":
            rows = [
                {str(token): {"logprob": value}}
                for token, value in zip(prompt, self._score(prompt), strict=True)
            ]
            return {"prompt_logprobs": [None, *rows[1:]]}
        if self.dialect == "echo" and body.get("echo"):
            strings = _TOKEN.findall(prompt)
            values = self._score([self._number(string) for string in strings])
            return {"logprobs": {"tokens": [*strings, "x"], "token_logprobs": [*values, -1.0]}}
        return {"text": "x", "logprobs": None}

    def _number(self, string: str) -> int:
        words = self.model.vocabulary
        word = string.strip().lower()
        return words.index(word) if word in words else 1

    def _score(self, tokens: list[int]) -> list[float | None]:
        return [None, *self.model.read(tokens).log_probabilities.tolist()] if len(tokens) > 1 else [None]


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.do_POST()

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        server, fault = self.server, self.server.next_fault(body)
        if len(server.asked) > server.silent_after:
            server.released.wait(60)
        elif server.key and self.headers.get("Authorization") != f"Bearer {server.key}":
            self._send(401, b"{}")
        elif len(server.asked) > server.broken_after:
            self._send(500, b"{}")
        elif fault == "no answer":
            self.close_connection = True
        elif fault.startswith("status"):
            self._send(int(fault.split()[1]), b"{}", retry=server.retry_after)
        elif server.context and len(body.get("prompt", [])) > server.context and self.path.startswith("/v1"):
            self._send(400, b'{"error": "the context is too short"}')
        elif self.path in server.missing:
            self._send(404, b"{}")
        else:
            self._send(200, _damage(json.dumps(server.answer(self.path, body)), fault))

    def _send(self, status: int, content: bytes, *, retry: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        if retry is not None:
            self.send_header("Retry-After", str(retry))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments: object) -> None:
        """Print nothing."""


def _damage(content: str, fault: str) -> bytes:
    """Return an answer with a fault."""
    if fault == "cut off":
        content = content[: len(content) // 2]
    elif fault == "other JSON":
        content = '{"detail": []}'
    elif fault == "a token less":
        content = re.sub(r", (\{[^{}]*\{[^{}]*\}\}|\[[^\[\]]*\]|-?[\d.]+)\]", "]", content, count=1)
    return content.encode()
