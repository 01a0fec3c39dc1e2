"""The exceptions that Barthes raises.

::

    BarthesError
    ├── NarrativeError          a text cannot become a narrative, or a narrative cannot be scored
    │   ├── EmptyNarrativeError     the text has only white space
    │   └── SentenceTooLongError    one sentence alone exceeds the model's window
    ├── ReadingError            a file cannot be read
    │   └── UnknownEncodingError    the bytes are not text in a known encoding
    ├── ModelError              a language model cannot be loaded or used
    │   ├── UnknownModelError       there is no such name, folder or file
    │   ├── ChecksumError           a file is not, byte for byte, what was published
    │   └── FetchError              the download failed
    ├── TrainingError           a model cannot be fine-tuned with these texts or settings
    ├── UnknownNameError        there is no such method, format, language …
    └── OutputError             a result cannot be written

Each error has a problem, a place and a remedy, and may name the option that helps; the command line adds it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path


class BarthesError(Exception):
    """The base class of all errors.

    Args:
        problem: What is wrong, with the wrong value.
        where: The file, story or setting, if any.
        remedy: What the user can do.
        option: The parameter to change, as it is called in Python, or a few separated by spaces, such as
            ``window`` or ``host port``. The command line shows it as ``--window``.
    """

    def __init__(
        self,
        problem: str,
        *,
        where: str | Path | None = None,
        remedy: str | None = None,
        option: str = "",
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.where: str | None = None if where is None else str(where)
        self.remedy = remedy
        self.option = option

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        remedy = f" {self.remedy}" if self.remedy else ""
        return f"{place}{self.problem}{remedy}"

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.__dict__))


def _rebuild(kind: type[BarthesError], state: dict[str, object]) -> BarthesError:
    """Unpickle an error without calling its constructor."""
    error = kind.__new__(kind)
    Exception.__init__(error, state["problem"])
    error.__dict__.update(state)
    return error


class NarrativeError(BarthesError):
    """A text cannot become a narrative, or a narrative cannot be scored."""


class EmptyNarrativeError(NarrativeError):
    """The text has only white space."""


class SentenceTooLongError(NarrativeError):
    """One sentence alone exceeds the window of the language model."""


class ReadingError(BarthesError):
    """A file cannot be read."""


class UnknownEncodingError(ReadingError):
    """The bytes are not text in a known encoding."""


class ModelError(BarthesError):
    """A language model cannot be loaded or used."""


class UnknownModelError(ModelError):
    """There is no model of that name, folder or file."""


class ChecksumError(ModelError):
    """A file is not, byte for byte, what was published."""


class FetchError(ModelError):
    """A download failed."""


class TrainingError(BarthesError):
    """A model cannot be fine-tuned with these texts or settings, or training failed."""


class UnknownNameError(BarthesError):
    """There is no such method, format, language …; the message suggests the most similar name.

    >>> print(UnknownNameError("method", "tfdif", ["sd", "tfidf", "random"]))
    there is no method 'tfdif'. Did you mean 'tfidf'? There are: random, sd, tfidf.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known: list[str] = sorted(known)
        near = difflib.get_close_matches(name.lower(), self.known, n=1)
        meant = f"Did you mean {near[0]!r}? " if near else ""
        remedy = f"{meant}There are: {', '.join(self.known)}."
        super().__init__(f"there is no {kind} {name!r}.", remedy=remedy)


class OutputError(BarthesError):
    """A result cannot be written."""
