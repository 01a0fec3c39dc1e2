#!/usr/bin/env python3
"""Measure how long `barthes serve` takes to show its page, the view of readers and the scores of a tale.

    python benchmarks/serve.py [--sentences 60] [--model NAME]

Starts a server, waits until its model is loaded (by scoring a short story), posts the beginning of the
example tale and asks for its state until it is scored.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import barthes

TALE = Path(__file__).resolve().parents[2] / "examples" / "the_ferrymans_daughter.txt"


@contextlib.contextmanager
def serve(*options: str) -> Iterator[str]:
    """Start a server and yield its address."""
    with tempfile.TemporaryDirectory() as results:
        command = [sys.executable, "-m", "barthes", "serve", "--port", "0", "--no-open", "--results", results]
        process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True)
        try:
            found = re.match(r"Barthes is at (http://\S+?)/?\s", process.stdout.readline())
            if found is None:
                raise SystemExit("the server did not start")
            yield found[1]
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=60)


def post(address: str, story: str) -> dict[str, Any]:
    """Create a job."""
    with urlopen(Request(f"{address}/api/jobs", data=story.encode(), method="POST")) as answer:
        return json.load(answer)


def time_job(address: str, story: str) -> Iterator[tuple[str, float]]:
    """Yield what a story's page shows from when on: readers' view, then the result."""
    start = time.perf_counter()
    job, is_early = post(address, story), False
    while job["state"] in ("waiting", "running"):
        with urlopen(f"{address}/api/jobs/{job['id']}") as answer:
            job = json.load(answer)
        if job["early"] and not is_early:
            is_early = True
            yield "readers", time.perf_counter() - start
        time.sleep(0.02)
    yield job["state"], time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sentences", type=int, default=60)
    parser.add_argument("--model")
    arguments = parser.parse_args()
    narrative = barthes.read(TALE)
    story = narrative.text[: narrative.spans[arguments.sentences - 1][1]]
    options = ["--model", arguments.model] if arguments.model else []
    start = time.perf_counter()
    with serve(*options) as address:
        print(f"start to address     {time.perf_counter() - start:6.2f} s")
        start = time.perf_counter()
        urlopen(f"{address}/").read()
        print(f"page                 {time.perf_counter() - start:6.2f} s")
        list(time_job(address, "A wolf came. It rained."))  # the model is loaded after this
        for name, seconds in time_job(address, story):
            print(f"{name:20} {seconds:6.2f} s   of {arguments.sentences} sentences", flush=True)


if __name__ == "__main__":
    main()
