"""Chat services, which answer with text: ``--model chat:http://127.0.0.1:11434/v1#llama3``, for `ask` only.

The model is asked for JSON with the rating of every sentence. An answer that lacks any is asked for again,
with the complaint. The temperature is 0, so answers are repeatable as far as the service is.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Sequence

from barthes.errors import ModelError
from barthes.hashing import hash_content
from barthes.models.language_model import FloatArray, Reading, refuse_states
from barthes.models.served_connection import Connection, start
from barthes_research.asking.prompt import RATINGS, read_prompt, write_story

SCHEME = "chat:"
ATTEMPTS = 4
_TOKENS_PER_RATING = 8  # "12": 3,
_logger = logging.getLogger("barthes")


class ChatModel:
    """A model behind a chat service. It is a language model that gives no log-probabilities."""

    precision = "the server's precision"
    hardware = ""
    context_length: int | None = None
    start_token = end_token = 0

    def __init__(self, name: str) -> None:
        self.name = name
        self._connection = Connection(name.removeprefix(SCHEME))
        if not self._connection.model:
            remedy = f"Append its name: {name}#NAME"
            raise ModelError("the address names no model.", where=name, remedy=remedy, option="model")

    def __reduce__(self) -> tuple[type[ChatModel], tuple[str]]:
        return ChatModel, (self.name,)

    @property
    def fingerprint(self) -> str:
        """A hash of the address: nothing shows whether the service changes its model."""
        return hash_content(self.name)

    @property
    def notes(self) -> tuple[str, ...]:
        """Where the text went, and what nobody can check."""
        sent = "" if self._connection.is_local else " The text left this machine."
        return (f"Ratings by {self.name}; the service may change its model unnoticed.{sent}",)

    def announce(self, parts: Sequence[Sequence[str]]) -> None:
        """Log how many tokens will be sent and received, before it costs anything."""
        asked = self.encode([write_story(part) + read_prompt()["all_ratings"] for part in parts])
        sent, received = sum(map(len, asked)), _TOKENS_PER_RATING * sum(map(len, parts))
        _logger.warning("asking %s: about %d tokens sent, %d received.", self.name, sent, received)

    def rate(self, sentences: Sequence[str]) -> list[float]:
        """Return the rating of each sentence of a story.

        Raises:
            ModelError: It does not answer as asked, even after complaints.
        """
        question = read_prompt()["all_ratings"]
        first = {"role": "user", "content": write_story(sentences) + question}
        messages = [first]
        for _ in range(ATTEMPTS):
            answer = self._chat(messages)
            try:
                return _parse(answer, len(sentences))
            except ValueError as error:
                complaint = {"role": "user", "content": f"{error} {question}"}
            messages = [first, {"role": "assistant", "content": answer}, complaint]
        raise ModelError(
            f"does not rate the sentences as asked, {ATTEMPTS} times.",
            where=self.name,
            remedy="Use a larger model, or a server that gives log-probabilities.",
        )

    def encode(self, pieces: Sequence[str]) -> list[list[int]]:
        """Return a token for about every four characters, for counting only."""
        return [[0] * (len(piece) // 4 + 1) for piece in pieces]

    def read(self, tokens: Sequence[int]) -> Reading:
        """Raise an error: a chat service gives no log-probabilities."""
        raise ModelError(
            "a chat service gives no log-probabilities.", where=self.name, remedy="Use the method ask."
        )

    def states(
        self, tokens: Sequence[int], spans: Sequence[tuple[int, int]], *, layers: Sequence[int]
    ) -> FloatArray:
        """Raise an error: a chat service shows no hidden states."""
        raise refuse_states(self.name)

    def _chat(self, messages: list[dict[str, str]]) -> str:
        server = self._connection
        body = {"model": server.model, "messages": messages, "temperature": 0}
        url = f"{server.url}/chat/completions"
        request = server.request(url, lambda answer: str(answer["choices"][0]["message"]["content"]), body)
        return start(request).result()


def _parse(answer: str, count: int) -> list[float]:
    """Return the ratings in an answer.

    >>> _parse('Sure! {"1": 5, "2": "2"} I hope this helps.', 2)
    [5.0, 2.0]

    Raises:
        ValueError: It does not rate each sentence.
    """
    found = re.search(r"\{.*\}", answer, re.DOTALL)
    if found is None:
        raise ValueError("This is not JSON.")
    try:
        ratings = {int(key): float(value) for key, value in json.loads(found[0]).items()}
    except (ValueError, TypeError):
        raise ValueError("This is not JSON with a number for each sentence.") from None
    for number in range(1, count + 1):
        if not RATINGS[0] <= ratings.get(number, 0) <= RATINGS[-1]:
            raise ValueError(f"The rating of sentence {number} is missing or not from 1 to 5.")
    return [ratings[number] for number in range(1, count + 1)]


class ChatModels:
    """Addresses of chat services as a source of language models."""

    def matches(self, name: str) -> bool:
        """Return whether a name is such an address."""
        return name.startswith(SCHEME)

    def load(self, name: str, *, device: str, dtype: str) -> ChatModel:
        """Return the model; nothing is sent yet."""
        return ChatModel(name)

    def stamp(self, name: str) -> str | None:
        """Return None: nothing shows whether the model has changed."""
        return None


CHAT = ChatModels()
