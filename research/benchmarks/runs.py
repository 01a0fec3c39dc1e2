"""Measure what a run of many texts costs besides scores: start, continue, export.

Usage::

    python benchmarks/runs.py --texts 100000
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
from barthes.runs.process_pool import ProcessPool
from barthes.runs.results import EXPORT_FORMATS, RunResults, export_run

SOURCE = Path(__file__).parents[2] / "examples" / "the_ferrymans_daughter.sentences.txt"
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
        measure_overhead(Path(name), options.texts)


if __name__ == "__main__":
    main()
