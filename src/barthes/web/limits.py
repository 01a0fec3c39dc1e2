"""How much the server takes on: bytes, sentences, stories in the queue, time."""

from __future__ import annotations

from dataclasses import dataclass

from barthes.reading.source import LARGEST

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What is refused, with a message, rather than tried.

    Attributes:
        size: Bytes of a file or a pasted text.
        sentences: Sentences of a story.
        waiting: Stories that wait in the queue.
        seconds: How long the scoring of one story may take, from the first byte read.
        upload_seconds: How long a browser may take to send a story.
    """

    size: int = LARGEST
    sentences: int = 5_000
    waiting: int = 20
    seconds: float = 7_200
    upload_seconds: float = 300
