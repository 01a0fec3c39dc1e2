#!/usr/bin/env python3
"""Read randomly damaged files; each must give a document or a clear error.

Usage::

    python scripts/fuzz.py --minutes 10
    python scripts/fuzz.py --minutes 10 --only pdf epub

`tests/fuzz` does the same for seconds. If atheris is installed (`pip install atheris`; wheels for Linux),
fuzzing is guided by coverage, otherwise random. Inputs that crash, take more than 10 seconds of CPU time or
more than 1 GB are written to a folder with their traceback, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # for the files and mutations of the tests

__all__ = ["main"]

_SECONDS = 10
_MEGABYTES = 1_000
_INTERVAL = 1.0  # seconds between reports
_COUNTS = "counts.json"


class Target:
    """A reader, the intact file to damage, and the outcomes so far."""

    def __init__(self, name: str, findings: Path) -> None:
        from tests.fuzz.seeds import CORPORA, STORIES

        self.name = name
        self._findings = findings
        self._folder = tempfile.TemporaryDirectory()
        self.outcomes: Counter[str] = Counter()
        self._read: Callable[[bytes], object]
        if name in STORIES:
            self.seed = STORIES[name].data
            self._read = self._read_story
            self._named = STORIES[name].name
        else:
            self._open, file, self.seed = CORPORA[name]
            self._path = Path(self._folder.name) / file
            self._read = self._read_corpus

    def try_out(self, data: bytes) -> None:
        """Read some bytes, and save them unless they give a result or a BarthesError."""
        from barthes.errors import BarthesError
        from tests.fuzz.bounds import TooSlow, bounded, peak_megabytes

        before = peak_megabytes()
        try:
            with bounded(_SECONDS):
                self._read(data)
            outcome = "read"
        except BarthesError:
            outcome = "refused"
        except (TooSlow, Exception) as error:
            outcome = self._save(data, error)
        if peak_megabytes() - before > _MEGABYTES:
            outcome = self._save(data, MemoryError(f"more than {_MEGABYTES} MB"))
        self.outcomes[outcome] += 1

    def _read_story(self, data: bytes) -> object:
        from barthes.reading.formats import parse_document

        return parse_document(data, where="x", name=self._named)

    def _read_corpus(self, data: bytes) -> object:
        self._path.write_bytes(data)
        return self._open(self._path)

    def _save(self, data: bytes, error: BaseException) -> str:
        """Save a finding, once for each place in the code."""
        trace = traceback.extract_tb(error.__traceback__)
        place = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(trace[-3:]))
        kind = f"{type(error).__name__} at {place}"
        stem = (
            self._findings / f"{self.name.replace(' ', '-')}-{hashlib.sha256(kind.encode()).hexdigest()[:8]}"
        )
        if not stem.with_suffix(".txt").exists():
            stem.with_suffix(".bin").write_bytes(data)
            stem.with_suffix(".txt").write_text("".join(traceback.format_exception(error)), encoding="utf-8")
        return kind


def damage(target: Target, draw: random.Random) -> bytes:
    """Return the intact file with random damage."""
    from tests.fuzz.mutation import amplify, mutate

    return (mutate if draw.random() < 0.9 else amplify)(target.seed, draw)


def fuzz_at_random(target: Target, seconds: float, seed: int) -> None:
    """Fuzz a reader with random damage for some seconds."""
    until = time.monotonic() + seconds
    number = seed * 1_000_000_000
    while time.monotonic() < until:
        number += 1
        target.try_out(damage(target, random.Random(number)))


def instrument() -> None:
    """Let atheris measure the coverage of the readers and their Python libraries."""
    import atheris

    instrumented = ["barthes.reading", "barthes_research.corpora", "pypdf", "markdown_it"]
    with atheris.instrument_imports(include=instrumented):
        for package in ("src/barthes/reading", "research/src/barthes_research/corpora"):
            for module in sorted((ROOT / package).glob("[a-z]*.py")):
                importlib.import_module(f"{'.'.join(Path(package).parts[-2:])}.{module.stem}")
        for library in ("pypdf", "markdown_it"):
            importlib.import_module(library)


def fuzz_by_coverage(target: Target, seconds: float, seed: int, report: Callable[[], None]) -> None:
    """Fuzz a reader with atheris, which ends the process, so `report` is called regularly."""
    import atheris

    corpus = Path(tempfile.mkdtemp())
    for number in range(40):  # initial corpus
        (corpus / str(number)).write_bytes(
            target.seed if not number else damage(target, random.Random(seed * 1_000 + number))
        )

    def mutate_further(data: bytes, limit: int, seed: int) -> bytes:
        from tests.fuzz.mutation import mutate

        draw = random.Random(seed)
        changed = mutate(data, draw) if draw.random() < 0.7 else atheris.Mutate(data, limit)
        return bytes(changed[:limit])

    options = [
        f"-max_total_time={max(1, round(seconds))}",
        "-max_len=200000",
        f"-seed={seed + 1}",
        "-verbosity=0",
    ]
    reported = time.monotonic()

    def try_out(data: bytes) -> None:
        nonlocal reported
        target.try_out(data)
        if time.monotonic() - reported > _INTERVAL:
            reported = time.monotonic()
            report()

    options += ["-print_final_stats=0", "-timeout=120", "-rss_limit_mb=4000", str(corpus)]
    atheris.Setup([sys.argv[0], *options], try_out, custom_mutator=mutate_further)
    atheris.Fuzz()


def fuzz_one(name: str, seconds: float, seed: int, findings: Path) -> None:
    """Fuzz one reader in this process, and write the counts of outcomes."""
    by_coverage = importlib.util.find_spec("atheris") is not None
    if by_coverage:
        instrument()  # before they are imported
    target = Target(name, findings)

    def report() -> None:
        (findings / _COUNTS).write_text(json.dumps(target.outcomes), encoding="utf-8")

    if by_coverage:
        fuzz_by_coverage(target, seconds, seed, report)
    else:
        fuzz_at_random(target, seconds, seed)
        report()


def show_counts(name: str, findings: Path) -> int:
    """Print the outcomes of one reader, and return how many files were tried."""
    path = findings / _COUNTS
    counts = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    path.unlink(missing_ok=True)
    tried, read, refused = sum(counts.values()), counts.pop("read", 0), counts.pop("refused", 0)
    print(f"{name:22} {tried:9,} tried {read:9,} read {refused:9,} refused", flush=True)
    for kind, count in counts.items():
        print(f"    {count:,} times {kind}", flush=True)
    return int(tried)


def main() -> None:
    """Fuzz all readers in turn, each in a process of its own."""
    from tests.fuzz.seeds import CORPORA, STORIES

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--minutes", type=float, default=5, help="total time")
    parser.add_argument("--only", nargs="*", choices=[*STORIES, *CORPORA], help="fuzz only these readers")
    parser.add_argument("--seed", type=int, default=int(time.time()) % 1_000)
    parser.add_argument("--findings", type=Path, help="folder for findings")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    findings: Path = options.findings or Path(tempfile.mkdtemp(prefix="barthes-fuzz-"))
    findings.mkdir(parents=True, exist_ok=True)
    names = options.only or [*STORIES, *CORPORA]
    seconds = options.minutes * 60 / len(names)
    if options.one:
        fuzz_one(options.one, options.minutes * 60, options.seed, findings)
        return
    chosen = (
        "guided by coverage (atheris)"
        if importlib.util.find_spec("atheris")
        else "random (atheris is not installed)"
    )
    print(f"{len(names)} readers, {seconds:.0f} seconds each, {chosen}, seed {options.seed}", flush=True)
    command: list[Any] = [
        sys.executable,
        __file__,
        "--minutes",
        str(seconds / 60),
        "--seed",
        str(options.seed),
    ]
    broken = tried = 0
    for name in names:
        done = subprocess.run(
            [*command, "--findings", findings, "--one", name],
            stderr=subprocess.DEVNULL if not os.environ.get("BARTHES_FUZZ_VERBOSE") else None,
            check=False,
        )
        broken += done.returncode != 0
        tried += show_counts(name, findings)
    found = sorted(findings.glob("*.txt"))
    place = f" in {findings}" if found else ""
    print(f"{tried:,} files, {len(found)} findings{place}, {broken} readers crashed")
    sys.exit(1 if found or broken else 0)


if __name__ == "__main__":
    main()
