"""Give the remaining texts to an engine, and write each result."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from barthes.runs.engine import Engine, JobResult, RunJob
from barthes.runs.inputs import Input, open_texts
from barthes.runs.result_files import Index, Record, ResultFiles
from barthes.runs.text_tables import Columns

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
                while busy < engine.capacity and (job := next(self._new, None)) is not None:
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

    def _receive(self, result: JobResult) -> None:
        self._tokens += result.tokens
        text, content = result.job.input, result.content
        record = Record(result.kind, *text.key, content)
        self._files.add(record)
        self._size_done += text.size
        if result.kind == "done":
            self._done += 1
            if record.has_notes:
                self._noted.add(text.id)
        else:
            self._failures[text.id] = str(content["reason"])

    def _progress(self) -> RunProgress:
        return RunProgress(len(self._inputs), self._done, len(self._failures))

    def _estimate(self, seconds: float) -> RunProgress:
        """Return the progress with the speed, and the time left according to the bytes left."""
        left = seconds * (self._size - self._size_done) / self._size_done if self._size_done else None
        speed = self._tokens / seconds if self._tokens else None
        return replace(self._progress(), tokens_per_second=speed, seconds_left=left)
