#!/usr/bin/env python3
"""Measure the speed of Barthes; every row is a ratio to something measured in the same run.

    python benchmarks/speed.py [STORY] [--sentences 24] [--yardstick naive.py] [--page speed.md]

Each measurement runs in a process of its own. What is compared is measured in turn, first one, then the
other, and the fastest of --rounds counts, to even out other load. The yardstick is a script that computes
sentence deletion like the paper's release, with two full forward passes for every sentence; the default is
bench/naive.py in the folder BARTHES_SHARED, or in ../shared beside the repository. STORY has one sentence per
line; only the first --sentences are read, except for previews and `readers`, which read all.

With --page, the table replaces the one between the marks in that page.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from runs import make_table

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("BARTHES_SHARED", ROOT.parent / "shared"))
STORY = ROOT / "examples" / "the_ferrymans_daughter.sentences.txt"
MANY = 10_000
"""The number of short stories for which the start of a run is counted in."""

_MARKS = re.compile(r"(<!-- speed -->\n).*?(<!-- /speed -->)", re.DOTALL)

_PREPARE = """
import json, sys, time
import barthes, torch
lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
story = barthes.Narrative.from_sentences(lines)
model = barthes.load_model(dtype=sys.argv[2] if len(sys.argv) > 2 else "float32")
barthes.SentenceDeletion(model).score(story[:3])
def timed(work):
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result
"""
_DELETION = """
seconds, profile = timed(lambda: barthes.SentenceDeletion(model).score(story))
print(json.dumps({"seconds": seconds, "scores": profile.scores}))
"""
_READING = """
tokens = [model.start_token, *(i for ids in model.encode(lines) for i in ids)]
print(json.dumps({"seconds": timed(lambda: model.read(tokens).log_probabilities)[0] / len(tokens)}))
"""
_WORK = """
reported = []
barthes.SentenceDeletion(model).score(story, progress=lambda done, total: reported.append(total))
print(json.dumps({"tokens": reported[-1]}))
"""
_STATES = """
tokens = [model.start_token, *(i for ids in model.encode(lines) for i in ids)]
spans = [(0, len(tokens))]
model.states(tokens[:32], [(0, 32)], layers=(16, 18, 20))
seconds, states = timed(lambda: model.states(tokens, spans, layers=(16, 18, 20)))
print(json.dumps({"seconds": seconds / len(tokens)}))
"""
_WARM = """
began, first = time.perf_counter(), []
barthes.score(story[:1], model=model, method="pmi", progress=lambda *at: first.append(time.perf_counter()))
print(json.dumps({"seconds": first[0] - began}))
"""
_RUN = """
import json, sys, time
from pathlib import Path
from barthes.runs.corpus_run import run_corpus
from barthes.runs.manifest import RunSettings
from barthes.runs.process_pool import ProcessPool
if __name__ == "__main__":  # the workers import this, too
    table, method, began = Path(sys.argv[1]), sys.argv[2], time.perf_counter()
    settings = RunSettings((method,), sentences=True, device="cpu", dtype="float32")
    marks = []
    def mark(progress):
        if progress.scored:  # the workers have started
            marks.append(time.perf_counter())
    pool = ProcessPool(settings, workers=2)
    done = run_corpus([table], table.with_suffix(".run"), settings, pool=pool, progress=mark)
    seconds = marks[-1] - marks[0]
    print(json.dumps({"tokens": done.tokens, "seconds": seconds, "all": time.perf_counter() - began}))
"""
_PRODUCTS = """
import json, sys, time, torch
dtype = getattr(torch, sys.argv[1])
a, b = torch.randn(1024, 576).to(dtype), torch.randn(576, 1536).to(dtype)
rounds = []
for _ in range(12):
    began = time.perf_counter()
    for _ in range(20):
        a @ b
    rounds.append((time.perf_counter() - began) / 20)
print(json.dumps({"seconds": min(rounds)}))
"""


def run(code: str, *arguments: str) -> dict[str, float]:
    """Run code in a process of its own and return the JSON that it prints last."""
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def take_turns(rounds: int, *measures: Callable[[], float]) -> list[float]:
    """Return the fewest seconds of each measurement; they run in turn."""
    found = [[measure() for measure in measures] for _ in range(rounds)]
    return [min(column) for column in zip(*found, strict=True)]


def time_command(*arguments: str) -> float:
    """Return the wall-clock seconds of a Python command."""
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
    return time.perf_counter() - began


def time_deletion(story: Path, dtype: str = "float32") -> float:
    """Return the seconds of sentence deletion, the model loaded."""
    return run(_PREPARE + _DELETION, str(story), dtype)["seconds"]


def time_yardstick(script: Path, story: Path, sentences: int) -> float:
    """Return the seconds that the yardstick needs for a story, from two sentences."""
    from barthes.models.embedded import DEFAULT_MODEL, ensure

    command = [sys.executable, str(script), str(story), "--model", str(ensure(DEFAULT_MODEL))]
    command += ["--window", "8192", "--limit", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    result = json.loads(done.stdout.splitlines()[-1])
    return float(result["seconds"]) / 2 * sentences


def measure(arguments: argparse.Namespace, folder: Path) -> list[tuple[str, str, str]]:
    """Return the rows of the table: what, compared with what, ratio."""
    rounds = arguments.rounds
    lines = [line for line in arguments.story.read_text(encoding="utf-8").splitlines() if line.strip()]
    part, short, whole = (folder / name for name in ("part.txt", "short.txt", "whole.txt"))
    part.write_text("\n".join(lines[: arguments.sentences]), "utf-8")
    short.write_text("\n".join(lines[:6]), "utf-8")
    whole.write_text("\n".join(lines), "utf-8")
    rows = []

    def add(what: str, base: str, ratio: float, of: str = "times") -> None:
        rows.append((what, base, f"{ratio:.2g} {of}" if ratio < 100 else f"{ratio:.0f} {of}"))
        print(*rows[-1], sep=" | ", flush=True)

    def score(story: Path, *options: str) -> Callable[[], float]:
        command = ("-m", "barthes", "score", str(story), "--sentences", "--no-cache", *options)
        return lambda: time_command(*command)

    count = min(arguments.sentences, len(lines))
    if arguments.yardstick.is_file():
        ours, naive = take_turns(
            rounds,
            lambda: time_deletion(part),
            lambda: time_yardstick(arguments.yardstick, part, count),
        )
        add(
            f"`sd` of {count} sentences",
            "two passes per sentence (the yardstick)",
            naive / ours,
            "times as fast",
        )
    low, high = take_turns(rounds, lambda: time_deletion(part, "bfloat16"), lambda: time_deletion(part))
    add("`sd` in bfloat16", "`sd` in float32", high / low, "times as fast")
    low, high = take_turns(
        rounds, *(lambda d=d: run(_PRODUCTS, d)["seconds"] for d in ("bfloat16", "float32"))
    )
    add("products in bfloat16", "products in float32", high / low, "times as fast")
    reading = min(run(_PREPARE + _READING, str(part))["seconds"] for _ in range(rounds))
    tokens = run(_PREPARE + _WORK, str(part))["tokens"]
    add("`sd`, per token read", "plain reading, per token", ours_per_token(part, tokens) / reading)
    torch = ("-c", "import torch")
    bare, torch_seconds, help_seconds, cold = take_turns(
        rounds,
        lambda: time_command("-c", "pass"),
        lambda: time_command(*torch),
        lambda: time_command("-m", "barthes", "--help"),
        score(short),
    )
    add("`barthes --help`", "`python -c pass`", help_seconds / bare)
    add("`barthes score`, six sentences, cold", "`python -c 'import torch'`", cold / torch_seconds)
    add(
        "second story, until it starts",
        "`python -c 'import torch'`",
        run(_PREPARE + _WARM, str(short))["seconds"] / torch_seconds,
    )
    for name, options in (("readers", ("--method", "readers")), ("preview", ("--method", "preview"))):
        seconds, again = take_turns(1, score(whole, *options), lambda: time_command(*torch))
        add(f"`{name}` of {len(lines)} sentences, cold", "`python -c 'import torch'`", seconds / again)
    cut = ("-m", "barthes", "cut", str(part), "--to", "85%")
    seconds, again = take_turns(1, lambda: time_command(*cut), score(part))
    add(f"`cut` of {count} sentences to 85 %", "`sd` of them", seconds / again)
    several = {"short": (120, 5, "sd"), "long": (4, 40, "sd"), "tales": (12, 80, "readers")}
    runs = {}
    for name, (texts, sentences, method) in several.items():
        table = make_table(folder / f"{name}.jsonl", texts=texts, sentences=sentences)
        runs[name] = run(_RUN, str(table), method)
    seconds, tokens = (runs["short"][name] * MANY / 120 for name in ("seconds", "tokens"))
    seconds += runs["short"]["all"] - runs["short"]["seconds"]
    add(
        f"`run` of {MANY:,} stories of 5 sentences on two processes, tokens per second",
        "the same of stories of 40 sentences, without the start",
        tokens / seconds * runs["long"]["seconds"] / runs["long"]["tokens"],
    )
    plain = run(_PREPARE + _STATES, str(whole))["seconds"]
    rate = runs["tales"]["tokens"] / runs["tales"]["seconds"]
    add("`run` of tales by `readers`, tokens per second", "plain reading", rate * plain)
    return rows


def ours_per_token(story: Path, tokens: float) -> float:
    """Return the seconds of sentence deletion for each token that the model reads."""
    return time_deletion(story) / tokens


def render(rows: list[tuple[str, str, str]]) -> str:
    """Return the rows as a Markdown table."""
    head = [("what", "compared with", "result"), ("---", "---", "---")]
    return "\n".join(f"| {' | '.join(row)} |" for row in [*head, *rows]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("story", type=Path, nargs="?", default=STORY)
    parser.add_argument("--sentences", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--yardstick", type=Path, default=SHARED / "bench" / "naive.py")
    parser.add_argument("--page", type=Path, help="write the table into this page")
    arguments = parser.parse_args()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        table = render(measure(arguments, Path(folder)))
    print(f"\n{table}\n{time.perf_counter() - began:.0f} seconds")
    if arguments.page:
        page = arguments.page.read_text(encoding="utf-8")
        arguments.page.write_text(_MARKS.sub(lambda found: found[1] + table + found[2], page), "utf-8")


if __name__ == "__main__":
    main()
