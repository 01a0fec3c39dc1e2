"""The engine of clusters: Ray's actors, each with a model that stays loaded.

Texts are sent along, so that machines need no common disk. An item is given only to an actor that is up: when
a machine is lost and there is no room for as many workers as before, the others take its items. When machines
join, workers are started on them.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from barthes.errors import BarthesError, ModelError
from barthes.runs.casualties import Casualties
from barthes.runs.cluster import RayCluster, Share
from barthes.runs.engine import Item, Outcome, Workplace
from barthes.runs.ray_worker import RayWorker

__all__ = ["NO_TURN", "RayEngine", "last_line", "no_room"]

NO_TURN = 600.0
"""Seconds that others may take to leave room for a worker."""

_OFTEN = 0.5  # seconds between two questions for a worker's tokens
_LOOK = 2.0  # seconds between two looks at the cluster
_LOST = 3  # looks at which the head has not answered
_NO_ROOM = 30.0  # seconds that machines may take to join a cluster that has none of the kind


@dataclass
class _Actor:
    """A worker, as seen from here; each reference is to what it has been asked and not answered."""

    handle: Any
    ready: Any
    answer: Any = None
    count: Any = None
    item: Item | None = None
    node: str = "an unknown machine"
    tokens: int = 0
    asked: float = 0.0

    @property
    def is_idle(self) -> bool:
        return self.ready is None and self.item is None


class RayEngine:
    """Actors on a Ray cluster.

    Args:
        workplace: How texts are scored.
        cluster: Where; it is joined now.
        device: Where each model computes.
        workers: How many; None for as many as there is room for.
        share: What each worker has of its machine.

    Raises:
        ModelError: The cluster cannot be joined, or has no machine of the kind.
    """

    def __init__(
        self,
        workplace: Workplace,
        cluster: RayCluster,
        *,
        device: str = "cpu",
        workers: int | None = None,
        share: Share = Share(),  # noqa: B008 - frozen
    ) -> None:
        self.tokens = 0
        self._cluster = cluster
        self._share = share
        self._asked = workers
        self._ray = cluster.connect(workers=workers or 1, share=share)
        kind = self._ray.remote(concurrency_groups={"reports": 1}, max_restarts=0)(RayWorker)
        asked = {"num_cpus": share.cpus, "num_gpus": share.gpus, "memory": share.memory or None}
        options = {name: amount for name, amount in asked.items() if amount is not None}
        self._new = functools.partial(kind.options(**options).remote, workplace, device)
        self._actors: list[_Actor] = []
        self._waiting: deque[Item] = deque()
        self._outcomes: deque[Outcome] = deque()
        self._looked, self._lost, self._alone = 0.0, 0, time.monotonic()
        self._room = 0
        self._casualties = Casualties()
        with self._head_answering():
            self._look_around()

    @property
    def capacity(self) -> int:
        """One item a worker; it grows with the cluster."""
        return max(1, self._asked or self._room)

    def submit(self, item: Item) -> None:
        """Take an item; it goes to the next worker that is up and has none."""
        self._waiting.append(item)
        with self._head_answering():
            self._give_out()

    def collect(self, timeout: float) -> Outcome | None:
        """The next outcome, whichever it is; None if there is none within so many seconds."""
        with self._head_answering():
            self._wait(timeout)
        return self._outcomes.popleft() if self._outcomes else None

    def _wait(self, timeout: float) -> None:
        """Until there is an outcome, or nothing to wait for, or so many seconds have passed."""
        ends = time.monotonic() + timeout
        while not self._outcomes and (self._waiting or any(actor.item for actor in self._actors)):
            if (left := ends - time.monotonic()) <= 0:
                break
            self._look_around()
            self._give_out()
            answers = self._expect()
            ready, _ = self._ray.wait(list(answers), num_returns=1, timeout=min(left, _OFTEN))
            for answer in ready:
                self._listen(answers[answer], answer)

    def close(self) -> None:
        """End all workers, whatever they are doing."""
        if self._lost == 0:
            for actor in self._actors:
                with contextlib.suppress(Exception):  # it has ended already
                    self._ray.kill(actor.handle)
        self._actors.clear()

    def _give_out(self) -> None:
        """Items to those who have none, and new workers for items that nobody has."""
        for actor in self._actors:
            if self._waiting and actor.is_idle:
                actor.item = self._waiting.popleft()
                actor.answer = actor.handle.work.remote(_send_along(actor.item))
        coming = sum(actor.ready is not None for actor in self._actors)
        for _ in range(min(len(self._waiting) - coming, self.capacity - len(self._actors))):
            handle = self._new()
            self._actors.append(_Actor(handle, handle.settle.remote()))

    def _expect(self) -> dict[Any, _Actor]:
        """All that has been asked and not answered, by whom."""
        now, found = time.monotonic(), {}
        for actor in self._actors:
            if actor.item is not None and actor.count is None and now - actor.asked >= _OFTEN:
                actor.asked = now
                actor.count = actor.handle.count.options(concurrency_group="reports").remote()
            for answer in (actor.ready, actor.answer, actor.count):
                if answer is not None:
                    found[answer] = actor
        return found

    def _listen(self, actor: _Actor, answer: Any) -> None:
        from ray.exceptions import RayError

        if actor not in self._actors:  # it has been replaced since
            return
        try:
            found = self._ray.get(answer)
        except RayError as error:
            self._replace(actor, error)
            return
        if answer == actor.ready:
            actor.ready = None
            actor.node, problem = found
            self._check(actor, problem)
        elif answer == actor.count:
            actor.count = None
            self._note(actor, found)
        else:
            self._take(actor, *found)

    def _take(self, actor: _Actor, kind: str, content: Any, parts: Sequence[Any], tokens: int) -> None:
        item, actor.item, actor.answer = actor.item, None, None
        self._note(actor, tokens)
        if kind == "broken":
            self._check(actor, content)
        assert item is not None
        self._casualties.forget()
        self._outcomes.append(Outcome(item, kind, content, tuple(parts)))  # type: ignore[arg-type]

    def _note(self, actor: _Actor, tokens: int) -> None:
        self.tokens += tokens - actor.tokens
        actor.tokens = tokens

    def _check(self, actor: _Actor, problem: BarthesError | None) -> None:
        """Say on which machine a model cannot be had."""
        if problem is not None:
            problem.where = f"{problem.where or 'Ray'} (on {actor.node})"
            raise problem

    def _replace(self, actor: _Actor, error: Exception) -> None:
        """Forget an actor that is dead or out of reach, and have its item done again once."""
        from ray.exceptions import RayTaskError

        self._actors.remove(actor)
        with contextlib.suppress(Exception):  # if it is out of reach only, it shall not go on
            self._ray.kill(actor.handle)
        if actor.ready is not None and (isinstance(error, RayTaskError) or "creation task" in str(error)):
            raise ModelError(
                f"a worker cannot be started ({last_line(error)}).",
                where="Ray",
                remedy="Install the same version of Barthes, with all it needs, on every machine.",
            )
        outcome = self._casualties.bury(actor.item, _explain(error))
        if outcome is not None:
            self._outcomes.append(outcome)
        elif actor.item is not None:
            self._waiting.appendleft(actor.item)

    def _look_around(self) -> None:
        """Is the cluster there, has it grown, and has it room for us at all?"""
        now = time.monotonic()
        if now - self._looked < _LOOK:
            return
        self._looked = now
        self._lost = 0 if self._cluster.is_there() else self._lost + 1
        if self._lost >= _LOST:
            raise self._cluster.tell_gone()
        if self._lost:
            return
        self._room = self._cluster.count(self._share)
        # Each worker may die once with its machine; a cluster that has grown can lose more of them.
        self._casualties.limit = max(self._casualties.limit, 10 + 2 * self.capacity)
        if any(actor.ready is None for actor in self._actors) or not (self._actors or self._room == 0):
            self._alone = now
        self._check_room(now - self._alone)

    @contextlib.contextmanager
    def _head_answering(self) -> Iterator[None]:
        """Ray Client (``ray://``) raises errors of connections where Ray itself would wait."""
        try:
            yield
        except ConnectionError as error:
            self._lost = _LOST
            raise self._cluster.tell_gone() from error

    def _check_room(self, waited: float) -> None:
        patience = NO_TURN if self._room else 0.0 if self._cluster.is_own else _NO_ROOM
        if waited < patience:
            return
        if not self._room:
            raise no_room(self._cluster, self._share)
        raise ModelError(
            f"no worker has found room in the cluster for {NO_TURN / 60:.0f} minutes ({self._share}).",
            where=self._cluster.address or "Ray",
            remedy="Give the same command when others have left it.",
        )


def no_room(cluster: RayCluster, share: Share) -> ModelError:
    """What to say of a cluster none of whose machines is of the kind that is asked for."""
    return ModelError(
        f"no machine of the cluster has room for a worker ({share}).",
        where=cluster.address or "Ray",
        remedy="Ask for less with --cpus-per-worker and --gpus-per-worker, or add such a machine.",
    )


def _send_along(item: Item) -> Item:
    """With the bytes of its file; where they cannot be read, the worker says why, or has them itself."""
    from barthes.reading.source import read_bytes

    if item.text is None and item.data is None:
        with contextlib.suppress(BarthesError):
            return replace(item, data=read_bytes(item.input.source))
    return item


def _explain(error: Exception) -> str:
    from ray.exceptions import ActorUnavailableError, OutOfMemoryError, RayTaskError

    text = str(error)
    if isinstance(error, RayTaskError):
        return last_line(error)
    if isinstance(error, OutOfMemoryError) or "memory pressure" in text:
        return "there was not enough memory"
    if isinstance(error, ActorUnavailableError):
        return "it cannot be reached any more"
    if "node" in text and ("died" in text or "dead" in text) and "worker process" not in text:
        return "its machine is lost"
    return "its process died"


def last_line(error: Exception) -> str:
    """What an error of Ray comes to: the lines above are of its own workings."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else type(error).__name__
