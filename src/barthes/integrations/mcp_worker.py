"""Run the tools of the MCP server in a worker process, so that they can be cancelled at any moment."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyio.from_thread import check_cancelled

from barthes.errors import BarthesError
from barthes.narrative import Narrative
from barthes.web.server import Limits
from barthes.web.worker import GRACE, JobCancelled, Worker, WorkerLostError, WorkerProcess

if TYPE_CHECKING:
    from barthes.integrations.mcp_results import ComparisonResult, CutResult, Explanation, ScoreResult
    from barthes.salience.method import Progress

_POLL = 0.05  # seconds

# The share of the progress at which a phase begins and ends. Progress must increase from phase to phase.
_PHASES = {"reading": (0.0, 0.02), "fetching": (0.02, 0.06), "loading": (0.06, 0.1), "scoring": (0.1, 1.0)}

Report = Callable[[float, str], None]
"""Called with the progress from 0 to 1 and the phase."""


@dataclass(frozen=True, slots=True)
class StorySource:
    """A story to read: a text, or a file if there is a path."""

    text: str = ""
    path: Path | None = None
    chapter: int | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function of this module to run in the worker, which is its first argument."""

    function: Callable[..., object]
    options: Mapping[str, Any]
    limits: Limits


class ToolWorker(Worker):
    """Runs the functions below; sends ``("ended", (whether it succeeded, result or message))``."""

    limits: Limits = Limits()

    def answer(self, task: ToolCall) -> tuple[bool, object]:
        """Run a call."""
        self.limits = task.limits
        try:
            return True, task.function(self, **task.options)
        except JobCancelled:
            return False, "The call was cancelled."
        except Exception as error:
            return False, self.explain(error)

    def read(self, source: StorySource) -> Narrative:
        """Read a story, or raise an error if it is too long."""
        from barthes.reading.formats import parse_document
        from barthes.reading.story import narrate, read

        self.send("phase", "reading")
        if source.path is not None:
            narrative = read(source.path, chapter=source.chapter, language=source.language)
        else:
            data, where = source.text.encode("utf-8", "replace"), "the text"
            document = parse_document(data, where=where, name="story.txt")
            narrative = narrate(document, chapter=source.chapter, language=source.language, where=where)
        self.limits.check_length(narrative, where=source.path.name if source.path else "the text")
        return narrative


def score_story(
    worker: ToolWorker, *, story: StorySource, method: str, unit: str, model: str | None, top: int
) -> ScoreResult:
    """Return the most salient units of a story."""
    from barthes.integrations.mcp_results import describe_scores

    return describe_scores(worker.score(worker.read(story), method, unit, model), top=top)


def explain_sentence(
    worker: ToolWorker, *, story: StorySource, number: int, method: str, model: str | None, top: int
) -> Explanation:
    """Return what later sentences lose without a sentence, counted from 1."""
    from barthes.integrations.mcp_results import describe_influence

    narrative = worker.read(story)
    if not 1 <= number <= len(narrative):
        problem = f"there is no sentence {number}; the story has {len(narrative):,}."
        raise BarthesError(problem, remedy="Sentences are counted from 1, as score_story numbers them.")
    profile = worker.score(narrative, method, "sentence", model)
    if profile.influences is None:
        problem = f"the method {method!r} does not measure what later sentences lose."
        raise BarthesError(problem, remedy="Choose sd, va or paa.")
    return describe_influence(profile, number - 1, top=top)


def compare_drafts(
    worker: ToolWorker,
    *,
    before: StorySource,
    after: StorySource,
    method: str,
    unit: str,
    model: str | None,
    top: int,
) -> ComparisonResult:
    """Return what gained and lost salience between two drafts."""
    from barthes.integrations.mcp_results import describe_comparison
    from barthes.report.comparison import compare

    drafts = [worker.read(source) for source in (before, after)]
    profiles = [
        worker.score(draft, method, unit, model, progress=_share(worker.report_progress, k))
        for k, draft in enumerate(drafts)
    ]
    return describe_comparison(compare(*profiles), top=top)


def _share(progress: Progress, half: int) -> Progress:
    """Return the progress of one of two halves."""
    return lambda done, total: progress(half * total + done, 2 * total)


def suggest_cuts(
    worker: ToolWorker,
    *,
    story: StorySource,
    to: float | None,
    words: int | None,
    keep: tuple[int, ...],
    unit: str,
    model: str,
    with_text: bool,
) -> CutResult:
    """Return a shortened story; the numbers to keep are counted from 1."""
    from barthes.cutting.cut import cut
    from barthes.integrations.mcp_results import describe_cut

    narrative = worker.read(story)
    shortened = cut(
        narrative,
        to=to,
        words=words,
        keep=[number - 1 for number in keep],
        unit=unit,
        model=worker.prepare_model(model),
        cache=worker.cache,
        progress=worker.report_progress,
    )
    return describe_cut(shortened, with_text=with_text)


class ToolRunner:
    """Runs calls one after the other in a worker process; for threads started by anyio."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._process = WorkerProcess(ToolWorker)
        self._turn = threading.Lock()
        self._calls = 0

    def run(self, call: ToolCall, report: Report) -> Any:
        """Return the result of a call.

        A cancelled one stops at once: the worker ends it at its next report of progress, or is killed.

        Raises:
            BarthesError: It failed, took too long, or too many calls are waiting.
        """
        if self._calls > self.limits.waiting:
            problem, remedy = f"{self.limits.waiting} calls are already waiting.", "Try again later."
            raise BarthesError(problem, remedy=remedy)
        self._calls += 1
        try:
            while not self._turn.acquire(timeout=_POLL):
                check_cancelled()
            try:
                return self._follow(call, report)
            finally:
                self._turn.release()
        except WorkerLostError as error:
            raise BarthesError(str(error)) from error
        finally:
            self._calls -= 1

    def close(self) -> None:
        """End the worker process."""
        self._process.end()

    def _follow(self, call: ToolCall, report: Report) -> Any:
        self._process.send("run", replace(call, limits=self.limits))
        deadline = time.monotonic() + self.limits.seconds
        try:
            progress = _CallProgress(report)
            while (ended := self._receive(progress)) is None:
                check_cancelled()
                if time.monotonic() > deadline:
                    raise BarthesError(self.limits.explain_timeout())
        except WorkerLostError:
            raise
        except BaseException:  # cancelled, above all
            self._stop()
            raise
        succeeded, result = ended
        if not succeeded:
            raise BarthesError(result)
        return result

    def _receive(self, progress: _CallProgress) -> tuple[bool, Any] | None:
        """Handle the next message of the worker; return the result of the call if it is the last one."""
        kind, *content = self._process.receive(_POLL) or ("none",)
        if kind == "phase":
            progress.start_phase(*content)
        elif kind == "progress":
            progress.update(*content)
        return content[0] if kind == "ended" else None

    def _stop(self) -> None:
        """Stop the call in the worker; kill the worker if it does not stop."""
        self._process.send("cancel", None)
        last_moment = time.monotonic() + GRACE
        while time.monotonic() < last_moment:
            if (self._process.receive(_POLL) or ("none",))[0] == "ended":
                return
        self._process.end()


class _CallProgress:
    """Turns phases and their progress into one number that only increases."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._phase = "reading"
        self._last = -1.0

    def start_phase(self, phase: str) -> None:
        self._phase = phase
        self.update(0, 1)

    def update(self, done: int, total: int) -> None:
        low, high = _PHASES[self._phase]
        value = low + (high - low) * (min(1.0, done / total) if total else 0.0)
        if value > self._last:
            self._last = value
            self._report(value, self._phase)
