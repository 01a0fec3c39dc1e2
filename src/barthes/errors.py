"""Everything that Barthes raises on purpose.

::

    BarthesError
    ├── NarrativeError          a text that cannot become a narrative
    │   ├── EmptyNarrativeError     nothing in it but white space
    │   └── SentenceTooLongError    one sentence alone exceeds the window
    ├── ReadingError            a file that cannot be read
    │   └── UnknownEncodingError    bytes that are not text
    ├── ModelError              a language model that cannot be had or used
    │   ├── UnknownModelError       no such name, folder or file
    │   ├── ChecksumError           a download that is not what was published
    │   └── FetchError              the download itself failed
    ├── TrainingError           texts or settings that a model cannot be fine-tuned with
    ├── UnknownNameError        a method, format, language … that does not exist
    └── OutputError             a result that cannot be written

Each one carries what went wrong, where, and what to do about it; only the command line and the web
turn it into words for people.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

__all__ = [
    "BarthesError",
    "ChecksumError",
    "EmptyNarrativeError",
    "FetchError",
    "ModelError",
    "NarrativeError",
    "OutputError",
    "ReadingError",
    "SentenceTooLongError",
    "TrainingError",
    "UnknownEncodingError",
    "UnknownModelError",
    "UnknownNameError",
]


class BarthesError(Exception):
    """The root of the tree.

    Args:
        problem: What is wrong, with the value that is wrong.
        where: The file, story or setting it concerns, if there is one.
        remedy: What the reader can do about it.
    """

    def __init__(self, problem: str, *, where: str | Path | None = None, remedy: str | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.where = None if where is None else str(where)
        self.remedy = remedy

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        remedy = f" {self.remedy}" if self.remedy else ""
        return f"{place}{self.problem}{remedy}"

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.__dict__))


def _rebuild(kind: type[BarthesError], state: dict[str, object]) -> BarthesError:
    """Unpickle an error, whatever its constructor asks for: errors travel between processes."""
    error = kind.__new__(kind)
    Exception.__init__(error, state["problem"])
    error.__dict__.update(state)
    return error


class NarrativeError(BarthesError):
    """A text that cannot become a narrative, or a narrative that cannot be scored."""


class EmptyNarrativeError(NarrativeError):
    """There is nothing in the text but white space."""


class SentenceTooLongError(NarrativeError):
    """One sentence alone exceeds the window of the language model."""


class ReadingError(BarthesError):
    """A file that cannot be read."""


class UnknownEncodingError(ReadingError):
    """Bytes that are not text in any encoding we try."""


class ModelError(BarthesError):
    """A language model that cannot be had or used."""


class UnknownModelError(ModelError):
    """There is no model of that name, folder or file."""


class ChecksumError(ModelError):
    """A file that is not, byte for byte, what was published."""


class FetchError(ModelError):
    """A download that failed."""


class TrainingError(BarthesError):
    """Texts or settings that a model cannot be fine-tuned with, or a training that failed."""


class UnknownNameError(BarthesError):
    """A name (of a method, a format, a language …) that does not exist, with the nearest that does.

    >>> print(UnknownNameError("method", "tfdif", ["sd", "tfidf", "random"]))
    there is no method 'tfdif'. Did you mean 'tfidf'? There are: random, sd, tfidf.
    """

    def __init__(
        self, kind: str, name: str, known: Iterable[str], *, where: str | Path | None = None
    ) -> None:
        self.name = name
        self.known = sorted(known)
        near = difflib.get_close_matches(name.lower(), self.known, n=1)
        meant = f"Did you mean {near[0]!r}? " if near else ""
        remedy = f"{meant}There are: {', '.join(self.known)}."
        super().__init__(f"there is no {kind} {name!r}.", where=where, remedy=remedy)


class OutputError(BarthesError):
    """A result that cannot be written."""
