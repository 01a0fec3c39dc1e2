"""The share of one of several jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from barthes.errors import ReadingError
from barthes.runs.inputs import Input

__all__ = ["Shard"]


@dataclass(frozen=True, slots=True)
class Shard:
    """The texts number `index`, `index` + `count` … of a run: the share of one of several jobs.

    >>> Shard.parse("2/4")
    Shard(index=2, count=4)
    """

    index: int = 1
    count: int = 1

    @classmethod
    def parse(cls, text: str) -> Shard:
        """``i/n``, counted from 1.

        Raises:
            ReadingError: It is something else.
        """
        index, slash, count = text.partition("/")
        if slash and index.isdecimal() and count.isdecimal() and 1 <= int(index) <= int(count):
            return cls(int(index), int(count))
        raise ReadingError(
            f"{text!r} is no shard.", where="--shard", remedy="Give i/n, such as 2/4: the second of four."
        )

    @property
    def name(self) -> str:
        """As it stands in the names of files."""
        return f"{self.index}-of-{self.count}"

    def choose(self, inputs: Sequence[Input]) -> Sequence[Input]:
        """The texts of this shard."""
        return inputs[self.index - 1 :: self.count]
