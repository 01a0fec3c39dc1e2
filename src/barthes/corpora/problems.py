"""What is malformed in a corpus: reported, left out, never guessed at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["MalformedError", "Problem", "count_problems"]


class MalformedError(ValueError):
    """What does not read like what it should be; the reader of a corpus turns it into a `Problem`."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One malformed item of a corpus.

    Attributes:
        file: The file's name.
        item: The id of the description or story inside the file, or its line; empty where the whole file
            is concerned.
        kind: What sort of item it is: file, layer, text, token, spelling, tag, sentence, tree, role,
            event, function; story, annotator, table. A file or story was left out as a whole.
        what: What is wrong with it, with the value that is wrong.
    """

    file: str
    item: str
    kind: str
    what: str

    def __str__(self) -> str:
        place = f"{self.file} {self.item}" if self.item else self.file
        return f"{place}: {self.kind}: {self.what}"

    def to_dict(self) -> dict[str, Any]:
        """The row that tables and JSON show."""
        return asdict(self)


def count_problems(problems: Iterable[Problem]) -> dict[str, dict[str, int]]:
    """How many there are, by file and then by kind, in the order in which they come.

    >>> count_problems([Problem("a.sty", "7", "tree", "…"), Problem("a.sty", "9", "tree", "…")])
    {'a.sty': {'tree': 2}}
    """
    counts: dict[str, dict[str, int]] = {}
    for problem in problems:
        kinds = counts.setdefault(problem.file, {})
        kinds[problem.kind] = kinds.get(problem.kind, 0) + 1
    return counts
