"""JSON as a corpus has it: whatever is wrong with it is said, with its line, and a key given twice is too."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from barthes.corpora.problems import MalformedError

__all__ = ["JsonLine", "JsonObject", "parse_json", "parse_json_lines"]


class JsonObject(dict[str, Any]):
    """A JSON object; `repeated` are the keys that it gives more than once, of which a dict keeps the last."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.repeated = tuple(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)


@dataclass(frozen=True, slots=True)
class JsonLine:
    """One line of a JSON Lines file: its number from 1, its value, or why it has none."""

    number: int
    value: Any = None
    malformed: str = ""

    def as_object(self) -> JsonObject:
        """The value, where it is an object that gives each key once.

        Raises:
            MalformedError: It is not.
        """
        if self.malformed:
            raise MalformedError(self.malformed)
        if not isinstance(self.value, JsonObject):
            raise MalformedError("it is not a JSON object")
        if self.value.repeated:
            raise MalformedError(f"it gives the key {self.value.repeated[0]!r} twice")
        return self.value


def parse_json(text: str) -> Any:
    """The value of a JSON text, objects as `JsonObject`.

    Raises:
        MalformedError: It is not JSON, or nested too deeply to be a corpus.

    >>> parse_json('{"a": 1, "a": 2}').repeated
    ('a',)
    """
    try:
        return json.loads(text, object_pairs_hook=JsonObject)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise MalformedError(f"it is not JSON: {error.msg} at {place}") from error
    except ValueError as error:  # a number of thousands of digits
        raise MalformedError(f"it is not JSON that can be read: {error}") from error
    except RecursionError as error:
        raise MalformedError("it is nested too deeply") from error


def parse_json_lines(text: str) -> Iterator[JsonLine]:
    """The lines of a JSON Lines file that are not blank; only a line feed ends one.

    >>> [(line.number, line.value) for line in parse_json_lines('{"a": 1}\\n\\n[2]')]
    [(1, {'a': 1}), (3, [2])]
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield JsonLine(number, parse_json(line))
            except MalformedError as error:
                yield JsonLine(number, malformed=str(error).replace("line 1, ", ""))
