"""Train adapters of the default model by contrast, on "twins" (after Sterner, Lascarides and Keller 2026).

    python benchmarks/readers_twins.py --rocstories stories.jsonl --squality train.jsonl --adapter TWINS

Twins tell the same story: a story is its own twin if it is read twice with dropout, and two summaries of one
story by different people are twins as they are. The adapters, on layers 9 to 18, are trained to make the mean
states of twins more similar than those of other texts in the batch. `benchmarks/readers_states.py` measures
whether these states help the method `readers`.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from barthes.evaluation.result import save_json, to_plain
from barthes.finetuning.base_model import save_adapter
from barthes.models.loading import load_for_training

BASE = "smollm2-135m"
FIRST, LAST = 8, 18  # adapters are on layers 9 to 18; the states after layer 18 are compared
LONGEST = 160  # tokens of a text that are read
TEMPERATURE = 0.05

Pair = tuple[str, str]


def read_twins(rocstories: Path, squality: Path, *, count: int, seed: int) -> list[Pair]:
    """Return pairs of texts: `count` stories with themselves, and pairs of summaries of one story."""
    lines = rocstories.read_text(encoding="utf-8").splitlines()[:count]
    pairs = [(story, story) for story in (json.loads(line)["story"] for line in lines)]
    rng = random.Random(seed)
    for line in squality.read_text(encoding="utf-8").splitlines():
        summaries = [each["response_text"] for each in json.loads(line)["questions"][0]["responses"]]
        rng.shuffle(summaries)
        pairs += zip(summaries[::2], summaries[1::2], strict=False)
    rng.shuffle(pairs)
    return pairs


class Twins(torch.nn.Module):
    """The language model with adapters, of which only the adapted layers and those below are read."""

    def __init__(self, *, rank: int, seed: int) -> None:
        from peft import LoraConfig, get_peft_model

        super().__init__()
        torch.manual_seed(seed)
        self.tokenizer, network = load_for_training(BASE)
        modules = "q_proj k_proj v_proj o_proj gate_proj up_proj down_proj".split()
        config = LoraConfig(
            r=rank,
            lora_alpha=2 * rank,
            lora_dropout=0.1,
            target_modules=modules,
            layers_to_transform=list(range(FIRST, LAST)),
        )
        self.network = get_peft_model(network, config)
        network.model.layers = network.model.layers[:LAST]
        network.model.norm = torch.nn.Identity()  # states are taken before it
        self.decoder = [network.model]  # in a list: its parameters are those of self.network

    def forward(self, texts: Sequence[str]) -> torch.Tensor:
        """Return the mean state of each text, shape (texts, width)."""
        encoded = [torch.tensor(self.tokenizer(text)["input_ids"][:LONGEST]) for text in texts]
        pad = torch.nn.utils.rnn.pad_sequence
        tokens = pad(encoded, batch_first=True)  # causal: padding on the right changes nothing before it
        start = torch.full((len(texts), 1), self.tokenizer.bos_token_id)
        states = self.decoder[0](input_ids=torch.hstack([start, tokens]), use_cache=False).last_hidden_state
        own = pad([torch.ones(len(ids)) for ids in encoded], batch_first=True).unsqueeze(2)
        means: torch.Tensor = (states[:, 1:] * own).sum(dim=1) / own.sum(dim=1)
        return means

    def lose(self, pairs: Sequence[Pair]) -> torch.Tensor:
        """Return the mean negative log-probability that a text finds its twin among the texts of a batch."""
        sides = [self(side) for side in zip(*pairs, strict=True)]
        first, second = (torch.nn.functional.normalize(side, dim=1) for side in sides)
        likeness = first @ second.T / TEMPERATURE
        own = torch.arange(len(pairs))
        entropy = torch.nn.functional.cross_entropy
        return (entropy(likeness, own) + entropy(likeness.T, own)) / 2


def train(arguments: argparse.Namespace) -> None:
    """Read all twins once and write the adapter."""
    pairs = read_twins(arguments.rocstories, arguments.squality, count=arguments.stories, seed=arguments.seed)
    model = Twins(rank=arguments.rank, seed=arguments.seed).train()
    adapters = [each for each in model.parameters() if each.requires_grad]
    optimizer = torch.optim.AdamW(adapters, lr=arguments.rate, weight_decay=0.01)
    steps = len(pairs) // arguments.batch
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, arguments.rate, total_steps=steps)
    losses, began = [], time.process_time()
    for step in range(steps):
        loss = model.lose(pairs[step * arguments.batch : (step + 1) * arguments.batch])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(adapters, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
        losses.append(loss.item())
        if step % 10 == 9:
            seconds = time.process_time() - began
            print(
                f"{step + 1} of {steps} steps, loss {np.mean(losses[-10:]):.3f}, {seconds:.0f} s", flush=True
            )
    arguments.adapter.mkdir(parents=True, exist_ok=True)
    save_adapter(model.network, arguments.adapter, base=BASE)
    settings = {key: getattr(arguments, key) for key in ("rank", "rate", "batch", "seed")}
    ends = {"first_loss": np.mean(losses[:10]), "last_loss": np.mean(losses[-10:])}
    record = {**settings, "twins": len(pairs), "cpu_seconds": round(time.process_time() - began), **ends}
    save_json(to_plain(record), arguments.adapter / "twins.json")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("rocstories", "squality", "adapter"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--stories", type=int, default=1000, help="stories that are their own twins")
    parser.add_argument("--rank", type=int, default=8)
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    train(arguments)


if __name__ == "__main__":
    main()
