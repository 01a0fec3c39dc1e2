"""The process that scores: it reads stories, keeps the last language model loaded, and tells how far it is.

The server sends ``("warm", model)``, ``("score", task)`` and ``("cancel", job)``; the worker answers with the
messages of `Message`. It ends when the server closes the line, however that comes about.
"""

from __future__ import annotations

import contextlib
import functools
import math
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from barthes.errors import BarthesError, NarrativeError
from barthes.methods import needs_model, parse_method
from barthes.models.embedded import EMBEDDED, ensure, is_fetched
from barthes.narrative import Narrative
from barthes.web.job import Job

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from barthes.models.language_model import LanguageModel
    from barthes.report.tables import AnyProfile
    from barthes.salience.coherence_loss import RemovalLoss

__all__ = ["Kind", "Task", "work"]

Kind = Literal["phase", "read", "progress", "scored", "finished", "failed", "cancelled"]
"""Of a message, which is a tuple: its kind, then

- phase: the name of the phase that begins,
- read: the `Narrative`,
- progress: work done, work in all,
- scored: index, score, losses of later sentences,
- finished: the notes of the profile, which is on disk by then,
- failed: what went wrong, in words for people,
- cancelled: nothing more.
"""

_OFTEN = 0.1  # seconds between reports of progress


@dataclass(frozen=True, slots=True)
class Task:
    """A job as the worker needs it.

    Attributes:
        job: What was asked for.
        story: The file to read.
        profile: The file to write.
        sentences: How many sentences a story may have.
    """

    job: Job
    story: Path
    profile: Path
    sentences: int


class Cancelled(BaseException):
    """The server does not want the result any more. No `Exception`: nobody may handle it on its way up."""


class HungUp(BaseException):
    """There is no server any more. Not to be taken for a file or a connection of the work that fails."""


def work(connection: Connection) -> None:
    """Do what the server asks for until it hangs up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which tells us
    line = _Line(connection)
    with contextlib.suppress(HungUp):
        while True:
            order, content = line.hear()
            if order == "warm":
                _warm(content)
            elif order == "score":
                _answer(content, line)


def _warm(model: str) -> None:
    """Have at hand what the first story will need; what is missing will be said when it comes."""
    from barthes.annotation.pipeline import load_english

    with contextlib.suppress(Exception):
        load_english()
    with contextlib.suppress(Exception):
        _load(model)


def _answer(task: Task, line: _Line) -> None:
    try:
        profile = _score(task, line)
        profile.save(task.profile)
        line.send("finished", profile.notes)
    except Cancelled:
        line.send("cancelled")
    except BarthesError as error:
        line.send("failed", str(error))
    except MemoryError:
        line.send("failed", "There is not enough memory for this story. Choose a chapter of it.")
    except Exception as error:
        import traceback

        traceback.print_exc()
        line.send("failed", f"This should not happen: {type(error).__name__}: {error}. Please report it.")


def _score(task: Task, line: _Line) -> AnyProfile:
    job = task.job
    line.send("phase", "reading")
    narrative = _read(task)
    line.send("read", narrative)
    load = functools.partial(_load_aloud, job.model, line)
    if job.unit == "event":
        from barthes.salience.removal_method import EventSalience

        events = EventSalience(load(), method=job.method)
        line.send("phase", "scoring")
        return events.score(narrative, progress=line.progress)
    method = parse_method(job.method, model=load)
    line.send("phase", "scoring")
    from barthes.salience.removal_method import RemovalMethod

    if isinstance(method, RemovalMethod):
        return method.score(narrative, progress=line.progress, each=line.tell)
    return method.score(narrative, progress=line.progress)


def _read(task: Task) -> Narrative:
    # Here, because the server imports this module too.
    from barthes.reading.formats import parse_document
    from barthes.reading.source import read_bytes
    from barthes.reading.story import narrate

    job = task.job
    named = job.name or job.title
    document = parse_document(read_bytes(task.story), where=named, name=f"story{job.suffix}")
    narrative = narrate(
        document,
        chapter=job.chapter,
        language=job.language,
        sentences=job.lines,
        title=named if job.titled else None,
        where=named,
        name=named,
    )
    if len(narrative) > task.sentences:
        raise NarrativeError(
            f"it has {len(narrative):,} sentences, more than the {task.sentences:,} that this server scores.",
            where=named,
            remedy="Choose a chapter of it, use `barthes score`, or start the server with --max-sentences.",
        )
    return replace(narrative, notes=(*narrative.notes, *_warn(job, narrative)))


def _warn(job: Job, narrative: Narrative) -> Iterator[str]:
    """What people should know about stories that are not in English."""
    if job.language == "xx" and not job.lines:
        yield "The language has no rules of its own: sentences were split by punctuation alone."
    if narrative.language != "en" and job.model in EMBEDDED and needs_model(job.method):
        yield f"{job.model} was made for English; of a story in another language its scores say little."


def _load_aloud(model: str | None, line: _Line) -> LanguageModel:
    assert model is not None  # jobs whose method needs a model have one
    if model in EMBEDDED and not is_fetched(model):
        line.send("phase", "fetching")
        ensure(model, progress=functools.partial(_fetching, line))
    line.send("phase", "loading")
    return _load(model)


@functools.lru_cache(maxsize=1)
def _load(model: str) -> LanguageModel:
    from barthes.models.loading import load_model

    return load_model(model)


@contextmanager
def _fetching(line: _Line) -> Iterator[_Fetch]:
    yield _Fetch(line)


class _Fetch:
    """Who hears of a fetch: the page."""

    def __init__(self, line: _Line) -> None:
        self._line = line

    def announce(self, line: str) -> None:
        pass

    def step(self, what: str, done: int, total: int) -> None:
        self._line.progress(done, total)


class _Line:
    """The worker's end of the line to the server."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._told = 0.0

    def send(self, kind: Kind, *content: Any) -> None:
        """Tell the server.

        Raises:
            HungUp: Nobody is listening.
        """
        try:
            self._connection.send((kind, *content))
        except OSError as error:
            raise HungUp from error

    def hear(self) -> tuple[str, Any]:
        """The next order and what it is about, once there is one.

        Raises:
            HungUp: There will be none.
        """
        try:
            order, content = self._connection.recv()
        except (EOFError, OSError) as error:
            raise HungUp from error
        return order, content

    def tell(self, loss: RemovalLoss) -> None:
        """A sentence has got its score."""
        losses = [float(f"{value:.4g}") if math.isfinite(value) else None for value in loss.later.tolist()]
        score = float(loss.total) if math.isfinite(loss.total) else None
        self.send("scored", loss.index, score, losses)

    def progress(self, done: int, total: int) -> None:
        """Report progress now and then, and listen: this is where a job can be cancelled.

        Raises:
            Cancelled: The server says so.
            HungUp: The server is gone.
        """
        while self._waits():
            order, _ = self.hear()
            if order == "cancel":
                raise Cancelled
        moment = time.monotonic()
        if done >= total or moment - self._told >= _OFTEN:
            self._told = moment
            self.send("progress", done, total)

    def _waits(self) -> bool:
        """Whether there is an order, or the end of the line."""
        try:
            return self._connection.poll()
        except OSError:  # Windows says so here
            return True
