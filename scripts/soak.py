"""Kill runs at random moments, resume them, and compare their results with an undisturbed run, byte by byte.

Usage::

    python scripts/soak.py --kills 200

The corpus is generated: short texts, a long one that is divided into parts, and one that fails. It is scored
with the counting model, which is slowed down so that there is time to interrupt it. The run itself is killed
and, with several workers, sometimes one of these.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from barthes.models.counting import CountingModel
from barthes.models.language_model import PlainReading
from barthes.runs.corpus_run import run_corpus
from barthes.runs.run_results import RunResults, export_run
from barthes.runs.run_settings import RunSettings

__all__ = ["SlowModel", "SoakReport", "load_slowly", "main", "make_corpus", "score_corpus", "soak"]

_WORDS = "the wolf girl king sheep came ate ran slept died married and then".split()
_SETTINGS = RunSettings(
    methods=("sd", "sd+tfidf", "position"),
    model="counting",
    window=64,
    sentences=True,
    device="cpu",
    part_tokens=400,
)
_MAX_CRASHES = 3
_FORMATS = ("csv", "jsonl")


class SlowModel(CountingModel):
    """The counting model, with a pause before every reading."""

    pause = 0.002

    def read(self, tokens: Sequence[int]) -> PlainReading:
        """Read after a pause."""
        time.sleep(self.pause)
        return super().read(tokens)


def load_slowly(device: str) -> SlowModel:
    """Load the model."""
    return SlowModel([" ".join(_WORDS)])


@dataclass
class SoakReport:
    """Counts of what happened."""

    kills: int = 0  # killed processes
    workers: int = 0  # workers among them
    runs: int = 0  # finished runs, which were compared
    different: int = 0  # runs that differed from the undisturbed one
    crashed: list[int] = field(default_factory=list)  # exit codes of runs that failed without a kill


def make_corpus(path: Path, *, texts: int) -> None:
    """Write a table of short texts, a long one and an empty one."""
    chance = random.Random(0)
    lengths = [chance.randint(1, 9) for _ in range(texts)] + [60]
    rows = [
        {"id": f"text {i}", "text": "\n".join(_make_sentence(chance) for _ in range(length))}
        for i, length in enumerate(lengths)
    ]
    rows.insert(texts // 2, {"id": "empty", "text": " "})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def score_corpus(corpus: Path, run: Path, *, workers: int) -> None:
    """Score the corpus, or resume scoring it."""
    run_corpus([corpus], run, _SETTINGS, workers=workers, load=load_slowly, cache=False)


def soak(folder: Path, *, kills: int, texts: int = 60, workers: int = 2, seed: int = 0) -> SoakReport:
    """Kill and resume runs until `kills` processes were killed, and compare every finished run."""
    chance = random.Random(seed)
    corpus = folder / "corpus.jsonl"
    make_corpus(corpus, texts=texts)
    seconds = {count: _measure_time(corpus, folder / f"timed{count}", count) for count in {1, workers}}
    score_corpus(corpus, folder / "undisturbed", workers=1)
    expected = _read_exports(folder / "undisturbed", folder)
    report, number = SoakReport(), 0
    while report.kills < kills or number == 0:
        number += 1
        run = folder / f"run{number}"
        finished = False
        while not finished:
            if len(report.crashed) >= _MAX_CRASHES:
                return report
            count = chance.choice([1, workers])  # a run may be resumed with more or fewer workers
            undisturbed = report.kills >= kills
            finished = _disturb(corpus, run, count, seconds[count], chance, report, undisturbed=undisturbed)
        report.runs += 1
        report.different += _read_exports(run, folder) != expected
    return report


def _disturb(
    corpus: Path,
    run: Path,
    workers: int,
    seconds: float,
    chance: random.Random,
    report: SoakReport,
    *,
    undisturbed: bool,
) -> bool:
    """Start a run, kill it at a random moment unless `undisturbed`, and return whether it finished."""
    command = [sys.executable, __file__, "--score", str(corpus), "--run", str(run), "--workers", str(workers)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()  # its libraries are loaded
        if not undisturbed:
            try:
                process.wait(chance.uniform(0, seconds * 1.1))
            except subprocess.TimeoutExpired:
                _kill_one(process, chance, report)
        code = process.wait(600)
        if code not in (0, -signal.SIGKILL):
            report.crashed.append(code)
        return code == 0


def _measure_time(corpus: Path, run: Path, workers: int) -> float:
    """Return the seconds that an undisturbed run takes."""
    began = time.monotonic()
    score_corpus(corpus, run, workers=workers)
    return time.monotonic() - began


def _kill_one(process: subprocess.Popen[bytes], chance: random.Random, report: SoakReport) -> None:
    children = _find_children(process.pid)
    victim = chance.choice(children) if children and chance.random() < 0.25 else process.pid
    try:
        os.kill(victim, signal.SIGKILL)
    except ProcessLookupError:
        return
    report.kills += 1
    report.workers += victim != process.pid


def _find_children(pid: int) -> list[int]:
    """Return the workers of a run, on systems with /proc; multiprocessing's resource tracker is not one."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
            command = (folder / "cmdline").read_text(encoding="utf-8", errors="replace")
        except OSError:  # it has ended
            continue
        if parent == pid and "spawn_main" in command:
            found.append(int(folder.name))
    return sorted(found)


def _read_exports(run: Path, folder: Path) -> list[bytes]:
    results = RunResults(run)
    outs = [folder / f"export.{each}" for each in _FORMATS]
    for out, each in zip(outs, _FORMATS, strict=True):
        export_run(results, out, format=each)
    return [*(out.read_bytes() for out in outs), json.dumps(results.failures).encode()]


def _make_sentence(chance: random.Random) -> str:
    return " ".join(chance.choices(_WORDS, k=chance.randint(2, 7))).capitalize() + "."


def main() -> None:
    """Run the soak, or a run that it starts."""
    parser = argparse.ArgumentParser(description="Kill runs at random moments, and compare their results.")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--texts", type=int, default=60)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--score", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.score is not None:
        print("ready", flush=True)
        score_corpus(options.score, options.run, workers=options.workers)
        return
    with tempfile.TemporaryDirectory() as folder:
        found = soak(
            Path(folder),
            kills=options.kills,
            texts=options.texts,
            workers=options.workers,
            seed=options.seed,
        )
    print(
        f"{found.kills} processes killed ({found.workers} of them workers), {found.runs} runs finished, "
        f"{found.different} different from the undisturbed one"
    )
    if found.crashed:
        print(f"{len(found.crashed)} crashed, with {', '.join(map(str, found.crashed))}")
    sys.exit(1 if found.different or found.crashed else 0)


if __name__ == "__main__":
    main()
