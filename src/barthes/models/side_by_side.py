"""Several passes through a model at a time, each on its share of the processor's threads.

Two passes on one thread each are sooner done than two passes one after the other on two threads: a small
network has many short steps, and sharing out each of them costs more than it saves. What a pass gives then
does not depend on how many of them are under way either.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

__all__ = ["count_readers", "side_by_side"]

T = TypeVar("T")


def count_readers(device: str) -> int:
    """How many passes are best under way at a time: one a thread of the processor, one on other devices.

    >>> count_readers("cuda")
    1
    """
    if device != "cpu":
        return 1
    import torch

    return torch.get_num_threads()


def side_by_side(jobs: Iterable[Callable[[], T]], *, at_once: int) -> Iterator[T]:
    """The results of the jobs, in their order; so many of them are under way at a time.

    A job that fails, or a consumer that stops, ends it once the jobs under way are finished.

    Args:
        jobs: Computations with torch that share nothing they change.
        at_once: How many; each has its share of torch's threads. With 1 they are done here, on all of them.

    >>> list(side_by_side([lambda: "a", lambda: "b", lambda: "c"], at_once=2))
    ['a', 'b', 'c']
    """
    if at_once <= 1:
        for job in jobs:
            yield job()
        return
    import torch

    threads = torch.get_num_threads()
    waiting: deque[Future[T]] = deque()
    share = max(1, threads // at_once)
    with ThreadPoolExecutor(at_once, "barthes-reader", torch.set_num_threads, (share,)) as crew:
        try:
            for job in jobs:
                waiting.append(crew.submit(job))
                if len(waiting) > at_once:  # one more than are under way, so that nobody waits for us
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
            torch.set_num_threads(threads)  # what a thread chose for itself would be the rule for new ones
