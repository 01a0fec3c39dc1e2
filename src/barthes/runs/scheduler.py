"""Give the remaining texts to an engine, write each result, and join the parts of long texts."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from barthes.runs.engine import Engine, JobResult, RunJob
from barthes.runs.inputs import Input, open_texts
from barthes.runs.result_files import Index, Record, ResultFiles
from barthes.runs.text_tables import Columns
from barthes.salience.measurement import Measurement
from barthes.salience.parts import Part

_WAIT = 0.2  # seconds to wait for a result
_REPORT = 0.2  # seconds between two progress reports


@dataclass(frozen=True, slots=True)
class RunProgress:
    """The progress of a run, or of a shard of it: its texts, and those that are done or failed."""

    total: int
    done: int
    failed: int
    tokens_per_second: float | None = None  # of all models since this start
    seconds_left: float | None = None  # an estimate, once a text is finished


Progress = Callable[[RunProgress], None]
"""Called several times per second with the progress of a run."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The outcome of a start of a run."""

    progress: RunProgress
    scored: int  # texts that this start has finished
    damaged: int  # result files that could not be used, and whose texts were scored again
    failures: Mapping[str, str]  # the reasons, by id
    noted: Sequence[str] = ()  # the ids of texts whose results have notes


@dataclass
class _DividedText:
    """A long text in progress, with the scores of its finished parts by label."""

    job: RunJob
    parts: tuple[Part, ...]
    scores: dict[str, Mapping[str, Any]]

    def join(self) -> list[RunJob]:
        """Return the job that joins the parts, if all of them are finished."""
        if any(part.label not in self.scores for part in self.parts):
            return []
        known: dict[str, list[Mapping[str, Any]]] = {}
        for part in self.parts:
            known.setdefault(part.method, []).append(self.scores[part.label])
        return [replace(self.job, known=known)]


class Scheduler:
    """Score the texts that have no result yet, according to `index`."""

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
        self._inputs = inputs
        self._failures = {} if retry_failed else index.failures(inputs)
        self.waiting: list[Input] = [
            each for each in inputs if each.key not in index.done and each.id not in self._failures
        ]
        self._new = (RunJob(each, text) for each, text in open_texts(self.waiting, columns=columns))
        self._next: deque[RunJob] = deque()  # parts of long texts; they come before new texts
        self._divided: dict[str, _DividedText] = {}
        self._noted = {each.id for each in inputs if each.key in index.noted}
        self._before = self._done = len(inputs) - len(self.waiting) - len(self._failures)
        self._size = sum(each.size for each in self.waiting)
        self._size_done = self._tokens = 0

    def run(self, engine: Engine, progress: Progress) -> None:
        """Score everything that is left. Finished results are written even after an error."""
        began = reported = time.monotonic()
        busy = 0
        try:
            while True:
                while busy < engine.capacity and (job := self._take()) is not None:
                    engine.submit(job)
                    busy += 1
                if not busy:
                    break
                if (result := engine.collect(_WAIT)) is not None:
                    busy -= 1
                    self._receive(result)
                self._files.flush_if_due()
                if (now := time.monotonic()) - reported >= _REPORT:
                    reported = now
                    progress(self._estimate(now - began))
        finally:
            try:
                self._files.flush()
            finally:
                engine.close()
        progress(self._progress())

    def summarise(self) -> Summary:
        """Return the outcome of this start."""
        noted = [each.id for each in self._inputs if each.id in self._noted]
        damaged = len(self._index.damaged)
        return Summary(self._progress(), self._done - self._before, damaged, self._failures, noted)

    def _take(self) -> RunJob | None:
        return self._next.popleft() if self._next else next(self._new, None)

    def _receive(self, result: JobResult) -> None:
        self._tokens += result.tokens
        text, content = result.job.input, result.content
        if result.kind == "divided":
            self._divide(result)
            return
        if result.kind == "part":
            assert result.job.part is not None
            label = result.job.part.label
            self._files.add(Record("part", *text.key, content | {"label": label}))
            if (divided := self._divided.get(text.id)) is not None:  # no other part has failed
                divided.scores[label] = content
                self._next.extendleft(divided.join())
            return
        record = Record(result.kind, *text.key, content)
        self._files.add(record)
        self._divided.pop(text.id, None)
        self._size_done += text.size
        if result.kind == "done":
            self._done += 1
            if record.has_notes:
                self._noted.add(text.id)
        else:
            self._failures[text.id] = str(content["reason"])
            self._next = deque(job for job in self._next if job.input.id != text.id)

    def _divide(self, result: JobResult) -> None:
        """Queue the parts of a long text that no earlier start has scored."""
        job, parts = result.job, result.parts
        places = self._index.parts.get(job.input.key, {})
        earlier = [part for part in parts if part.label in places]
        records = self._files.read(places[part.label] for part in earlier)
        scores: dict[str, Mapping[str, Any]] = {
            part.label: record.content
            for part, record in zip(earlier, records, strict=True)
            if _is_valid(record.content, part)
        }
        divided = self._divided[job.input.id] = _DividedText(job, parts, scores)
        self._next.extend(replace(job, part=part) for part in parts if part.label not in scores)
        self._next.extend(divided.join())

    def _progress(self) -> RunProgress:
        return RunProgress(len(self._inputs), self._done, len(self._failures))

    def _estimate(self, seconds: float) -> RunProgress:
        """Return the progress with the speed, and the time left according to the bytes left."""
        left = seconds * (self._size - self._size_done) / self._size_done if self._size_done else None
        speed = self._tokens / seconds if self._tokens else None
        return replace(self._progress(), tokens_per_second=speed, seconds_left=left)


def _is_valid(content: Mapping[str, Any], part: Part) -> bool:
    """Return whether a record, which may come from elsewhere, holds the scores of a part."""
    try:
        Measurement.from_dict(content, count=part.stop - part.start)
    except ValueError:
        return False
    return True
