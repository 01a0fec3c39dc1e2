#!/usr/bin/env python3
"""How fast is fine-tuning? A few steps of both methods, each in a process of its own.

    python benchmarks/finetuning.py [--methods full,lora] [--copies 12] [--model smollm2-135m] [--dtype auto]
    python benchmarks/finetuning.py --methods full --train propplearner=PATH --tokens --epochs 3
    python benchmarks/finetuning.py --methods lora --loss fused,own
    python benchmarks/finetuning.py --memory kept,returned --rows paired,single

The text is the project's own example tale, as often as --copies says, in blocks of 1,024 tokens, four to a
step. --train takes other sources instead, as `barthes finetune` does: the second line is the paper's
transductive run. Printed for each method: tokens per second while training (evaluations and checkpoints
left out), the share of the machine's matrix-product peak that this is, peak memory, and the seconds of the
whole run. Other work on the machine shows in all but memory; the peak is measured in the same process, right
after training.

--loss own takes the network's own loss, which makes a table of all logits: the baseline of what the fused one
(`barthes.finetuning.fused_loss`, of adapters only) gains. --memory returned leaves memory to the C library,
which gives it back to the system: the baseline of what keeping it (`barthes.finetuning.memory`) gains. --rows
single reads one block after the other on all threads: the baseline of `barthes.finetuning.paired_rows`, which
works for adapters, and when blocks are measured.

Operations are counted that training cannot do without: two for each weight and token forward, as many
backward for the gradients of activations, and with full fine-tuning as many again for those of weights.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, nullcontext
from itertools import product
from pathlib import Path
from typing import Any

from speed import ROOT, matrix_peak, peak_memory

TALE = ROOT / "examples" / "the_ferrymans_daughter.txt"


class Stopwatch:
    """Keeps the last pace of a run."""

    pace: Any = None

    def announce(self, line: str) -> None:
        pass

    def step(self, pace: Any) -> None:
        self.pace = pace

    def evaluate(self, pace: Any) -> None:
        pass

    def measure(self, what: str, done: int, total: int) -> None:
        pass


def run(method: str, loss: str, memory: str, rows: str, said: argparse.Namespace) -> dict[str, Any]:
    """Fine-tune in this process and say what it took."""
    if memory == "returned":
        return_memory()
    if rows == "single":
        read_single_rows()
    import torch

    import barthes
    from barthes.finetuning import tuner
    from barthes.finetuning.fused_loss import find_fused_loss
    from barthes.finetuning.settings import TrainingSettings
    from barthes.finetuning.texts import TrainingText, gather_texts

    def choose(network: Any, products: Any) -> Any:  # the loss of training; measuring has its own
        chosen.append(find_fused_loss(network, products) if loss == "fused" else None)
        return chosen[-1]

    chosen: list[Any] = []
    tuner.find_fused_loss = choose
    watch = Stopwatch()

    @contextmanager
    def report() -> Any:
        yield watch

    began = time.perf_counter()
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
        outcome = barthes.finetune(tales, out=Path(folder) / "out", settings=settings, report=report)
        seconds = time.perf_counter() - began
        gibibytes = peak_memory() / 2**30
        config = read_config(said.model)
    flops = watch.pace.tokens_per_second * count_flops(config, settings.block, full=method == "full")
    peak = matrix_peak(getattr(torch, outcome.record["precision"]))
    return {
        "method": method,
        "loss": "fused" if any(chosen) else "own",
        "memory": memory,
        "rows": rows,
        "model": said.model,
        "dtype": outcome.record["precision"],
        "threads": torch.get_num_threads(),
        "steps": outcome.record["steps"]["done"],
        "tokens": outcome.record["tokens"]["train"],
        "tokens_per_second": watch.pace.tokens_per_second,
        "gflops": flops / 1e9,
        "peak_gflops": peak / 1e9,
        "share_of_peak": flops / peak,
        "peak_memory_gib": gibibytes,
        "seconds_in_all": seconds,
    }


def return_memory() -> None:
    """Leave memory to the C library, which returns it to the system, and pages to the system."""
    os.environ["THP_MEM_ALLOC_ENABLE"] = "0"
    from barthes.finetuning import training

    training.memory_kept = nullcontext


def read_single_rows() -> None:
    """Read one block at a time, on all threads."""
    from barthes.finetuning import measuring, tuner

    measuring.count_at_once = tuner.count_at_once = lambda device: 1


def read_config(model: str) -> Any:
    from barthes.finetuning.base_model import load_base

    return load_base(model).network.config


def count_flops(config: Any, block: int, *, full: bool) -> float:
    """Multiplications and additions that a token costs in training, at least, in blocks of this size."""
    width, layers = config.hidden_size, config.num_hidden_layers
    key_width = width * config.num_key_value_heads // config.num_attention_heads
    layer = 2 * (2 * width * width + 2 * width * key_width + 3 * width * config.intermediate_size)
    products = layers * layer + 2 * width * config.vocab_size
    attention = layers * 4 * width * block / 2
    return products * (3 if full else 2) + attention * 3


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--methods", default="full,lora")
    ask.add_argument("--loss", default="fused", help="fused, own, or both with a comma between")
    ask.add_argument("--memory", default="kept", help="kept, returned, or both with a comma between")
    ask.add_argument("--rows", default="paired", help="paired, single, or both with a comma between")
    ask.add_argument("--copies", type=int, default=12, help="of the tale")
    ask.add_argument("--train", nargs="+", default=[], metavar="SOURCE", help="instead of the tale")
    ask.add_argument("--tokens", action="store_true", help="as the option of barthes finetune")
    ask.add_argument("--epochs", type=int, default=1)
    ask.add_argument("--model", default="smollm2-135m")
    ask.add_argument("--dtype", default="auto")
    ask.add_argument("--json", type=Path)
    ask.add_argument("--only", nargs=4, help=argparse.SUPPRESS)
    said = ask.parse_args()
    for option, given, known in (
        ("loss", said.loss, {"fused", "own"}),
        ("memory", said.memory, {"kept", "returned"}),
        ("rows", said.rows, {"paired", "single"}),
    ):
        if not {*given.split(",")} <= known:
            ask.error(f"--{option} is {' or '.join(sorted(known))} or both, not {given}")
    if said.only:
        print(json.dumps(run(*said.only, said)))
        return
    results = []
    choices = (said.methods, said.loss, said.memory, said.rows)
    for chosen in product(*(choice.split(",") for choice in choices)):
        command = [sys.executable, *sys.argv, "--only", *chosen]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        results.append(json.loads(done.stdout.splitlines()[-1]))
        for name, value in results[-1].items():
            print(f"{name:20} {value:.6g}" if isinstance(value, float) else f"{name:20} {value}")
        print()
    if said.json:
        said.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
