"""Language models behind a server: ``--model http://127.0.0.1:8000/v1``, or ``…/v1#NAME`` for one of several.

Scores are those of the same model on this machine: tokens, windows and the end-of-text token are the same,
and only the log-probabilities come from the server::

    read(tokens).rescore(edits) ─▶ the text, and what is left of it after each edit ─▶ server, many at once
                                                                                          │
    results in order ◀─ is it still the same model? ◀─ log-probabilities of each ◀────────┘
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from functools import cached_property

import numpy as np

from barthes.cache import ScoreCache
from barthes.errors import ModelError
from barthes.hashing import hash_content
from barthes.models.language_model import Edit, FloatArray, refuse_states
from barthes.models.served_connection import Connection, start
from barthes.models.served_servers import Server, find_server

PROBE = "A wolf knocked at the door and asked the child for bread."
"""The text whose log-probabilities show whether a server still has the same model."""
TOLERANCE = 0.2
"""Nats per token by which they may differ: in low precision, a busy server rounds differently."""
CHECK_INTERVAL = 10.0
"""Seconds between two such checks; a server takes longer to load another model."""
_AT_ONCE = 32  # requests for scores; enough to fill a server, and others, such as checks, need not wait


class ServedModel:
    """A language model behind a server.

    Args:
        name: Its address.

    Raises:
        ModelError: The server cannot be reached, or gives no log-probabilities.
    """

    precision = "the server's precision"
    hardware = ""

    def __init__(self, name: str) -> None:
        self.name = name
        self._connection = Connection(name)
        self._server: Server = start(find_server(self._connection)).result()
        self.context_length = self._server.context_length
        self.start_token, self.end_token = self._server.start_token, self._server.end_token
        [words] = self.encode([PROBE])
        self._probe = [self.start_token, *words]
        self._expected = start(self._server.score(self._probe, 1)).result()
        self._checked, self._failures = time.monotonic(), self._connection.failures
        self._checking = asyncio.Lock()
        self._room = asyncio.Semaphore(_AT_ONCE)

    def __reduce__(self) -> tuple[type[ServedModel], tuple[str]]:
        return ServedModel, (self.name,)

    @property
    def notes(self) -> tuple[str, ...]:
        """What computed the scores, and whether the text left this machine."""
        server = self._connection
        sent = "" if server.is_local else " The text left this machine."
        return (f"Read by {self._server.model} on {self._server.software} at {server.url}.{sent}",)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the address, the server, the model, and the tokens and log-probabilities of a short text.

        These vary a little with what else the server computes, so the first ones are kept in the score cache.
        They are rounded, so that several machines agree.
        """
        about = [self.name, self._server.software, self._server.model, self._probe]
        with ScoreCache() as cache:
            known = cache.fetch({"served model": about})
            if known is None or self._differs(np.array(known, dtype=np.float64)):
                known = self._expected.tolist()
                cache.store({"served model": about}, known)
        return hash_content([*about, np.round(known, 1).tolist()])

    def encode(self, pieces: Sequence[str]) -> list[list[int]]:
        """Tokenise each piece of a text on its own; all but the first follow a space."""
        return start(self._server.encode(pieces)).result()

    def read(self, tokens: Sequence[int]) -> ServedReading:
        """Read a sequence of at least two tokens."""
        return ServedReading(self, tokens)

    def states(
        self, tokens: Sequence[int], spans: Sequence[tuple[int, int]], *, layers: Sequence[int]
    ) -> FloatArray:
        """Raise an error: servers do not show hidden states."""
        raise refuse_states(self.name)

    async def score(self, tokens: Sequence[int], first: int) -> FloatArray:
        """Return log P of each token from the position `first` (at least 1), given all before it; nats.

        Raises:
            ModelError: The server has another model now, or cannot answer.
        """
        async with self._room:
            found = await self._server.score(tokens, first)
        await self._check()
        return found

    async def _check(self) -> None:
        """Check that the server has the same model, if the last check was long ago or a request has failed.

        After a failure, the server may have been restarted.
        """
        async with self._checking:
            now, failures = time.monotonic(), self._connection.failures
            if now - self._checked < CHECK_INTERVAL and failures == self._failures:
                return
            if self._differs(await self._server.score(self._probe, 1)):
                raise ModelError(
                    "the server has another model than before.",
                    where=self.name,
                    remedy="Run the command again; results of the other model will not be used.",
                )
            self._checked, self._failures = now, failures

    def _differs(self, values: FloatArray) -> bool:
        """Return whether log-probabilities of the short text are those of another model."""
        same_size = len(values) == len(self._expected)
        return not same_size or bool(np.abs(values - self._expected).max() > TOLERANCE)


class ServedReading:
    """A sequence of tokens that a served model reads as soon as something is asked of it."""

    def __init__(self, model: ServedModel, tokens: Sequence[int]) -> None:
        self._model = model
        self._tokens = list(tokens)

    @cached_property
    def log_probabilities(self) -> FloatArray:
        """log P(tokens[i + 1] | tokens[: i + 1]) for every i; nats."""
        return self._whole.result()

    def rescore(self, edits: Sequence[Edit]) -> Iterator[FloatArray]:
        """Return the log-probabilities of tokens[edit.stop : edit.until] after each edit; nats.

        The whole text is requested first and edits in order, so that the server can reuse what precedes them.
        """
        _ = self._whole
        return _collect([self._request(edit) for edit in edits])

    @cached_property
    def _whole(self) -> Future[FloatArray]:
        return start(self._model.score(self._tokens, 1))

    def _request(self, edit: Edit) -> Future[FloatArray]:
        before = [*self._tokens[: edit.start], *edit.replacement]
        follows = self._tokens[edit.follows(len(self._tokens))]
        return start(self._model.score([*before, *follows], len(before)))


def _collect(results: list[Future[FloatArray]]) -> Iterator[FloatArray]:
    """Yield results in order; cancel the others if nobody waits for them."""
    try:
        for result in results:
            yield result.result()
    finally:
        for result in results:
            result.cancel()


class ServedModels:
    """Addresses as a source of language models."""

    def matches(self, name: str) -> bool:
        """Return whether a name is an address."""
        return name.lower().startswith(("http://", "https://"))

    def load(self, name: str, *, device: str, dtype: str) -> ServedModel:
        """Connect to a server, which has chosen its device and precision itself."""
        if dtype != "auto":
            remedy = "Start the server with that precision, and leave out this option."
            raise ModelError("the server chooses the precision.", where=name, remedy=remedy, option="dtype")
        return ServedModel(name)

    def stamp(self, name: str) -> str | None:
        """Return None: nothing on this machine shows whether the model has changed."""
        return None


SERVED = ServedModels()
