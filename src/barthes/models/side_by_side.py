"""Run several passes through a model concurrently, each on its share of the CPU's threads.

Two concurrent passes on one thread each are faster than two successive passes on two threads: a small
network has many short steps, and splitting each of them costs more than it saves. The result of a pass does
not depend on how many run at the same time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def count_readers(device: str) -> int:
    """Return how many passes to run at a time: one per CPU thread (also if unknown), one on other devices.

    >>> count_readers("cuda")
    1
    """
    if device not in ("cpu", ""):
        return 1
    import torch

    return torch.get_num_threads()


def side_by_side(jobs: Iterable[Callable[[], T]], *, at_once: int) -> Iterator[T]:
    """Yield the results of the jobs in order, running `at_once` of them concurrently.

    If a job fails or the consumer stops, no more jobs are started, and the running ones are awaited.

    Args:
        jobs: Computations with torch that share no mutable state.
        at_once: The number of concurrent jobs, each on its share of torch's threads. With 1, jobs run in
            this thread, on all threads of torch.

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
    with ThreadPoolExecutor(at_once, "barthes-reader", torch.set_num_threads, (share,)) as pool:
        try:
            for job in jobs:
                waiting.append(pool.submit(job))
                if len(waiting) > at_once:  # one more than are running, so that no thread is idle
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:  # after an interruption, one of them has not started yet
                future.cancel()
            torch.set_num_threads(threads)  # otherwise new threads would get the setting of the pool's
