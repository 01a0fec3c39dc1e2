"""Kill runs at random moments, continue them, and compare their results with an undisturbed run.

Usage::

    python scripts/soak.py --kills 200

The corpus is generated: short texts, a long one and one that fails. It is scored with the counting model,
slowed down so that there is time to interrupt it. The run itself is killed, and sometimes one of its workers.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import psutil

from barthes.models.counting import CountingModel
from barthes.models.language_model import PlainReading
from barthes.runs.corpus_run import run_corpus
from barthes.runs.manifest import RunSettings
from barthes.runs.process_pool import ProcessPool
from barthes.runs.results import EXPORT_FORMATS, RunResults

WORDS = "the wolf girl king sheep came ate ran slept died married and then".split()
SETTINGS = RunSettings(
    ("sd", "sd+tfidf", "position"), model="counting", window=64, sentences=True, device="cpu"
)


class SlowModel(CountingModel):
    """The counting model, with a pause before every reading."""

    def read(self, tokens: Sequence[int]) -> PlainReading:
        """Read after a pause."""
        time.sleep(0.002)
        return super().read(tokens)


def load_slowly(settings: RunSettings, device: str) -> SlowModel:
    """Load the model."""
    return SlowModel([" ".join(WORDS)])


def make_corpus(path: Path, *, texts: int) -> None:
    """Write a table of short texts, a long one and an empty one."""
    chance = random.Random(0)
    lengths = [chance.randint(1, 9) for _ in range(texts)] + [60, 0]
    with path.open("w", encoding="utf-8") as file:
        for i, length in enumerate(lengths):
            sentences = [" ".join(chance.choices(WORDS, k=chance.randint(2, 7))) for _ in range(length)]
            file.write(json.dumps({"id": f"text {i}", "text": ".\n".join(sentences)}) + "\n")


def disturb(command: Sequence[object], seconds: float, chance: random.Random) -> tuple[int, str]:
    """Start a run and kill it, or one of its workers, at a random moment.

    Returns:
        The exit code, and what was killed: ``run``, ``worker``, or nothing if the run was faster.
    """
    with subprocess.Popen(list(map(str, command))) as process, contextlib.suppress(psutil.NoSuchProcess):
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(chance.uniform(0, seconds)), ""
        run = psutil.Process(process.pid)
        workers = [each for each in run.children() if "spawn_main" in " ".join(each.cmdline())]
        is_worker = bool(workers) and chance.random() < 0.25
        (chance.choice(workers) if is_worker else run).send_signal(signal.SIGKILL)
        return process.wait(600), "worker" if is_worker else "run"
    return process.returncode, ""


def soak(folder: Path, *, kills: int, texts: int, workers: int) -> dict[str, int]:
    """Kill and continue runs until `kills` processes were killed; return counts of what happened."""
    chance = random.Random(0)
    corpus = folder / "corpus.jsonl"
    make_corpus(corpus, texts=texts)
    command = [sys.executable, __file__, "--score", corpus]
    began = time.monotonic()
    subprocess.run([*command, "--run", folder / "undisturbed"], check=True)
    seconds = time.monotonic() - began
    expected = read_results(folder / "undisturbed")
    counts = {"run": 0, "worker": 0, "finished": 0, "different": 0, "crashed": 0}
    while counts["run"] + counts["worker"] < kills and counts["crashed"] < 3:
        run, code = folder / f"run{counts['finished']}", -1
        while code != 0 and counts["crashed"] < 3:
            count = chance.choice([1, workers])  # a run may be continued with more or fewer workers
            code, killed = disturb([*command, "--run", run, "--workers", count], seconds, chance)
            counts["crashed"] += code != 0 and killed != "run"
            if killed:
                counts[killed] += 1
        counts["finished"] += 1
        counts["different"] += read_results(run) != expected
    return counts


def read_results(run: Path) -> list[bytes]:
    """Return the exports and the failures of a run."""
    results, found = RunResults(run), []
    for name in ("csv", "jsonl"):
        stream = io.BytesIO()
        EXPORT_FORMATS[name](results, stream)
        found.append(stream.getvalue())
    return [*found, json.dumps(results.failures).encode()]


def main() -> None:
    """Run the soak, or a run that it starts."""
    parser = argparse.ArgumentParser(description="Kill runs at random moments, and compare their results.")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--texts", type=int, default=60)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--score", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.score is not None:
        pool = ProcessPool(SETTINGS, workers=options.workers, load=load_slowly)
        run_corpus([options.score], options.run, SETTINGS, pool=pool)
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ["BARTHES_CACHE"] = folder
        found = soak(Path(folder), kills=options.kills, texts=options.texts, workers=options.workers)
    print(json.dumps(found))
    sys.exit(1 if found["different"] or found["crashed"] else 0)


if __name__ == "__main__":
    main()
