#!/usr/bin/env python3
"""Read randomly damaged files; each must give a document or a clear error.

Usage::

    python scripts/fuzz.py --minutes 10
    python scripts/fuzz.py --minutes 10 --only pdf epub

`tests/fuzz` does the same for seconds. Inputs that crash, take more than 10 seconds of CPU time or more than
1 GB are written to a folder with their traceback, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # for the files and mutations of the tests

from barthes.errors import BarthesError  # noqa: E402
from barthes.reading.formats import parse_document  # noqa: E402
from tests.fuzz.bounds import TooSlow, bounded, peak_megabytes  # noqa: E402
from tests.fuzz.mutation import amplify, mutate  # noqa: E402
from tests.fuzz.seeds import CORPORA, STORIES  # noqa: E402

__all__ = ["main"]

_SECONDS = 10
_MEGABYTES = 1_000


def find_reader(name: str, folder: Path) -> tuple[Callable[[bytes], object], bytes]:
    """Return the reader of a story or corpus, and an intact file."""
    if name in STORIES:
        return partial(parse_document, where="x", name=STORIES[name].name), STORIES[name].data
    corpus, file, intact = CORPORA[name]

    def read(data: bytes) -> object:
        (folder / file).write_bytes(data)
        return corpus(folder / file)

    return read, intact


def try_out(read: Callable[[bytes], object], data: bytes) -> tuple[str, BaseException | None]:
    """Read some bytes; return the outcome, and the error unless they gave a result or a BarthesError."""
    before = peak_megabytes()
    try:
        with bounded(_SECONDS):
            read(data)
        outcome = "read"
    except BarthesError:
        outcome = "refused"
    except (TooSlow, Exception) as error:
        return "broken", error
    if peak_megabytes() - before > _MEGABYTES:
        return "broken", MemoryError(f"more than {_MEGABYTES} MB")
    return outcome, None


def save(name: str, data: bytes, error: BaseException, findings: Path) -> None:
    """Save a file that broke a reader, once for each place in the code."""
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    place = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(frames))
    kind = f"{type(error).__name__} at {place}"
    stem = findings / f"{name.replace(' ', '-')}-{hashlib.sha256(kind.encode()).hexdigest()[:8]}"
    if not stem.with_suffix(".txt").exists():
        print(f"    {kind}", flush=True)
        stem.with_suffix(".bin").write_bytes(data)
        stem.with_suffix(".txt").write_text("".join(traceback.format_exception(error)), encoding="utf-8")


def fuzz(name: str, seconds: float, draw: random.Random, findings: Path) -> Counter[str]:
    """Damage the file of one reader for some seconds; return how often it was read, refused or broke it."""
    outcomes: Counter[str] = Counter()
    until = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        read, intact = find_reader(name, Path(folder))
        while time.monotonic() < until:
            data = (mutate if draw.random() < 0.9 else amplify)(intact, draw)
            outcome, error = try_out(read, data)
            outcomes[outcome] += 1
            if error is not None:
                save(name, data, error, findings)
    return outcomes


def main() -> None:
    """Fuzz all readers in turn."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--minutes", type=float, default=5, help="total time")
    parser.add_argument("--only", nargs="*", choices=[*STORIES, *CORPORA], help="fuzz only these readers")
    parser.add_argument("--seed", type=int, default=int(time.time()) % 1_000)
    parser.add_argument("--findings", type=Path, help="folder for findings")
    options = parser.parse_args()
    findings: Path = options.findings or Path(tempfile.mkdtemp(prefix="barthes-fuzz-"))
    findings.mkdir(parents=True, exist_ok=True)
    names = options.only or [*STORIES, *CORPORA]
    seconds = options.minutes * 60 / len(names)
    print(f"{len(names)} readers, {seconds:.0f} seconds each, seed {options.seed}", flush=True)
    total: Counter[str] = Counter()
    for name in names:
        found = fuzz(name, seconds, random.Random(options.seed), findings)
        print(f"{name:22} {found['read']:9,} read {found['refused']:9,} refused", flush=True)
        total += found
    place = f", saved in {findings}" if total["broken"] else ""
    print(f"{total.total():,} files, {total['broken']:,} broke a reader{place}")
    sys.exit(bool(total["broken"]))


if __name__ == "__main__":
    main()
