"""Measure the overhead of runs on 100,000 small texts with the counting model.

Usage::

    python benchmarks/runs.py                    100,000 texts
    python benchmarks/runs.py --texts 20000
    python benchmarks/runs.py --engines                             one process, two, and two Ray actors
    python benchmarks/runs.py --engines --model pause --texts 200   the same without a neural network
    python benchmarks/runs.py --stories ROCSTORIES.jsonl --texts 200 many short texts and one long one

Each step runs in a process of its own; time and peak memory are printed. The steps are the manifest, scoring
without a run, the run, resuming a finished run, resuming with a tenth of the results missing, and the
exports. The limits are 60 seconds and 1 GiB for manifest, resume and each export.

With `--engines`, prints texts per second of warm workers, for one process, two processes and two actors of a
local Ray cluster in turn; and the overhead of a run in this process as a share of the scoring time. `--model
pause` is the counting model with a pause per reading.

With `--stories`, a table of short stories (column `story`), prints the tokens per CPU second of a run over
the first --texts of them and of a run over one text of 40 sentences, in turn, on one thread, and their ratio.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from barthes.models.counting import CountingModel
from barthes.models.language_model import PlainReading
from barthes.runs.corpus_run import load_by_name, run_corpus
from barthes.runs.engine import Engine, JobResult, Load, RunJob, WorkerSetup
from barthes.runs.local_engine import InlineEngine, ProcessEngine
from barthes.runs.ray_cluster import RayCluster
from barthes.runs.ray_engine import RayEngine
from barthes.runs.run_results import RunResults, export_run
from barthes.runs.run_settings import RunSettings
from barthes.runs.run_worker import RunWorker

LONG = Path(__file__).parents[2] / "examples" / "the_ferrymans_daughter.sentences.txt"
WORDS = "the wolf girl king sheep came ate ran slept died married and then".split()
SETTINGS = RunSettings(("sd",), model="counting", sentences=True, device="cpu")


def load(device: str) -> CountingModel:
    return CountingModel([" ".join(WORDS)])


class PausingModel(CountingModel):
    """The counting model with a pause per reading."""

    def read(self, tokens: Sequence[int]) -> PlainReading:
        time.sleep(0.02)
        return super().read(tokens)


def load_pausing(device: str) -> PausingModel:
    return PausingModel([" ".join(WORDS)])


class TimedEngine(Engine):
    """An engine whose speed is measured after two texts per worker."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.times: list[float] = []

    @property
    def capacity(self) -> int:
        return self.engine.capacity

    @property
    def speed(self) -> float:
        """Texts per second."""
        warm = self.times[2 * self.engine.capacity :]
        return (len(warm) - 1) / (warm[-1] - warm[0])

    def submit(self, job: RunJob) -> None:
        self.engine.submit(job)

    def collect(self, timeout: float) -> JobResult | None:
        result = self.engine.collect(timeout)
        if result is not None:
            self.times.append(time.perf_counter())
        return result

    def close(self) -> None:
        self.engine.close()


class CountingEngine(TimedEngine):
    """An engine that also counts the tokens that went through the model."""

    tokens = 0

    def collect(self, timeout: float) -> JobResult | None:
        result = super().collect(timeout)
        self.tokens += 0 if result is None else result.tokens
        return result


class NoWork(Engine):
    """An engine that stops at the first job, after the manifest is written and results are scanned."""

    capacity = 1

    def submit(self, job: RunJob) -> None:
        raise KeyboardInterrupt

    def collect(self, timeout: float) -> JobResult | None:
        return None

    def close(self) -> None:
        pass


def make_table(path: Path, texts: int) -> None:
    draw = random.Random(0)
    with path.open("w", encoding="utf-8") as file:
        for i in range(texts):
            lines = [" ".join(draw.choices(WORDS, k=6)) + "." for _ in range(draw.randint(2, 8))]
            file.write(json.dumps({"id": f"text-{i:06}", "text": "\n".join(lines)}) + "\n")


def do(step: str, folder: Path) -> None:
    """Run a step."""
    table, run = folder / "texts.jsonl", folder / "run"
    if step == "manifest":
        try:
            run_corpus([table], run, SETTINGS, load=load, cache=False, make_engine=lambda *_: NoWork())
        except KeyboardInterrupt:
            return
    elif step == "bare":
        from barthes.reading import read_text
        from barthes.runs.text_tables import read_rows
        from barthes.salience.removal_method import SentenceDeletion

        method = SentenceDeletion(load("cpu"))
        for _, text in read_rows(table):
            method.score(read_text(text, sentences=True))
    elif step.startswith("run"):
        cache = step == "run, cached"
        out = run if step == "run" else folder / step.replace(", ", "-")
        run_corpus([table], out, SETTINGS, workers=1, load=load, cache=cache)
    elif step.startswith("resume"):
        run_corpus([table], run, SETTINGS, workers=1, load=load, cache=False)
    else:
        export_run(RunResults(run), folder / f"scores.{step}", format=step)


def lose_a_tenth(run: Path) -> None:
    """Delete every tenth result file."""
    for path in sorted((run / "results").glob("*.jsonl"))[::10]:
        path.unlink()


def measure(step: str, folder: Path) -> tuple[float, float]:
    """Run a step in a process of its own; return seconds (without starting Python) and MiB."""
    command = [sys.executable, __file__, "--step", step, "--folder", str(folder)]
    environment = os.environ | {"BARTHES_CACHE": str(folder / "cache")}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    seconds, memory = done.stdout.split()[-2:]
    return float(seconds), float(memory)


def make_tales(path: Path, texts: int) -> None:
    """Write texts of ten sentences of equal length, so that speeds are comparable."""
    draw = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        for i in range(texts):
            lines = [" ".join(draw.choices(WORDS, k=8)).capitalize() + "." for _ in range(10)]
            file.write(json.dumps({"id": f"tale-{i:04}", "text": "\n".join(lines)}) + "\n")


def compare_engines(folder: Path, model: str, texts: int, rounds: int) -> None:
    """Print the median speeds of one process, two processes and two Ray actors."""
    make_tales(folder / "tales.jsonl", texts)
    settings = replace(SETTINGS, model=model)
    load = load_pausing if model == "pause" else functools.partial(load_by_name, settings)
    speeds: dict[str, list[float]] = {}
    with RayCluster() as cluster:
        cluster.connect(workers=2)
        engines: dict[str, tuple[int, Callable[[WorkerSetup, Sequence[str]], Engine]]] = {
            "one process": (1, ProcessEngine),
            "two processes": (2, ProcessEngine),
            "two Ray actors": (2, lambda setup, _: RayEngine(setup, cluster, device="cpu", workers=2)),
        }
        for turn in range(rounds):
            for name, (workers, make) in engines.items():
                timed: list[TimedEngine] = []

                def make_engine(*given: Any, make: Any = make, timed: list[TimedEngine] = timed) -> Engine:
                    timed.append(TimedEngine(make(*given)))
                    return timed[0]

                out = folder / f"{name}-{turn}"
                options: dict[str, Any] = {"load": load, "cache": False, "make_engine": make_engine}
                run_corpus([folder / "tales.jsonl"], out, settings, workers=workers, **options)
                speeds.setdefault(name, []).append(timed[0].speed)
                print(f"{name:24}{timed[0].speed:10.2f} texts/s", flush=True)
    medians = {name: statistics.median(found) for name, found in speeds.items()}
    one, two, ray = medians.values()
    print(f"two processes / one: {two / one:.2f}; Ray / two processes: {ray / two:.3f}")
    scoring, total = measure_overhead(folder, settings, load)
    print(f"overhead: {total - scoring:.2f} s beside {scoring:.2f} s of scoring, {total / scoring - 1:.2%}")


def compare_lengths(folder: Path, model: str, stories: Path, texts: int, rounds: int) -> None:
    """Print the median speeds of a run over short stories and of one over a long text, and their ratio."""
    rows = stories.read_text(encoding="utf-8").splitlines()[:texts]
    (folder / "short.jsonl").write_text(
        "".join(
            json.dumps({"id": f"{i:05}", "text": json.loads(row)["story"]}) + "\n"
            for i, row in enumerate(rows)
        ),
        encoding="utf-8",
    )
    (folder / "long.txt").write_text(" ".join(LONG.read_text(encoding="utf-8").split("\n")[:40]), "utf-8")
    settings = replace(SETTINGS, model=model, sentences=False, dtype="float32")
    loaded = load_by_name(settings, "cpu")
    speeds: dict[str, list[float]] = {"short.jsonl": [], "long.txt": []}
    for turn in range(rounds):
        for name, found in speeds.items():
            counted: list[CountingEngine] = []

            def make_engine(*given: Any, counted: list[CountingEngine] = counted) -> Engine:
                counted.append(CountingEngine(_make_inline(*given)))
                return counted[0]

            options: dict[str, Any] = {"load": lambda _: loaded, "cache": False, "make_engine": make_engine}
            began = time.process_time()
            run_corpus([folder / name], folder / f"{name}-{turn}", settings, workers=1, **options)
            found.append(counted[0].tokens / (time.process_time() - began))
            print(f"{name:16}{counted[0].tokens:8} tokens{found[-1]:8.1f} tokens/s", flush=True)
    short, long = map(statistics.median, speeds.values())
    print(f"short / long: {short / long:.2f}")


def measure_overhead(folder: Path, settings: RunSettings, load: Load) -> tuple[float, float]:
    """Return the scoring time and the total time, in seconds, of a run in this process."""
    measure, spent, began = RunWorker._measure, [0.0], [0.0]

    def timed(self: RunWorker, *given: Any) -> Any:
        self._model.load()  # before the clock starts
        start = time.perf_counter()
        began[0] = began[0] or start
        try:
            return measure(self, *given)
        finally:
            spent[0] += time.perf_counter() - start

    RunWorker._measure = timed  # type: ignore[method-assign]
    try:
        options: dict[str, Any] = {"load": load, "cache": False, "workers": 1}
        run_corpus(
            [folder / "tales.jsonl"], folder / "overhead", settings, make_engine=_make_inline, **options
        )
    finally:
        RunWorker._measure = measure  # type: ignore[method-assign]
    return spent[0], time.perf_counter() - began[0]


def _make_inline(setup: WorkerSetup, devices: Sequence[str]) -> Engine:
    return InlineEngine(setup, device=devices[0])


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the overhead of runs.")
    parser.add_argument("--texts", type=int, help="default: 100,000, or 40 with --engines")
    parser.add_argument("--engines", action="store_true")
    parser.add_argument("--model", default="smollm2-135m", help="model for --engines, or pause")
    parser.add_argument("--stories", type=Path, help="JSON lines with a column story")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--step", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        began = time.perf_counter()
        do(options.step, options.folder)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(time.perf_counter() - began, peak)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.stories:
            compare_lengths(folder, options.model, options.stories, options.texts or 200, options.rounds)
            return
        if options.engines:
            compare_engines(folder, options.model, options.texts or 40, options.rounds)
            return
        texts = options.texts or 100_000
        make_table(folder / "texts.jsonl", texts)
        print(f"{texts:,} texts, {(folder / 'texts.jsonl').stat().st_size / 1e6:.1f} MB")
        print(f"{'step':24}{'seconds':>10}{'MiB':>8}")
        for step in ("manifest", "bare", "run", "run, cached", "resume", "resume, a tenth lost", *FORMATS):
            if step == "resume, a tenth lost":
                lose_a_tenth(folder / "run")
            seconds, memory = measure(step, folder)
            print(f"{step:24}{seconds:10.1f}{memory:8.0f}", flush=True)


FORMATS = ("parquet", "csv", "jsonl")

if __name__ == "__main__":
    main()
