"""What the machinery of runs costs: a hundred thousand small texts with the counting model.

Usage::

    python benchmarks/runs.py                    100,000 texts
    python benchmarks/runs.py --texts 20000

Each step is timed in a process of its own, with the most memory that it had at once: the manifest, the run
itself beside the bare scoring of the same texts, a start when all is done (resume), one when the last tenth
is missing, and the exports. The limits are 60 seconds and 1 GiB for manifest, resume and each export.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from barthes.models.counting import CountingModel
from barthes.runs.engine import Engine, Item, Outcome
from barthes.runs.export import export_run
from barthes.runs.results import RunResults
from barthes.runs.run import run_corpus
from barthes.runs.settings import RunSettings

WORDS = "the wolf girl king sheep came ate ran slept died married and then".split()
SETTINGS = RunSettings(("sd",), model="counting", sentences=True, device="cpu")


def load(device: str) -> CountingModel:
    return CountingModel([" ".join(WORDS)])


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
        from barthes.salience.sentence_deletion import SentenceDeletion

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


def main() -> None:
    parser = argparse.ArgumentParser(description="What the machinery of runs costs.")
    parser.add_argument("--texts", type=int, default=100_000)
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
        make_table(folder / "texts.jsonl", options.texts)
        print(f"{options.texts:,} texts, {(folder / 'texts.jsonl').stat().st_size / 1e6:.1f} MB")
        print(f"{'step':24}{'seconds':>10}{'MiB':>8}")
        for step in ("manifest", "bare", "run", "run, cached", "resume", "resume, a tenth lost", *FORMATS):
            if step == "resume, a tenth lost":
                lose_a_tenth(folder / "run")
            seconds, memory = measure(step, folder)
            print(f"{step:24}{seconds:10.1f}{memory:8.0f}", flush=True)


FORMATS = ("parquet", "csv", "jsonl")

if __name__ == "__main__":
    main()
