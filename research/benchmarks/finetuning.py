#!/usr/bin/env python3
"""Measure the speed and memory of fine-tuning, for each method in a process of its own.

    python benchmarks/finetuning.py [--methods full,lora] [--copies 12] [--model smollm2-135m] [--dtype auto]
    python benchmarks/finetuning.py --methods full --train propplearner=PATH --tokens --epochs 3

The text is our example tale, repeated --copies times, in blocks of 1,024 tokens with four blocks per step.
--train takes other sources, as in `barthes finetune`; the second line above is the paper's transductive run.
Prints tokens per second while training (without evaluations and checkpoints), the share of the machine's
matrix-product peak (measured right after training), peak memory, and wall-clock and CPU seconds of the run.
Other load on the machine affects everything but memory.

Only necessary operations are counted: two per weight and token in the forward pass, as many for the gradients
of activations, and with full fine-tuning as many again for the gradients of weights.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from speed import ROOT, matrix_peak, peak_memory

TALE = ROOT / "examples" / "the_ferrymans_daughter.txt"


def run(method: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """Fine-tune in this process and return the measurements."""
    import torch

    import barthes
    from barthes.progress import Reporter
    from barthes_research.finetuning.texts import TrainingText, gather_texts
    from barthes_research.finetuning.training_settings import TrainingSettings

    class Stopwatch(Reporter):
        """Keep the last reported speed."""

        speed = 0

        def update(self, line: str, done: int = 0, total: int = 0) -> None:
            if found := re.search(r"(\d+) tokens/s", line):
                self.speed = int(found[1])

    watch = Stopwatch()
    began, cpu_began = time.perf_counter(), time.process_time()
    if arguments.train:
        tales: Any = gather_texts(arguments.train, tokens=arguments.tokens)
    else:
        text = TALE.read_text(encoding="utf-8")
        tales = [TrainingText(f"copy {i}", text) for i in range(arguments.copies)]
    settings = TrainingSettings(
        model=arguments.model,
        method=method,
        held_out=0.0,
        epochs=arguments.epochs,
        dtype=arguments.dtype,
        evaluate_every=None if arguments.train else 10**6,
    )
    with tempfile.TemporaryDirectory() as folder:
        result = barthes.finetune(
            tales, out=Path(folder) / "out", settings=settings, report=lambda: nullcontext(watch)
        )
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - cpu_began
    gibibytes = peak_memory() / 2**30
    flops = watch.speed * count_flops(arguments.model, settings.block, full=method == "full")
    peak = matrix_peak(getattr(torch, result.record["precision"]))
    return {
        "method": method,
        "model": arguments.model,
        "dtype": result.record["precision"],
        "threads": torch.get_num_threads(),
        "steps": result.record["steps"]["done"],
        "tokens": result.record["tokens"]["train"],
        "tokens_per_second": watch.speed,
        "gflops": flops / 1e9,
        "peak_gflops": peak / 1e9,
        "share_of_peak": flops / peak,
        "peak_memory_gib": gibibytes,
        "seconds_in_all": seconds,
        "cpu_seconds_in_all": cpu_seconds,
    }


def count_flops(model: str, block: int, *, full: bool) -> float:
    """Return the minimum number of operations per token in training."""
    from barthes_research.finetuning.base_model import load_base

    config = load_base(model).network.config
    width, layers = config.hidden_size, config.num_hidden_layers
    key_width = width * config.num_key_value_heads // config.num_attention_heads
    layer = 2 * (2 * width * width + 2 * width * key_width + 3 * width * config.intermediate_size)
    products = layers * layer + 2 * width * config.vocab_size
    attention = layers * 4 * width * block / 2
    return products * (3 if full else 2) + attention * 3


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--methods", default="full,lora")
    parser.add_argument("--copies", type=int, default=12, help="repetitions of the example tale")
    parser.add_argument("--train", nargs="+", default=[], metavar="SOURCE", help="train on these instead")
    parser.add_argument("--tokens", action="store_true", help="as in barthes finetune")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--model", default="smollm2-135m")
    parser.add_argument("--dtype", default="auto")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        print(json.dumps(run(arguments.only, arguments)))
        return
    results = []
    for method in arguments.methods.split(","):
        command = [sys.executable, *sys.argv, "--only", method]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        results.append(json.loads(done.stdout.splitlines()[-1]))
        for name, value in results[-1].items():
            print(f"{name:20} {value:.6g}" if isinstance(value, float) else f"{name:20} {value}")
        print()
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
