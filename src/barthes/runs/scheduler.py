"""Give the texts that are left to an engine, write each result, and put the parts of long texts together."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from barthes.runs.engine import Engine, JobResult, RunJob
from barthes.runs.inputs import Input, open_texts
from barthes.runs.parts import Part
from barthes.runs.result_files import Index, Record, ResultFiles
from barthes.runs.text_tables import Columns
from barthes.salience.measurement import Measurement

_WAIT = 0.2  # seconds to wait for a result before looking at the clock
_REPORT = 0.2  # seconds between two progress reports


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is.

    Attributes:
        total: Texts of this run, or of this shard of it.
        done: Texts that have a result.
        failed: Texts that have failed.
        tokens_per_second: Through all models since this start; None before any.
        seconds_left: An estimate; None before the first text is finished.
    """

    total: int
    done: int
    failed: int
    tokens_per_second: float | None = None
    seconds_left: float | None = None


Progress = Callable[[RunProgress], None]
"""Called several times a second with how far a run is."""


def ignore_progress(progress: RunProgress) -> None:
    """Ignore progress."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a start of a run came to.

    Attributes:
        progress: How far the run is.
        scored: Texts that this start has finished.
        damaged: Result files that could not be used, and whose texts were scored again.
        failures: Why texts have no result, by id.
        noted: The ids of texts whose results have notes.
    """

    progress: RunProgress
    scored: int
    damaged: int
    failures: Mapping[str, str]
    noted: Sequence[str] = ()


@dataclass
class _DividedText:
    """A long text under way: the scores of its parts as far as they are known, by label."""

    job: RunJob
    parts: tuple[Part, ...]
    scores: dict[str, Mapping[str, Any]]

    @property
    def is_complete(self) -> bool:
        return all(part.label in self.scores for part in self.parts)

    def join(self) -> RunJob:
        """Return the job of the whole text, with the scores of its parts."""
        known: dict[str, list[Mapping[str, Any]]] = {}
        for part in self.parts:
            known.setdefault(part.method, []).append(self.scores[part.label])
        return replace(self.job, known=known)


class Scheduler:
    """The texts of a run, or of a shard of it, that have no result yet; `index` says which have one."""

    def __init__(
        self,
        files: ResultFiles,
        index: Index,
        inputs: Sequence[Input],
        columns: Columns,
        *,
        retry_failed: bool,
    ) -> None:
        self._files = files
        self._index = index
        self._columns = columns
        self._inputs = inputs
        self._failures = {} if retry_failed else index.failures(inputs)
        self.waiting = [
            each for each in inputs if each.key not in index.done and each.id not in self._failures
        ]
        self._noted = {each.id for each in inputs if each.key in index.noted}
        self._before = self._done = len(inputs) - len(self.waiting) - len(self._failures)
        self._divided: dict[str, _DividedText] = {}
        self._next: deque[RunJob] = deque()
        self._size_done, self._size = 0, sum(each.size for each in self.waiting)

    def run(self, engine: Engine, progress: Progress) -> None:
        """Score everything that is left. Whatever happens, what is finished is written."""
        began = reported = time.monotonic()
        fresh = (RunJob(each, text) for each, text in open_texts(self.waiting, columns=self._columns))
        busy = 0
        try:
            while True:
                while busy < engine.capacity and (job := self._take(fresh)) is not None:
                    engine.submit(job)
                    busy += 1
                if not busy:
                    break
                result = engine.collect(_WAIT)
                if result is not None:
                    busy -= 1
                    self._receive(result)
                self._files.flush_if_due()
                if (now := time.monotonic()) - reported >= _REPORT:
                    reported = now
                    progress(self._estimate(engine.tokens, now - began))
        finally:
            try:
                self._files.flush()
            finally:
                engine.close()
        progress(self._progress())

    def summarise(self) -> Summary:
        """Return what the start came to."""
        noted = [each.id for each in self._inputs if each.id in self._noted]
        damaged = len(self._index.damaged)
        return Summary(self._progress(), self._done - self._before, damaged, self._failures, noted)

    def _take(self, fresh: Iterator[RunJob]) -> RunJob | None:
        return self._next.popleft() if self._next else next(fresh, None)

    def _receive(self, result: JobResult) -> None:
        text, part, kind = result.job.input, result.job.part, result.kind
        if kind == "divided":
            self._divide(result)
            return
        if kind == "part":
            assert part is not None
            self._files.add(Record(kind, *text.key, result.content | {"label": part.label}))
            self._note_part(text.id, part, result.content)
            return
        record = Record(kind, *text.key, result.content)
        self._files.add(record)
        self._divided.pop(text.id, None)
        self._size_done += text.size
        if kind == "done":
            self._done += 1
            if record.has_notes:
                self._noted.add(text.id)
        else:
            self._failures[text.id] = str(result.content["reason"])
            self._next = deque(job for job in self._next if job.input.id != text.id)

    def _divide(self, result: JobResult) -> None:
        """Queue the parts of a long text that an earlier start has not scored."""
        job = result.job
        divided = self._divided[job.input.id] = _DividedText(job, result.parts, self._recall(result))
        self._next.extend(
            replace(job, part=part) for part in divided.parts if part.label not in divided.scores
        )
        if divided.is_complete:
            self._next.append(divided.join())

    def _recall(self, result: JobResult) -> dict[str, Mapping[str, Any]]:
        """Return the scores of parts that an earlier start has finished, by label."""
        places = self._index.parts.get(result.job.input.key, {})
        known = [part for part in result.parts if part.label in places]
        records = self._files.read(places[part.label] for part in known)
        return {
            part.label: record.content
            for part, record in zip(known, records, strict=True)
            if _is_usable(record.content, part)
        }

    def _note_part(self, name: str, part: Part, content: Mapping[str, Any]) -> None:
        divided = self._divided.get(name)  # None if another part of the text has failed
        if divided is not None:
            divided.scores[part.label] = content
            if divided.is_complete:
                self._next.appendleft(divided.join())

    def _progress(self) -> RunProgress:
        return RunProgress(len(self._inputs), self._done, len(self._failures))

    def _estimate(self, tokens: int, seconds: float) -> RunProgress:
        """Return the progress with the speed, and the time left by the bytes that are left."""
        left = seconds * (self._size - self._size_done) / self._size_done if self._size_done else None
        return replace(
            self._progress(), tokens_per_second=tokens / seconds if tokens else None, seconds_left=left
        )


def _is_usable(content: Mapping[str, Any], part: Part) -> bool:
    """Return whether a record, which others may have written, holds the scores of a part."""
    try:
        Measurement.from_dict(content, count=part.stop - part.start)
    except ValueError:
        return False
    return True
