#!/usr/bin/env python3
"""Time whole novels: their growth with the length of the text, and whether they continue after a kill.

    python benchmarks/novel.py FOLKTALES --words 20000 80000 [--method sd] [--json OUT]      with a stand-in
    python benchmarks/novel.py FOLKTALES --words 20000 80000 --model smollm2-135m --sample 20
    python benchmarks/novel.py FOLKTALES --words 100000 --model smollm2-135m --unit scene [--threads 1]

A novel is the first --words words of the tales in a folder of Project Gutenberg books, joined without
headings.

Without --model, a random network of one small layer stands in, with the words of the text as vocabulary: what
is measured is what Barthes itself does for each sentence. `barthes score` is run on the novel. The shortest
novel is scored again with an empty cache and killed (SIGKILL) after half of that time; a third run should
find the parts that were finished, need fewer CPU seconds and write the same scores.

With --model, the novel is scored in this process. --sample takes only so many units from its middle; the time
of the whole novel is then that of the sample times the ratio of the tokens read.

Prints seconds, CPU seconds (with all threads), tokens, peak memory, and the time that `barthes score`
announced.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from speed import peak_memory

from barthes.cache import ScoreCache

VOCABULARY = 2000


def build_novel(folder: Path, words: int) -> str:
    """Return the tales of the books in a folder, in order, up to a number of words."""
    from barthes.reading.tale_books import read_tales

    paragraphs: list[str] = []
    left = words
    for path in sorted(folder.glob("*.txt")):
        for tale in read_tales(path.read_bytes(), where=path.name, name=path.name)[0]:
            for paragraph in tale.text.split("\n\n"):
                if left <= 0:
                    return "\n\n".join(paragraphs)
                paragraphs.append(paragraph)
                left -= len(paragraph.split())
    raise SystemExit(f"the books in {folder} have fewer than {words:,} words")


def save_stand_in(folder: Path, text: str) -> None:
    """Save a random network of one small layer whose vocabulary is the most frequent words of a text."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    found = Counter(re.findall(r"\w+|[^\w\s]+", text))
    names = ["<|endoftext|>", "<unk>", *(word for word, _ in found.most_common(VOCABULARY - 2))]
    words = Tokenizer(models.WordLevel({name: i for i, name in enumerate(names)}, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    end = {"eos_token": "<|endoftext|>", "bos_token": "<|endoftext|>", "unk_token": "<unk>"}
    PreTrainedTokenizerFast(tokenizer_object=words, **end).save_pretrained(folder)
    torch.manual_seed(0)
    size = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = LlamaConfig(vocab_size=len(names), max_position_embeddings=8192, **size)
    LlamaForCausalLM(config).save_pretrained(folder)


def run_command(command: list[str], folder: Path, *, kill_at: float | None = None) -> dict[str, Any]:
    """Run a command with its cache in a folder; kill it after so many seconds."""
    environment = os.environ | {"BARTHES_CACHE": str(folder / "cache")}
    began = time.perf_counter()
    with (folder / "stderr.txt").open("w", encoding="utf-8") as errors:
        process = subprocess.Popen(command, env=environment, stderr=errors)
        if kill_at is not None:
            time.sleep(kill_at)
            process.send_signal(signal.SIGKILL)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, -signal.SIGKILL):
        raise SystemExit((folder / "stderr.txt").read_text(encoding="utf-8"))
    return {
        "seconds": time.perf_counter() - began,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "peak_memory_gib": used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 2**30,
        "announced": re.findall(r"will take about ([\d.,]+ \w+)", (folder / "stderr.txt").read_text("utf-8")),
    }


def time_stand_in(text: str, method: str, unit: str, *, kill: bool) -> dict[str, Any]:
    """Score a novel by the command line with a stand-in; on request again, killed half-way and continued."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        novel, model = folder / "novel.txt", folder / "stand-in"
        novel.write_text(text, encoding="utf-8")
        save_stand_in(model, text)
        options = ["--model", str(model), "--method", method, "--unit", unit, "--dtype", "float32"]
        command = [sys.executable, "-m", "barthes", "score", str(novel), *options, "--out"]
        whole = run_command([*command, str(folder / "whole.json")], folder)
        units = len(json.loads((folder / "whole.json").read_text("utf-8"))["sentences"])
        if not kill:
            return {"units": units} | whole
        (folder / "cache" / "scores.sqlite3").unlink()
        run_command([*command, str(folder / "again.json")], folder, kill_at=whole["seconds"] / 2)
        if (folder / "again.json").exists():
            raise SystemExit("the command was killed too late")
        with ScoreCache(folder / "cache" / "scores.sqlite3") as cache:
            parts = max(0, cache.status().entries - 1)  # the first entry is the fingerprint of the model
        resumed = run_command([*command, str(folder / "again.json")], folder)
        same = (folder / "whole.json").read_bytes() == (folder / "again.json").read_bytes()
        more = {"resumed_seconds": resumed["seconds"], "resumed_cpu_seconds": resumed["cpu_seconds"]}
        more |= {"parts_kept_after_a_kill": parts, "same_scores_after_a_kill": same}
        return {"units": units} | whole | more


def time_model(text: str, arguments: argparse.Namespace, method_name: str) -> dict[str, Any]:
    """Score a novel, or a sample of it, in this process."""
    import torch

    import barthes
    from barthes.methods import parse_method
    from barthes.salience.removal_method import RemovalMethod
    from barthes.units import regroup

    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    reading: dict[str, float] = {}
    scoring: dict[str, float] = {}
    with measured(reading):
        narrative = regroup(barthes.read_text(text), arguments.unit)
    model = barthes.load_model(arguments.model, dtype=arguments.dtype)
    method = parse_method(method_name, model=lambda: model, unit=arguments.unit)
    assert isinstance(method, RemovalMethod)
    whole = method.prepare(narrative)
    middle = len(whole.removals) // 2
    task = whole.slice(middle, middle + arguments.sample) if arguments.sample else whole

    def note(done: int, total: int) -> None:
        print(f"\r{done:,} of {total:,} tokens", end="", file=sys.stderr)

    with measured(scoring):
        measurement = method.measure_whole(task, progress=note)
    share = task.cost / whole.cost
    return {
        "units": len(narrative),
        "units_scored": len(task.removals),
        "dtype": model.precision,
        "threads": torch.get_num_threads(),
        "window": measurement.window,
        "reading_seconds": reading["seconds"],
        "reading_cpu_seconds": reading["cpu_seconds"],
        "scoring_seconds": scoring["seconds"] / share,
        "scoring_cpu_seconds": scoring["cpu_seconds"] / share,
        "tokens": whole.cost,
        "tokens_per_cpu_second": task.cost / scoring["cpu_seconds"],
        "peak_memory_gib": peak_memory() / 2**30,
        "notes": [*narrative.notes, *measurement.notes],
    }


@contextmanager
def measured(found: dict[str, float]) -> Iterator[None]:
    """Store the seconds and CPU seconds of a block."""
    began = time.perf_counter(), time.process_time()
    yield
    found |= {"seconds": time.perf_counter() - began[0], "cpu_seconds": time.process_time() - began[1]}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="a folder of books")
    parser.add_argument("--words", type=int, nargs="+", default=[20_000, 80_000])
    parser.add_argument("--method", nargs="+", choices=("sd", "preview"), default=["sd"])
    parser.add_argument("--unit", default="sentence")
    parser.add_argument("--model", help="by default a stand-in")
    parser.add_argument("--sample", type=int, help="units to score, with --model; by default all")
    parser.add_argument("--dtype", default="auto", help="with --model")
    parser.add_argument("--threads", type=int, help="of PyTorch, with --model; by default its own choice")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rows = []
    for words in arguments.words:
        text = build_novel(arguments.folder, words)
        for method in arguments.method:
            about = {"words": len(text.split()), "unit": arguments.unit, "method": method}
            about["model"] = arguments.model or "stand-in"
            found = (
                time_model(text, arguments, method)
                if arguments.model
                else time_stand_in(text, method, arguments.unit, kill=words == min(arguments.words))
            )
            rows.append(about | found)
            for name, value in rows[-1].items():
                print(
                    f"{name:26} {value:.6g}" if isinstance(value, float) else f"{name:26} {value}", flush=True
                )
    if arguments.json:
        arguments.json.write_text(
            json.dumps(rows if len(rows) > 1 else rows[0], indent=2) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
