#!/usr/bin/env python3
"""Time the start of Barthes, and compare it with the start of Python itself.

    python benchmarks/startup.py [--rounds 3]

Each command runs in a process of its own, once to warm up and then --rounds times, on one thread. Prints the
fewest CPU seconds, which other load changes less, and the ratio to Python's own start. The limits are 0.5
seconds for `barthes --help`, and 6 for scoring a text of five sentences, model included. What the libraries
that load the model need by themselves is printed too.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

STORY = Path(__file__).parents[2] / "examples" / "the_ferrymans_daughter.sentences.txt"

LIBRARIES = "import torch; from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM"


def measure(command: list[str], rounds: int) -> float:
    """Return the fewest CPU seconds of a command after a first round."""
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # installed packages are compiled
    seconds = []
    for _ in range(rounds + 1):
        before = os.times()
        subprocess.run(command, capture_output=True, check=True, env=environment)
        after = os.times()
        seconds.append(after[2] + after[3] - before[2] - before[3])  # of children
    return min(seconds[1:])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        story = Path(folder, "story.txt")
        story.write_text("".join(STORY.read_text(encoding="utf-8").splitlines(keepends=True)[:5]), "utf-8")
        python = measure([sys.executable, "-c", "pass"], rounds)
        print(
            f"{'command':30}{'CPU s':>8}{'ratio':>8}\n{'python -c pass':30}{python:8.3f}{1:8.0f}", flush=True
        )
        commands = {
            "import torch, transformers": ["-c", LIBRARIES],
            "barthes --help": ["-m", "barthes", "--help"],
            "barthes score, five sentences": [
                "-m",
                "barthes",
                "score",
                str(story),
                "--sentences",
                "--no-cache",
            ],
        }
        for name, arguments in commands.items():
            seconds = measure([sys.executable, *arguments], rounds)
            print(f"{name:30}{seconds:8.3f}{seconds / python:8.0f}", flush=True)


if __name__ == "__main__":
    main()
