"""Run a corpus: list its texts, score those without a result, and write each result to a file of its own."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from barthes.cache import ScoreCache
from barthes.errors import NarrativeError, ReadingError
from barthes.models.embedded import DEFAULT_MODEL
from barthes.narrative import Narrative
from barthes.runs.inputs import COLUMNS, Columns, Input, Text, find_inputs, open_texts
from barthes.runs.manifest import RunManifest, RunSettings, load_manifest
from barthes.runs.pool import Pool
from barthes.runs.process_pool import ProcessPool
from barthes.runs.results import ResultFiles, TextResult
from barthes.runs.storage import REQUESTS, open_storage
from barthes.salience.deserialization import from_dict
from barthes.salience.profile import Profile
from barthes.scorer import Scorer, to_narrative


@dataclass(frozen=True, slots=True)
class RunProgress:
    """The progress of a run, or of a shard of it."""

    total: int  # texts
    done: int = 0
    failed: int = 0
    scored: int = 0  # texts that this start has finished, also without success
    tokens: int = 0  # that went through the model

    def add(self, result: TextResult) -> RunProgress:
        """Return the progress with one more text."""
        failed = result.outcome == "failed"
        counts = (self.done + (not failed), self.failed + failed, self.scored + 1)
        return RunProgress(self.total, *counts, self.tokens + result.tokens)


def run_corpus(
    paths: Iterable[str | os.PathLike[str]],
    out: str | Path,
    settings: RunSettings,
    *,
    pool: Pool | None = None,
    shard: str = "1/1",
    retry_failed: bool = False,
    columns: Columns = COLUMNS,
    progress: Callable[[RunProgress], None] = lambda progress: None,
) -> RunProgress:
    """Score every text that has no result yet; after an interruption, call it again to continue.

    Args:
        paths: As for `find_inputs`.
        out: The folder of the run, or an address that fsspec knows.
        settings: How texts are scored.
        pool: The workers, which are stopped at the end; by default processes of this machine.
        shard: The share of the texts that this call scores, such as ``2/4``.
        retry_failed: Whether to retry texts that failed.
        columns: The names of the columns of tables.
        progress: Called with the progress of the run after each text.

    Raises:
        OutputError: The run was started with other settings or texts, or cannot be written.
        ReadingError: A text is missing, two have the same id, or the shard is invalid.
        ModelError: The model cannot be found or used.
    """
    every = parse_shard(shard)
    storage = open_storage(out)
    old = load_manifest(storage)
    inputs = list(find_inputs(paths, columns=columns, known=old.by_id if old else {}))
    if old is not None:
        old.check(settings.to_dict(), inputs, where=storage.where)
    with closing(pool or ProcessPool(settings)) as workers:
        environment = workers.start() if old is None else old.environment
        manifest = RunManifest(settings.to_dict(), environment, inputs)
        files = ResultFiles(storage, manifest)
        found = files.scan(inputs, retry_failed=retry_failed)
        chosen = inputs[every]
        waiting = [each for each in chosen if each.id not in found]
        failed = sum(found.get(each.id) == "failed" for each in chosen)
        count = RunProgress(len(chosen), done=len(chosen) - len(waiting) - failed, failed=failed)
        if old is not None and waiting:
            old.check_environment(workers.start(), where=storage.where)
        if manifest != old:
            manifest.save(storage)
        results = workers.score(open_texts(waiting, columns=columns))
        for result in _write_each(results, files, waiting):
            count = count.add(result)
            progress(count)
    if (now := load_manifest(storage)) is not None:  # another start may have replaced it meanwhile
        now.check(settings.to_dict(), inputs, where=storage.where)
        now.check_environment(environment, where=storage.where)
    return count


def parse_shard(text: str) -> slice:
    """Return which texts the share ``i/n`` has: every n-th, starting with number i (from 1).

    >>> "abcdefg"[parse_shard("2/4")]
    'bf'
    """
    index, slash, count = text.partition("/")
    if slash and index.isdecimal() and count.isdecimal() and 1 <= int(index) <= int(count):
        return slice(int(index) - 1, None, int(count))
    raise ReadingError(f"invalid shard {text!r}; expected i/n, for example 2/4.", option="shard")


def _write_each(
    results: Iterable[TextResult], files: ResultFiles, waiting: Iterable[Input]
) -> Iterator[TextResult]:
    """Write results in other threads, so that no worker waits for a slow disk, and yield them."""
    inputs = {each.id: each for each in waiting}
    writes: deque[Future[None]] = deque()
    with ThreadPoolExecutor(REQUESTS) as threads:
        for result in results:
            writes.append(threads.submit(files.write, inputs[result.id], result))
            if len(writes) > REQUESTS:
                writes.popleft().result()
            yield result
        for write in writes:
            write.result()


def score_many(
    stories: Iterable[Narrative | str | Sequence[str]],
    *,
    n_jobs: int | None = 1,
    method: str = "sd",
    unit: str = "sentence",
    model: str = DEFAULT_MODEL,
    window: int | None = None,
) -> list[Profile]:
    """Return the salience profiles of several stories, in order.

    Args:
        stories: Each as for `barthes.score`.
        n_jobs: The number of processes; 1 for none besides this one, None for one per GPU, otherwise as many
            as cores and memory allow.
        method, unit, model, window: As for `barthes.score`, by name.

    Raises:
        NarrativeError: A story cannot be scored; the error has its number, from 1.
        ModelError: The model cannot be found or used.
        TypeError: There is one text instead of several stories.

    With several processes, scripts need ``if __name__ == "__main__":``, because each process imports them.
    """
    if isinstance(stories, str | Narrative):
        raise TypeError("stories is a list of stories; for one story use barthes.score.")
    settings = RunSettings((method,), unit, model, window)
    narratives = map(to_narrative, stories)
    if n_jobs == 1:
        return _score_here(narratives, settings)
    texts = (
        Text(Input(str(i), "", "", len(narrative.text)), narrative) for i, narrative in enumerate(narratives)
    )
    found: dict[int, Profile] = {}
    with closing(ProcessPool(settings, workers=n_jobs)) as workers:
        workers.start()
        for result in workers.score(texts):
            if result.reason:
                reason = result.reason.removeprefix(f"{result.id}: ")
                raise NarrativeError(reason, where=f"story {int(result.id) + 1}")
            found[int(result.id)] = from_dict(result.profiles[0])
    return [found[i] for i in sorted(found)]


def _score_here(narratives: Iterable[Narrative], settings: RunSettings) -> list[Profile]:
    """Score stories in this process."""
    cache = ScoreCache() if settings.needs_model else None
    [method] = settings.methods
    scorer = Scorer(method, settings.model, unit=settings.unit, window=settings.window, cache=cache)
    profiles = []
    for number, narrative in enumerate(narratives, 1):
        try:
            profiles.append(scorer.score(narrative))
        except NarrativeError as error:
            raise NarrativeError(str(error), where=f"story {number}") from error
    return profiles
