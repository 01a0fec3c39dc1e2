#!/usr/bin/env python3
"""How fast is fine-tuning? A few steps of both methods, each in a process of its own.

    python benchmarks/finetuning.py [--methods full,lora] [--copies 12] [--model smollm2-135m] [--dtype auto]
    python benchmarks/finetuning.py --methods full --train propplearner=PATH --tokens --epochs 3

The text is the project's own example tale, as often as --copies says, in blocks of 1,024 tokens, four to a
step. --train takes other sources instead, as `barthes finetune` does: the second line is the paper's
transductive run. Printed for each method: tokens per second while training (evaluations and checkpoints
left out), the share of the machine's matrix-product peak that this is, peak memory, the seconds of the whole
run and the CPU seconds in it. Other work on the machine shows in all but memory; the peak is measured in the
same process, right after training.

Operations are counted that training cannot do without: two for each weight and token forward, as many
backward for the gradients of activations, and with full fine-tuning as many again for those of weights.
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


def run(method: str, said: argparse.Namespace) -> dict[str, Any]:
    """Fine-tune in this process and say what it took."""
    import torch

    import barthes
    from barthes.finetuning.texts import TrainingText, gather_texts
    from barthes.finetuning.training_settings import TrainingSettings
    from barthes.progress import Reporter

    class Stopwatch(Reporter):
        """Keeps the last speed that a run reports."""

        speed = 0

        def update(self, line: str) -> None:
            if found := re.search(r"(\d+) tokens/s", line):
                self.speed = int(found[1])

    watch = Stopwatch()
    began, cpu_began = time.perf_counter(), time.process_time()
    if said.train:
        tales: Any = gather_texts(said.train, tokens=said.tokens)
    else:
        text = TALE.read_text(encoding="utf-8")
        tales = [TrainingText(f"copy {i}", text) for i in range(said.copies)]
    settings = TrainingSettings(
        model=said.model,
        method=method,
        held_out=0.0,
        epochs=said.epochs,
        dtype=said.dtype,
        evaluate_every=None if said.train else 10**6,
    )
    with tempfile.TemporaryDirectory() as folder:
        result = barthes.finetune(
            tales, out=Path(folder) / "out", settings=settings, report=lambda: nullcontext(watch)
        )
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - cpu_began
    gibibytes = peak_memory() / 2**30
    flops = watch.speed * count_flops(said.model, settings.block, full=method == "full")
    peak = matrix_peak(getattr(torch, result.record["precision"]))
    return {
        "method": method,
        "model": said.model,
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
    """Multiplications and additions that a token costs in training, at least, in blocks of this size."""
    from barthes.finetuning.base_model import load_base

    config = load_base(model).network.config
    width, layers = config.hidden_size, config.num_hidden_layers
    key_width = width * config.num_key_value_heads // config.num_attention_heads
    layer = 2 * (2 * width * width + 2 * width * key_width + 3 * width * config.intermediate_size)
    products = layers * layer + 2 * width * config.vocab_size
    attention = layers * 4 * width * block / 2
    return products * (3 if full else 2) + attention * 3


def main() -> None:
    """Measure each method in a process of its own."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--methods", default="full,lora")
    ask.add_argument("--copies", type=int, default=12, help="of the tale")
    ask.add_argument("--train", nargs="+", default=[], metavar="SOURCE", help="instead of the tale")
    ask.add_argument("--tokens", action="store_true", help="as the option of barthes finetune")
    ask.add_argument("--epochs", type=int, default=1)
    ask.add_argument("--model", default="smollm2-135m")
    ask.add_argument("--dtype", default="auto")
    ask.add_argument("--json", type=Path)
    ask.add_argument("--only", help=argparse.SUPPRESS)
    said = ask.parse_args()
    if said.only:
        print(json.dumps(run(said.only, said)))
        return
    results = []
    for method in said.methods.split(","):
        command = [sys.executable, *sys.argv, "--only", method]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        results.append(json.loads(done.stdout.splitlines()[-1]))
        for name, value in results[-1].items():
            print(f"{name:20} {value:.6g}" if isinstance(value, float) else f"{name:20} {value}")
        print()
    if said.json:
        said.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
