#!/usr/bin/env python3
"""Run many clients, some of them abusive, against a real `barthes serve`, and check that nothing is lost.

A tiny random transformer scores stories of random words. Clients submit, poll, fetch, cancel, restart and
delete; some send oversized, slow or invalid requests or disconnect. Every accepted story must end in the
expected state with the scores of the library, and no response may have status 500. Refusals because
of a full queue (429) or too many connections (503) are counted.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from soak_clients import METHODS, Client, Record

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # for the test server and its tiny model

__all__ = ["main", "soak"]

_ROUNDING = 1e-5  # the server computes with another number of threads


def soak(folder: Path, *, clients: int, seconds: float, seed: int = 0) -> Record:
    """Run clients for some seconds, wait for all jobs, and compare the scores with the library's."""
    from tests.web.running import RunningServer, save_tiny_model

    model = save_tiny_model(folder / "tiny")
    server = RunningServer(folder / "results", "--model", str(model))
    record = Record()
    try:
        server.wait(server.post("wolf ran", lines=True))  # until the model is loaded
        until = time.monotonic() + seconds
        threads = [Client(server.port, record, until, seed * 1_000 + number) for number in range(clients)]
        for client in threads:
            client.start()
        for client in threads:
            client.join(seconds + 120)
        if stuck := sum(client.is_alive() for client in threads):
            record.problems.append(f"{stuck} clients are still waiting for a response")
        settle(server, record)
    finally:
        code, errors = server.close()
    if code or "Traceback" in errors:
        record.problems.append(f"the server ended with {code}: {errors[-2_000:]}")
    compare(record, model)
    return record


def settle(server: Any, record: Record) -> None:
    """Wait for the last jobs, and check the state of every accepted one."""
    for key, accepted in record.accepted.items():
        if accepted.deleted:
            continue
        job = server.wait({"id": key})
        allowed = ("finished", "cancelled") if accepted.cancelled else ("finished",)
        if job["state"] not in allowed:
            record.problems.append(f"{key} is {job['state']}: {job['problem']}")
        elif job["state"] == "finished":
            found = server.get(f"/api/jobs/{key}/result.json")["sentences"]
            scores = [row["salience"] for row in found]
            if accepted.scores not in (None, scores):
                record.problems.append(f"{key} had different scores before")
            accepted.scores = scores


def compare(record: Record, model: Path) -> None:
    """Compare the scores of every story with the library's."""
    import barthes

    loaded = barthes.load_model(str(model))
    scorers = {name: barthes.Scorer(name, loaded) for name in METHODS}
    for key, accepted in record.accepted.items():
        if accepted.scores is not None:
            narrative = barthes.read_text(accepted.story, sentences=True)
            expected = scorers[accepted.method].score(narrative).scores
            if not np.allclose(expected, accepted.scores, rtol=0, atol=_ROUNDING):
                record.problems.append(f"{key} ({accepted.method}) has different scores than the library")


def show(record: Record) -> None:
    """Print the results."""
    print("responses by status:", dict(sorted(record.statuses.items())))
    compared = sum(accepted.scores is not None for accepted in record.accepted.values())
    cancelled = sum(accepted.cancelled for accepted in record.accepted.values())
    print(
        f"{len(record.accepted):,} stories accepted, {cancelled:,} cancelled by clients, "
        f"{compared:,} results compared with the library's, {len(record.problems)} problems"
    )
    print(*record.problems[:20], sep="\n")


def main() -> None:
    """Run the soak and print its results."""
    parser = argparse.ArgumentParser(description="Run many clients against a real `barthes serve`.")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        record = soak(Path(folder), clients=options.clients, seconds=options.seconds, seed=options.seed)
    show(record)
    sys.exit(1 if record.problems or not record.accepted else 0)


if __name__ == "__main__":
    main()
