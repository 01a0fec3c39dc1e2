"""Servers that return the log-probabilities of a text: vLLM, SGLang, and those that can ``echo`` it.

::

    Vllm       vLLM              token ids ─▶ prompt_logprobs     of all tokens
    Sglang     SGLang            token ids ─▶ logprob_start_len   of the tokens that are asked for
    LlamaCpp   llama-cpp-python  text      ─▶ echo + logprobs     of all tokens
    Echo       others            text      ─▶ echo + logprobs     of all tokens
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from barthes.errors import ModelError, UnknownModelError
from barthes.models.language_model import FloatArray
from barthes.models.served_connection import Connection, RejectedError

_ENDS = ("<|endoftext|>", "<|end_of_text|>", "<eos>", "</s>", "<｜end▁of▁sentence｜>", "<|im_end|>")
_STARTS = ("<|im_start|>", "<s>", "<bos>", "<|begin_of_text|>", "<|startoftext|>")
_TAG = re.compile(r"(?<=<)(?=[^<>\s]+>)")  # inside of what a server may take for a control token


async def find_server(connection: Connection) -> Server:
    """Return the server behind a connection, by asking for log-probabilities in each of the known ways.

    Raises:
        ModelError: It cannot be reached, or gives no log-probabilities of texts.
        UnknownModelError: It does not have the model, or has several and none is named.
    """
    url, name = connection.url, connection.model
    cards = await connection.request(
        f"{url}/models", lambda found: {card["id"]: card for card in found["data"]}
    )
    if name not in cards and (name or len(cards) != 1):
        problem = f"the server has no model {name!r}." if name else "the server has several models."
        remedy = f"Name one of these: {', '.join(f'{url}#{each}' for each in cards)}"
        raise UnknownModelError(problem, where=url, remedy=remedy, option="model")
    for kind in (Vllm, Sglang, LlamaCpp, Echo):
        server = kind(connection, cards[name or next(iter(cards))])
        try:
            await server.prepare()
        except (RejectedError, LookupError):
            continue
        return server
    raise ModelError(
        "the server gives no log-probabilities of texts, as Ollama and most chat services do not.",
        where=url,
        remedy="Serve the model with vLLM, SGLang or llama-cpp-python.",
    )


class Server:
    """A server and one of its models.

    Attributes:
        software: Its name and version.
        context_length, start_token, end_token: As for `LanguageModel`.
    """

    software: str
    context_length: int | None = None
    start_token: int
    end_token: int
    _end_name: str
    _separator = " "  # between sentences; empty if the tokenizer adds a space itself
    _spare = 1  # tokens of the context that a text cannot use

    def __init__(self, connection: Connection, card: dict[str, Any]) -> None:
        self.connection = connection
        self.model = str(card["id"])
        self._url, self._root = connection.url, connection.root
        if (length := card.get("max_model_len")) is not None:
            self.context_length = int(length) - self._spare

    async def prepare(self) -> None:
        """Find out what texts start and end with, and try whether log-probabilities are returned.

        Raises:
            RejectedError, LookupError: The server does not work like this.
        """
        self.end_token = await self._find_end()
        plain, marked = await self.tokenize("a"), await self.tokenize("a", special=True)
        self.start_token = self.end_token if marked[0] == plain[0] else marked[0]
        one, two, both = [await self.tokenize(text) for text in ("one", "two", "one two")]
        self._separator = "" if both == one + two else " "
        await self.score([self.start_token, *both, self.end_token], 1)

    async def encode(self, pieces: Sequence[str]) -> list[list[int]]:
        """Tokenise the consecutive pieces of a text, each on its own."""
        texts = [(self._separator if i else "") + piece for i, piece in enumerate(pieces)]
        return list(await asyncio.gather(*map(self._encode, texts)))

    async def tokenize(self, text: str, *, special: bool = False) -> list[int]:
        """Return the tokens of a text, with those that the server adds to each text if `special`."""
        body = {"model": self.model, "prompt": text, "add_special_tokens": special}
        return await self.connection.request(f"{self._root}/tokenize", _read_tokens, body)

    async def score(self, tokens: Sequence[int], first: int) -> FloatArray:
        """Return log P of each token from the position `first` (at least 1), given all before it; nats."""
        raise NotImplementedError

    async def _encode(self, text: str) -> list[int]:
        parts = [await self.tokenize(part) for part in _TAG.split(text) if part]
        return [token for part in parts for token in part]

    async def _find_end(self) -> int:
        """Return the end-of-text token, the first of the usual ones that the model has."""
        for name in _ENDS:
            if len(found := await self.tokenize(name)) == 1:
                self._end_name = name
                return found[0]
        raise LookupError("no end-of-text token")


class Vllm(Server):
    """vLLM, which keeps what texts have in common by itself."""

    async def prepare(self) -> None:
        """Find out what texts start and end with, and the version."""
        await super().prepare()
        version = await self.connection.request(f"{self._root}/version", lambda found: found["version"])
        self.software = f"vLLM {version}"

    async def score(self, tokens: Sequence[int], first: int) -> FloatArray:
        """Return log P of each token from the position `first`."""
        body = {"model": self.model, "prompt": list(tokens), "max_tokens": 1, "prompt_logprobs": 0}

        def read(answer: Any) -> FloatArray:
            rows = _require(answer["choices"][0].get("prompt_logprobs"))
            found = zip(rows, tokens, strict=True)  # the first row is empty
            return np.array([row[str(token)]["logprob"] for row, token in list(found)[first:]], np.float64)

        return await self.connection.request(f"{self._url}/completions", read, body)


class Sglang(Server):
    """SGLang, which computes log-probabilities from a position on and keeps what is before it."""

    software = "SGLang"
    _spare = 8

    async def score(self, tokens: Sequence[int], first: int) -> FloatArray:
        """Return log P of each token from the position `first`."""
        sampling = {"max_new_tokens": 1, "temperature": 0}
        body = {"input_ids": list(tokens), "sampling_params": sampling, "return_logprob": True}
        body |= {"logprob_start_len": first - 1}  # the first value that it returns is empty

        def read(answer: Any) -> FloatArray:
            rows = _require(answer["meta_info"].get("input_token_logprobs"))[1:]
            if [row[1] for row in rows] != list(tokens[first:]):
                raise ValueError("these are other tokens")
            return np.array([row[0] for row in rows], np.float64)

        return await self.connection.request(f"{self._root}/generate", read, body)


class Echo(Server):
    """A server that takes a text and returns its tokens as strings, with log-probabilities.

    It has no ids, so tokens are numbered here in the order in which they appear.
    """

    software = "a server with echo"
    _prefix = ""  # sent before each text

    def __init__(self, connection: Connection, card: dict[str, Any]) -> None:
        super().__init__(connection, card)
        self._numbers: dict[str, int] = {}

    async def tokenize(self, text: str, *, special: bool = False) -> list[int]:
        """Return the numbers of the tokens of a text."""
        strings, _ = await self._echo(text)
        if "".join(strings) != text:
            raise LookupError("the tokens are not parts of the text")
        return [self._numbers.setdefault(string, len(self._numbers)) for string in strings]

    async def score(self, tokens: Sequence[int], first: int) -> FloatArray:
        """Return log P of each token from the position `first`."""
        strings, values = await self._echo(await self._join(tokens))
        if len(strings) != len(tokens):
            raise ModelError(
                "the server divides the text into other tokens than its sentences.",
                where=self._url,
                remedy="Use vLLM or SGLang, which take tokens instead of texts.",
            )
        return np.array(values[first:], np.float64)

    async def _join(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens."""
        strings = list(self._numbers)
        return "".join(strings[token] for token in tokens)

    async def _echo(self, text: str) -> tuple[list[str], list[float]]:
        """Return the tokens of a text and their log-probabilities, without the token that is generated."""
        body = {"model": self.model, "prompt": self._prefix + text, "echo": True, "logprobs": 1}
        body |= {"max_tokens": 1, "temperature": 0}

        def read(answer: Any) -> tuple[list[str], list[float]]:
            found = _require(answer["choices"][0].get("logprobs"))
            stop = len(found["tokens"]) - answer["usage"]["completion_tokens"]
            return found["tokens"][:stop], found["token_logprobs"][:stop]

        return await self.connection.request(f"{self._url}/completions", read, body)


class LlamaCpp(Echo):
    """The server of llama-cpp-python.

    It gives log-probabilities only after the model's start-of-text token and one more token. So each text
    begins with two: that one, and the end-of-text token as `start_token`.
    """

    software = "llama-cpp-python"
    _spare = 3
    _added = 0  # tokens that the server itself puts before each text

    async def prepare(self) -> None:
        """Find out what texts start and end with, and how long they may be."""
        self._added = len(await self.tokenize(""))
        if not self._added:
            self._prefix = await self._find_prefix()
        await super().prepare()
        try:
            await self._echo(" a" * 1_100_000)  # more than any context
        except RejectedError as error:
            if found := re.search(r"maximum context length is (\d+)", str(error)):
                self.context_length = int(found[1]) - self._spare

    async def tokenize(self, text: str, *, special: bool = False) -> list[int]:
        """Return the tokens of a text."""
        body = {"model": self.model, "input": text}
        found = await self.connection.request(f"{self._root}/extras/tokenize", _read_tokens, body)
        return found[self._added :]

    async def _find_prefix(self) -> str:
        """Return the start-of-text token, the one that the server does not return."""
        for name in _STARTS:
            strings, _ = await self._echo(name + "a b")
            if len(await self.tokenize(name)) == len(await self.tokenize(name + "a b")) - len(strings) == 1:
                return name
        raise LookupError("no start-of-text token")

    async def _join(self, tokens: Sequence[int]) -> str:
        """Return the text that the server divides into these tokens."""
        ending = self._end_name if tokens[-1] == self.end_token and len(tokens) > 1 else ""
        body = {"model": self.model, "tokens": list(tokens[1 : len(tokens) - bool(ending)])}
        url = f"{self._root}/extras/detokenize"
        words = await self.connection.request(url, lambda found: str(found["text"]), body)
        both = [f"{self._end_name}{text}{ending}" for text in (words, words.removeprefix(" "))]
        # Some tokenizers add a space, which would be added again.
        return both[0] if await self.tokenize(both[0]) == list(tokens) else both[1]


def _read_tokens(answer: Any) -> list[int]:
    return [int(token) for token in answer["tokens"]]


def _require(found: Any) -> Any:
    """Return the log-probabilities in an answer.

    Raises:
        RejectedError: There are none.
    """
    if not found:
        raise RejectedError("the server returns no log-probabilities.")
    return found
