#!/usr/bin/env python3
"""Many clients at once against a real `barthes serve`, polite and rude ones, and a count of what was lost.

Usage::

    python scripts/soak_serve.py --clients 50 --seconds 60

Stories of random words are scored by a tiny random transformer. Clients submit, poll, fetch pages and
results, cancel, do again and delete; some send too much, too slowly, nonsense, or hang up in the middle.
Afterwards every story that was accepted must have ended as it should, with exactly the scores that the
library gives; and no answer may be a 500. Refusals because the queue is full (429) or too many are connected
(503) are counted.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from soak_clients import METHODS, Client, Record

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the server for tests and its tiny model

__all__ = ["main", "soak"]


def soak(folder: Path, *, clients: int, seconds: float, seed: int = 0) -> Record:
    """Have clients at a server for so long, wait until it has done all, and compare."""
    from tests.web.running import RunningServer, save_tiny_model

    model = save_tiny_model(folder / "tiny")
    server = RunningServer(folder / "results", "--model", str(model))
    record = Record()
    try:
        server.wait(server.post("wolf ran", lines=True))  # the model is loaded after this
        until = time.monotonic() + seconds
        crowd = [Client(server.port, record, until, seed * 1_000 + number) for number in range(clients)]
        for client in crowd:
            client.start()
        for client in crowd:
            client.join(seconds + 120)
        if stuck := sum(client.is_alive() for client in crowd):
            record.complaints.append(f"{stuck} clients still wait for an answer")
        settle(server, record)
    finally:
        code, errors = server.close()
    if code or "Traceback" in errors:
        record.complaints.append(f"the server ended with {code}: {errors[-2_000:]}")
    compare(record, model)
    return record


def settle(server: Any, record: Record) -> None:
    """Wait for the last jobs, and see that each accepted one has ended as it should."""
    for key, accepted in record.accepted.items():
        if accepted.deleted:
            continue
        job = server.wait({"id": key})
        allowed = ("finished", "cancelled") if accepted.cancelled else ("finished",)
        if job["state"] not in allowed:
            record.complaints.append(f"{key} is {job['state']}: {job['problem']}")
        elif job["state"] == "finished":
            found = server.get(f"/api/jobs/{key}/result.json")["sentences"]
            scores = [row["salience"] for row in found]
            if accepted.scores not in (None, scores):
                record.complaints.append(f"{key} had other scores before")
            accepted.scores = scores


def compare(record: Record, model: Path) -> None:
    """Score every story once more, with the library."""
    import barthes
    from barthes.methods import parse_method

    loaded = barthes.load_model(str(model))
    methods = {name: parse_method(name, model=lambda: loaded) for name in METHODS}
    for key, accepted in record.accepted.items():
        if accepted.scores is not None:
            narrative = barthes.read_text(accepted.story, sentences=True)
            if list(methods[accepted.method].score(narrative).scores) != accepted.scores:
                record.complaints.append(f"{key} ({accepted.method}) has other scores than the library gives")


def show(record: Record) -> None:
    """Print what happened."""
    for kind, seconds in sorted(record.seconds.items(), key=lambda each: -len(each[1])):
        ordered = sorted(1e3 * each for each in seconds)
        last = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
        print(
            f"{kind:20} {len(ordered):6,} answers; ms: median {statistics.median(ordered):7.1f}, "
            f"95 % {last:7.1f}, max {ordered[-1]:7.1f}"
        )
    print(
        "answers by status:", ", ".join(f"{status}: {n:,}" for status, n in sorted(record.statuses.items()))
    )
    print("rude acts:", ", ".join(f"{name}: {count}" for name, count in sorted(record.rude.items())))
    compared = sum(accepted.scores is not None for accepted in record.accepted.values())
    cancelled = sum(accepted.cancelled for accepted in record.accepted.values())
    print(
        f"{len(record.accepted):,} stories accepted, {cancelled:,} of them cancelled by their clients, "
        f"{compared:,} results compared with the library's, {len(record.complaints)} complaints"
    )
    for complaint in record.complaints[:20]:
        print(f"  {complaint}")


def main() -> None:
    """Soak the server, and print what happened."""
    parser = argparse.ArgumentParser(description="Many clients at once against a real `barthes serve`.")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        record = soak(Path(folder), clients=options.clients, seconds=options.seconds, seed=options.seed)
    show(record)
    sys.exit(1 if record.complaints or not record.accepted else 0)


if __name__ == "__main__":
    main()
