"""Measure runs: short stories beside long ones with a real model, and the overhead of 100,000 texts.

Usage::

    python benchmarks/runs.py --stories 300      short and long stories, two processes, a language model
    python benchmarks/runs.py --texts 100000     what a run costs besides scores: start, continue, export

Short stories have five sentences each, long ones forty, drawn anew from one tale, so that no score is cached.
Their speed is in tokens through the model per second.
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
from dataclasses import replace
from pathlib import Path

from barthes.runs.corpus_run import run_corpus
from barthes.runs.manifest import RunSettings
from barthes.runs.pool import ProcessPool
from barthes.runs.results import EXPORT_FORMATS, RunResults, export_run

SOURCE = Path(__file__).parents[2] / "examples" / "the_ferrymans_daughter.sentences.txt"
LONG = 40  # sentences of a long story
SETTINGS = RunSettings(("sd",), sentences=True, device="cpu", dtype="float32")
WITHOUT_MODEL = replace(SETTINGS, methods=("length",))


def make_table(path: Path, *, texts: int, sentences: int) -> Path:
    """Write texts of sentences that are drawn from a story."""
    draw, source = random.Random(), SOURCE.read_text(encoding="utf-8").splitlines()
    with path.open("w", encoding="utf-8") as file:
        for i in range(texts):
            text = "\n".join(draw.sample(source, k=min(sentences, len(source))))
            file.write(json.dumps({"id": f"text-{i:06}", "text": text}) + "\n")
    return path


def compare_lengths(folder: Path, *, model: str, stories: int, workers: int) -> None:
    """Print the speed of a run over short stories and of one over long ones, and their ratio."""
    settings = replace(SETTINGS, model=model)
    short = make_table(folder / "short.jsonl", texts=stories, sentences=5)
    long = make_table(folder / "long.jsonl", texts=2 * workers, sentences=LONG)
    speeds, began = {}, 0.0
    for table in (long, short):
        began = time.perf_counter()
        pool = ProcessPool(settings, workers=workers)
        done = run_corpus([table], folder / f"run-{table.stem}", settings, pool=pool)
        speeds[table] = done.tokens / done.seconds
        print(
            f"{table.stem:8}{done.done:8} texts{done.tokens:10} tokens{speeds[table]:10.1f} tokens/s",
            flush=True,
        )
    start = time.perf_counter() - began - done.seconds
    seconds = done.seconds * 10_000 / stories
    print(f"start-up {start:.1f} s; short / long: {speeds[short] / speeds[long]:.2f}")
    ratio = speeds[short] / speeds[long] * seconds / (seconds + start)
    print(f"10,000 short stories with start-up / long ones without: {ratio:.2f}")


def do(step: str, folder: Path) -> None:
    """Do a step of the measurement of overhead."""
    if step in EXPORT_FORMATS:
        export_run(RunResults(folder / "run"), folder / f"scores.{step}", format=step)
    elif step == "status":
        assert RunResults(folder / "run").outcomes
    else:
        pool = ProcessPool(WITHOUT_MODEL, workers=2)
        run_corpus([folder / "texts.jsonl"], folder / "run", WITHOUT_MODEL, pool=pool)


def measure_overhead(folder: Path, texts: int) -> None:
    """Print seconds and peak memory of each step, in a process of its own."""
    make_table(folder / "texts.jsonl", texts=texts, sentences=5)
    print(f"{'step':24}{'seconds':>10}{'MiB':>8}")
    for step in ("run", "continue", "status", "continue, a tenth lost", *EXPORT_FORMATS):
        if step.endswith("lost"):
            for path in sorted((folder / "run" / "results").glob("*/*"))[::10]:
                path.unlink()
        command = [sys.executable, __file__, "--step", step, "--folder", str(folder)]
        environment = os.environ | {"BARTHES_CACHE": str(folder / "cache")}
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        seconds, memory = map(float, done.stdout.split()[-2:])
        print(f"{step:24}{seconds:10.1f}{memory:8.0f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure runs.")
    parser.add_argument("--stories", type=int, default=300)
    parser.add_argument("--model", default="smollm2-135m")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--texts", type=int, help="measure the overhead of so many texts instead")
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
        if options.texts:
            measure_overhead(Path(name), options.texts)
        else:
            chosen = {"model": options.model, "stories": options.stories, "workers": options.workers}
            compare_lengths(Path(name), **chosen)


if __name__ == "__main__":
    main()
