#!/usr/bin/env python3
"""Compare the speed of Barthes with a naive implementation in one run.

    python benchmarks/speed.py [STORY] [--yardstick naive.py] [--targets 2] [--dtype auto] [--json OUT]
    python benchmarks/speed.py --method preview         time the preview, or readers

The yardstick is a script that computes sentence deletion like the paper's release: two full forward passes
for every sentence. The default is bench/naive.py in the folder BARTHES_SHARED, or in ../shared beside the
repository. It runs in float32 with the whole story in its window. Every sentence costs it about the same, so
only a few are timed, before and after Barthes to even out other load. Scores are compared on sentences from
the beginning to the end. STORY has one sentence per line and must fit the model's context.

Barthes uses the precision it chooses for the machine, or --dtype; only float32 agrees with the yardstick to
the fifth decimal.

Prints seconds for the whole story, their ratio, tokens per second, the share of the processor's peak in
matrix products (operations per CPU second of one core, because the machine may be busy with something else),
peak memory, and the number and largest difference of compared scores. For `preview` and `readers`, whose
scores differ by design, only times are printed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import resource
import subprocess
import sys
import time
from itertools import chain
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("BARTHES_SHARED", ROOT.parent / "shared"))
STORY = ROOT / "examples" / "the_ferrymans_daughter.sentences.txt"


def read_lines(story: Path) -> list[str]:
    return [line.strip() for line in story.read_text(encoding="utf-8").splitlines() if line.strip()]


def run_barthes(story: Path, model_name: str, dtype: str, name: str) -> dict[str, Any]:
    """Score the story in this process and return the measurements."""
    import barthes
    from barthes.methods import parse_method

    sentences = read_lines(story)
    narrative = barthes.Narrative.from_sentences(sentences)
    model = barthes.load_model(model_name, dtype=dtype)
    method = parse_method(name, model=lambda: model)
    method.score(barthes.Narrative.from_sentences(sentences[:3]))  # warm up
    work = [0]

    def note(done: int, total: int) -> None:
        work[0] = total

    began, began_cpu = time.perf_counter(), time.process_time()
    profile = method.score(narrative, progress=note)
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - began_cpu
    lengths = [len(ids) for ids in model.encode([str(sentence) for sentence in narrative])]
    flops = count_flops(model.network.config, lengths)
    peak = matrix_peak(model.products)
    return {
        "seconds": seconds,
        "tokens": work[0],
        "story_tokens": sum(lengths),
        "scores": list(profile.scores),
        "cpu_seconds": cpu_seconds,
        "gflops": flops / cpu_seconds / 1e9,
        "peak_gflops": peak / 1e9,
        "memory": peak_memory(),
        "dtype": model.precision,
    }


def peak_memory() -> int:
    """Return the peak memory of this process in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def count_flops(config: Any, lengths: list[int]) -> float:
    """Return the minimum number of operations for sentence deletion."""
    width, layers = config.hidden_size, config.num_hidden_layers
    key_width = width * config.num_key_value_heads // config.num_attention_heads
    layer = 2 * (2 * width * width + 2 * width * key_width + 3 * width * config.intermediate_size)
    token = layers * layer + 2 * width * config.vocab_size
    story = sum(lengths)

    def attention(start: int, new: int) -> float:
        return layers * 4 * width * (new * start + new * new / 2)

    total = story * token + attention(0, story)
    before = 0
    for length in lengths:
        after = story - before - length
        total += after * token + attention(before, after)
        before += length
    return total


def matrix_peak(dtype: Any) -> float:
    """Return the peak operations of one core per second of matrix products of the model's shape.

    It is the best of eight half seconds. Shorter bursts can be 50 % faster, which no real work sustains.
    """
    import torch

    torch.set_num_threads(1)
    a, b = torch.randn(1024, 576).to(dtype), torch.randn(576, 1536).to(dtype)
    out = torch.empty(1024, 1536, dtype=dtype)
    best = 0.0
    for _ in range(8):
        began, products = time.process_time(), 0
        while time.process_time() - began < 0.5:
            torch.mm(a, b, out=out)
            products += 1
        best = max(best, products * 2 * 1024 * 576 * 1536 / (time.process_time() - began))
    return best


def run_yardstick(script: Path, story: Path, folder: str, targets: int) -> dict[str, Any]:
    command = [sys.executable, str(script), str(story), "--model", folder, "--window", "8192"]
    done = subprocess.run([*command, "--limit", str(targets)], capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def run_in_own_process(arguments: argparse.Namespace) -> dict[str, Any]:
    """Run Barthes in a process of its own, to measure its peak memory."""
    command = [sys.executable, __file__, str(arguments.story), "--only-barthes", "--dtype", arguments.dtype]
    command += ["--model", arguments.model, "--method", arguments.method]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def score_as_yardstick(script: Path, story: Path, folder: str) -> dict[int, float]:
    """Return the yardstick's scores of some sentences, by index."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    spec = importlib.util.spec_from_file_location("yardstick", script)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{script} is not a Python script")
    yardstick = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(yardstick)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    network = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    lines = read_lines(story)
    # Tokenised like the yardstick, not by Barthes, to detect differences.
    ids = [tokenizer.encode(" " * (i > 0) + line, add_special_tokens=False) for i, line in enumerate(lines)]
    end = [tokenizer.convert_tokens_to_ids("<|endoftext|>")]
    scores = {}
    for k in spread(len(ids)):
        before, after = [*end, *chain(*ids[:k])], [*chain(*ids[k + 1 :])] or end
        with_it = yardstick.mean_log_likelihood(network, before + ids[k], after)
        scores[k] = with_it - yardstick.mean_log_likelihood(network, before, after)
    return scores


def spread(count: int) -> list[int]:
    """Return the indices of the first sentence, those at each quarter, and the last two."""
    return sorted({0, count // 4, count // 2, 3 * count // 4, max(0, count - 2), count - 1})


def compare(arguments: argparse.Namespace) -> dict[str, Any]:
    from barthes.models.embedded import DEFAULT_MODEL, EMBEDDED, ensure

    folder = str(ensure(arguments.model)) if arguments.model in EMBEDDED else arguments.model
    first = run_yardstick(arguments.yardstick, arguments.story, folder, arguments.targets)
    ours = run_in_own_process(arguments)
    second = run_yardstick(arguments.yardstick, arguments.story, folder, arguments.targets)
    sentences, timed = len(ours["scores"]), len(first["scores"])
    naive = (first["seconds"] + second["seconds"]) / (2 * timed) * sentences
    result = {
        "story": arguments.story.name,
        "method": arguments.method,
        "model": arguments.model or DEFAULT_MODEL,
        "dtype": ours["dtype"],
        "sentences": sentences,
        "story_tokens": ours["story_tokens"],
        "yardstick_seconds": naive,
        "barthes_seconds": ours["seconds"],
        "barthes_cpu_seconds": ours["cpu_seconds"],
        "ratio": naive / ours["seconds"],
        "tokens_per_second": ours["tokens"] / ours["seconds"],
    }
    if arguments.method != "sd":
        return result
    expected = score_as_yardstick(arguments.yardstick, arguments.story, folder)
    return result | {
        "gflops": ours["gflops"],
        "peak_gflops": ours["peak_gflops"],
        "share_of_peak": ours["gflops"] / ours["peak_gflops"],
        "peak_memory_gib": ours["memory"] / 2**30,
        "sentences_compared": len(expected),
        "largest_difference_nats": max(abs(ours["scores"][k] - score) for k, score in expected.items()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("story", type=Path, nargs="?", default=STORY)
    parser.add_argument("--yardstick", type=Path, default=SHARED / "bench" / "naive.py")
    parser.add_argument("--targets", type=int, default=2, help="sentences to time, before and after")
    parser.add_argument("--model", default="smollm2-135m")
    parser.add_argument("--method", choices=("sd", "preview", "readers"), default="sd")
    parser.add_argument("--dtype", default="auto")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only-barthes", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only_barthes:
        print(json.dumps(run_barthes(arguments.story, arguments.model, arguments.dtype, arguments.method)))
        return
    if arguments.targets < 1:
        parser.error("--targets must be at least 1")
    if not arguments.yardstick.is_file():
        parser.error(f"{arguments.yardstick} does not exist: give the yardstick with --yardstick")
    result = compare(arguments)
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    for name, value in result.items():
        print(f"{name:26} {value:.6g}" if isinstance(value, float) else f"{name:26} {value}")


if __name__ == "__main__":
    main()
