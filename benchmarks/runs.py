"""What the machinery of runs costs: a hundred thousand small texts with the counting model.

Usage::

    python benchmarks/runs.py                    100,000 texts
    python benchmarks/runs.py --texts 20000
    python benchmarks/runs.py --engines                             one worker, two, and two of Ray
    python benchmarks/runs.py --engines --model pause --texts 200   the same, without a network

Each step is timed in a process of its own, with the most memory that it had at once: the manifest, the run
itself beside the bare scoring of the same texts, a start when all is done (resume), one when the last tenth
is missing, and the exports. The limits are 60 seconds and 1 GiB for manifest, resume and each export.

With `--engines`: texts a second once every worker is warm, with one process, two, and two actors of a Ray
that is started here, in turn, so that all have the same machine; and, for one worker in this process, the
time that is not spent on computing scores as a share of that which is. The model is `--model`; `pause` is the
counting model with a pause for each reading.
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
from barthes.runs.cluster import RayCluster
from barthes.runs.engine import Engine, Item, Load, Outcome, Workplace
from barthes.runs.export import export_run
from barthes.runs.local import InlineEngine, ProcessEngine
from barthes.runs.ray_engine import RayEngine
from barthes.runs.results import RunResults
from barthes.runs.run import load_by_name, run_corpus
from barthes.runs.scorer import Scorer
from barthes.runs.settings import RunSettings

WORDS = "the wolf girl king sheep came ate ran slept died married and then".split()
SETTINGS = RunSettings(("sd",), model="counting", sentences=True, device="cpu")


def load(device: str) -> CountingModel:
    return CountingModel([" ".join(WORDS)])


class PausingModel(CountingModel):
    """The counting model, with a pause for every reading."""

    def read(self, tokens: Sequence[int]) -> PlainReading:
        time.sleep(0.02)
        return super().read(tokens)


def load_pausing(device: str) -> PausingModel:
    return PausingModel([" ".join(WORDS)])


class Warm(Engine):
    """An engine whose speed is measured from when each worker has done two texts."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.times: list[float] = []

    @property
    def capacity(self) -> int:
        return self.engine.capacity

    @property
    def tokens(self) -> int:
        return self.engine.tokens

    @property
    def speed(self) -> float:
        """Texts a second."""
        warm = self.times[2 * self.engine.capacity :]
        return (len(warm) - 1) / (warm[-1] - warm[0])

    def submit(self, item: Item) -> None:
        self.engine.submit(item)

    def collect(self, timeout: float) -> Outcome | None:
        outcome = self.engine.collect(timeout)
        if outcome is not None:
            self.times.append(time.perf_counter())
        return outcome

    def close(self) -> None:
        self.engine.close()


class NoWork(Engine):
    """Stops as soon as there is something to do: only the manifest is made, and what is there looked at."""

    capacity = 1
    tokens = 0

    def submit(self, item: Item) -> None:
        raise KeyboardInterrupt

    def collect(self, timeout: float) -> Outcome | None:
        return None

    def close(self) -> None:
        pass


def make_table(path: Path, texts: int) -> None:
    chance = random.Random(0)
    with path.open("w", encoding="utf-8") as file:
        for i in range(texts):
            lines = [" ".join(chance.choices(WORDS, k=6)) + "." for _ in range(chance.randint(2, 8))]
            file.write(json.dumps({"id": f"text-{i:06}", "text": "\n".join(lines)}) + "\n")


def do(step: str, folder: Path) -> None:
    """One step."""
    table, run = folder / "texts.jsonl", folder / "run"
    if step == "manifest":
        try:
            run_corpus([table], run, SETTINGS, load=load, cache=False, hire=lambda *_: NoWork())
        except KeyboardInterrupt:
            return
    elif step == "bare":
        from barthes.reading import read_text
        from barthes.runs.tables import read_rows
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
    """Damage the last tenth of every file of results."""
    for path in (run / "results").glob("*.records"):
        data = path.read_bytes()
        path.write_bytes(data[: len(data) * 9 // 10])


def measure(step: str, folder: Path) -> tuple[float, float]:
    """Seconds and MiB of a step in a process of its own; the time to start Python is not counted."""
    command = [sys.executable, __file__, "--step", step, "--folder", str(folder)]
    environment = os.environ | {"BARTHES_CACHE": str(folder / "cache")}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    seconds, memory = done.stdout.split()[-2:]
    return float(seconds), float(memory)


def make_tales(path: Path, texts: int) -> None:
    """Texts of ten sentences, all of one length, so that texts a second are comparable."""
    chance = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        for i in range(texts):
            lines = [" ".join(chance.choices(WORDS, k=8)).capitalize() + "." for _ in range(10)]
            file.write(json.dumps({"id": f"tale-{i:04}", "text": "\n".join(lines)}) + "\n")


def compare_engines(folder: Path, model: str, texts: int, rounds: int) -> None:
    """Speeds of one process, two, and two actors, round by round; the middle one of each counts."""
    make_tales(folder / "tales.jsonl", texts)
    settings = replace(SETTINGS, model=model)
    load = load_pausing if model == "pause" else functools.partial(load_by_name, settings)
    speeds: dict[str, list[float]] = {}
    with RayCluster() as cluster:
        cluster.connect(workers=2)
        hires: dict[str, tuple[int, Callable[[Workplace, Sequence[str]], Engine]]] = {
            "one process": (1, ProcessEngine),
            "two processes": (2, ProcessEngine),
            "two actors of Ray": (2, lambda place, _: RayEngine(place, cluster, device="cpu", workers=2)),
        }
        for turn in range(rounds):
            for name, (workers, hire) in hires.items():
                engines: list[Warm] = []

                def watched(*given: Any, hire: Any = hire, engines: list[Warm] = engines) -> Engine:
                    engines.append(Warm(hire(*given)))
                    return engines[0]

                out = folder / f"{name}-{turn}"
                options: dict[str, Any] = {"load": load, "cache": False, "hire": watched}
                run_corpus([folder / "tales.jsonl"], out, settings, workers=workers, **options)
                speeds.setdefault(name, []).append(engines[0].speed)
                print(f"{name:24}{engines[0].speed:10.2f} texts/s", flush=True)
    middle = {name: statistics.median(found) for name, found in speeds.items()}
    one, two, ray = middle.values()
    print(f"two processes are {two / one:.2f} times one; Ray is {ray / two:.3f} times two processes")
    work, all_of_it = measure_overhead(folder, settings, load)
    print(f"overhead: {all_of_it - work:.2f} s beside {work:.2f} s of scoring, {all_of_it / work - 1:.2%}")


def measure_overhead(folder: Path, settings: RunSettings, load: Load) -> tuple[float, float]:
    """Seconds in which scores are computed, and in all, once the model is loaded; by one worker, here."""
    compute, spent, began = Scorer._compute, [0.0], [0.0]

    def timed(self: Scorer, *given: Any) -> Any:
        _ = self._model  # loaded before the clock starts
        start = time.perf_counter()
        began[0] = began[0] or start
        try:
            return compute(self, *given)
        finally:
            spent[0] += time.perf_counter() - start

    Scorer._compute = timed  # type: ignore[method-assign]
    try:
        options: dict[str, Any] = {"load": load, "cache": False, "workers": 1}
        run_corpus([folder / "tales.jsonl"], folder / "overhead", settings, hire=_hire_inline, **options)
    finally:
        Scorer._compute = compute  # type: ignore[method-assign]
    return spent[0], time.perf_counter() - began[0]


def _hire_inline(place: Workplace, devices: Sequence[str]) -> Engine:
    return InlineEngine(place, device=devices[0])


def main() -> None:
    parser = argparse.ArgumentParser(description="What the machinery of runs costs.")
    parser.add_argument("--texts", type=int, help="100,000; 40 for engines")
    parser.add_argument("--engines", action="store_true")
    parser.add_argument("--model", default="smollm2-135m", help="of engines; pause is none")
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
