"""What is left of a run: items go to the engine, outcomes come back and are kept, parts are put together."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from barthes.errors import ReadingError
from barthes.evaluation.store import are_scores
from barthes.runs.course import Course, Stopwatch, Watch
from barthes.runs.engine import Engine, Item, Outcome
from barthes.runs.index import Index, Place
from barthes.runs.inputs import Input, open_texts
from barthes.runs.parts import Part
from barthes.runs.records import Record, format_record
from barthes.runs.store import ResultStore
from barthes.runs.tables import Columns

__all__ = ["Summary", "Work"]

_WAIT = 0.2  # seconds between two looks at the clock
_TOLD = 0.2  # seconds between two reports

_Scores = dict[str, Mapping[str, Any]]
"""What is known of parts, by their labels."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a start of a run came to.

    Attributes:
        course: How far the run is.
        scored: Texts that this start has finished.
        damaged: Records that could not be used, and whose texts were done again.
        failures: Why texts have no result, by id.
        noted: The ids of texts whose results have notes.
    """

    course: Course
    scored: int
    damaged: int
    failures: Mapping[str, str]
    noted: Sequence[str] = ()


@dataclass
class _Long:
    """A long text under way: its parts' scores as far as they are known."""

    item: Item
    parts: tuple[Part, ...]
    scores: _Scores

    @property
    def is_complete(self) -> bool:
        return all(part.label in self.scores for part in self.parts)

    def join(self) -> Item:
        """The text again, with the scores of its parts put together in order."""
        known: dict[str, dict[str, Any]] = {}
        for part in self.parts:
            found = self.scores[part.label]
            whole = known.setdefault(part.method, {**found, "scores": []})
            whole["scores"] = [*whole["scores"], *found["scores"]]
        return replace(self.item, known={**self.item.known, **known})


class Work:
    """What is left of a run, and what becomes of it."""

    def __init__(
        self,
        store: ResultStore,
        index: Index,
        inputs: Sequence[Input],
        columns: Columns,
        *,
        retry_failed: bool,
    ) -> None:
        self._store = store
        self._index = index
        self._columns = columns
        self._inputs = inputs
        self._failures = {} if retry_failed else index.failures_of(inputs)
        done = {each.id for each in inputs if index.is_done(each.id, each.sha256)}
        self.waiting = [each for each in inputs if each.id not in done and each.id not in self._failures]
        self._noted = set(index.noted_of(inputs))
        self._done = len(done)
        self._before = self._done
        self._long: dict[str, _Long] = {}
        self._next: deque[Item] = deque()
        self._told = 0.0

    def do(self, engine: Engine, watch: Watch) -> None:
        """Have everything done; whatever happens, what is finished is kept."""
        clock = Stopwatch(left=sum(each.size for each in self.waiting))
        fresh = (Item(each, text) for each, text in open_texts(self.waiting, columns=self._columns))
        busy = 0
        try:
            while True:
                while busy < engine.capacity and (item := self._take(fresh)) is not None:
                    engine.submit(item)
                    busy += 1
                if not busy:
                    break
                outcome = engine.collect(_WAIT)
                if outcome is not None:
                    busy -= 1
                    self._take_in(outcome, clock)
                self._store.flush_if_due()
                self._report(engine, clock, watch)
        finally:
            try:
                self._store.flush()
            finally:
                engine.close()
        watch(self._course())

    def sum_up(self) -> Summary:
        """How far the run is."""
        noted = [each.id for each in self._inputs if each.id in self._noted]
        return Summary(self._course(), self._done - self._before, self._index.damaged, self._failures, noted)

    def _take(self, fresh: Iterator[Item]) -> Item | None:
        return self._next.popleft() if self._next else next(fresh, None)

    def _take_in(self, outcome: Outcome, clock: Stopwatch) -> None:
        each, part = outcome.item.input, outcome.item.part
        if outcome.kind == "planned":
            self._divide(outcome)
        elif outcome.kind == "part" and part is not None:
            self._keep(outcome, detail=part.label)
            self._note(each.id, part, outcome.content)
        else:
            self._keep(outcome)
            clock.spend(each.size)
            self._long.pop(each.id, None)
            if outcome.kind == "done":
                self._done += 1
                if any(profile["notes"] for profile in outcome.content["profiles"]):
                    self._noted.add(each.id)
            else:
                self._fail(each.id, str(outcome.content["reason"]))

    def _keep(self, outcome: Outcome, *, detail: str = "") -> None:
        each, kind = outcome.item.input, outcome.kind
        assert kind != "planned"
        self._store.add(format_record(kind, each.id, each.sha256, outcome.content, detail=detail))

    def _fail(self, name: str, reason: str) -> None:
        """A text that failed has no more parts to be done."""
        self._failures[name] = reason
        self._next = deque(item for item in self._next if item.input.id != name)

    def _divide(self, outcome: Outcome) -> None:
        """Queue the parts of a long text that an earlier start has not done."""
        item = outcome.item
        places = self._index.find_parts(item.input.id)
        wanted = [part for part in outcome.parts if part.label in places]
        scores = self._recall(item.input, wanted, places)
        long = self._long[item.input.id] = _Long(item, outcome.parts, scores)
        self._next.extend(replace(item, part=part) for part in long.parts if part.label not in scores)
        if long.is_complete:
            self._next.append(long.join())

    def _recall(self, text: Input, parts: Sequence[Part], places: Mapping[str, Place]) -> _Scores:
        """The scores of parts that an earlier start has done; what cannot be used is done again."""
        lengths = {part.label: part.stop - part.start for part in parts}
        try:
            return {
                record.detail: record.content
                for record in self._store.read(places[part.label] for part in parts)
                if record.sha256 == text.sha256 and _is_usable(record, lengths.get(record.detail))
            }
        except ReadingError:  # another shard has joined its files since we looked
            return {}

    def _note(self, name: str, part: Part, content: Mapping[str, Any]) -> None:
        long = self._long.get(name)  # None where another part of the text has failed
        if long is not None:
            long.scores[part.label] = content
            if long.is_complete:
                self._next.appendleft(long.join())

    def _report(self, engine: Engine, clock: Stopwatch, watch: Watch) -> None:
        now = time.monotonic()
        if now - self._told >= _TOLD:
            self._told = now
            speed = engine.tokens / clock.seconds if engine.tokens else None
            watch(replace(self._course(), tokens_per_second=speed, seconds_left=clock.seconds_left))

    def _course(self) -> Course:
        return Course(len(self._inputs), self._done, len(self._failures))


def _is_usable(record: Record, count: int | None) -> bool:
    """Whether a record holds so many scores of a part, and what comes with them."""
    try:
        content = record.content
    except (ValueError, RecursionError):
        return False
    if count is None or not isinstance(content, dict) or not isinstance(content.get("notes"), list):
        return False
    return "window" in content and are_scores(content.get("scores"), count)
