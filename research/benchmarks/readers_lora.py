"""Does adapting the language model itself help the method `readers`? Train LoRA on top of its weights.

    python benchmarks/readers_lora.py --rocstories-salience val.json --hippocorpus events_dev.csv \\
        --states STATES --epochs 3 --out results/readers-lora.json

STATES is the folder of `scripts/train_readers.py`. On one fold of its cross-validation over two corpora, the
heads are fitted to the stories of the other folds, then adapters on layers 9 to 18 and these heads are
trained together on the same stories. The loss of a story is 1 minus the correlation of its scores with the
ranks of its grades. Prints the agreement on the stories of the fold before the first and after each epoch.
"""

from __future__ import annotations

import argparse
import random
import time
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from readers_ablations import fitting, training

import barthes
from barthes.evaluation.measures import compare, make_figure
from barthes.evaluation.metrics import rank_correlation
from barthes.evaluation.result import save_json, to_plain
from barthes.learned.readers_weights import ReadersWeights
from barthes.learned.story_features import LAYERS
from barthes.models.loading import load_for_training
from barthes_research.bench.measures import gain

LAYER = 18
FIRST = 8  # layers below have no adapters
KINDS = ("rocstories-salience", "hippocorpus")


@dataclass(frozen=True)
class Example:
    """A story as the network reads it: twice, with the tokens (start, stop) of its sentences."""

    name: str
    story: fitting.TrainingStory
    tokens: list[int]
    spans: list[tuple[int, int]]


class Adapted(torch.nn.Module):
    """The first layers of the network with adapters, and a head for each kind of story."""

    def __init__(self, weights: ReadersWeights, *, rank: int, seed: int) -> None:
        from peft import LoraConfig, get_peft_model

        super().__init__()
        torch.manual_seed(seed)
        _, network = load_for_training("smollm2-135m")
        decoder = network.model
        decoder.layers = decoder.layers[:LAYER]
        decoder.norm = torch.nn.Identity()  # states are taken before it
        decoder.config.num_hidden_layers = LAYER
        config = LoraConfig(
            r=rank,
            lora_alpha=2 * rank,
            lora_dropout=0.1,
            target_modules=rf"layers\.({'|'.join(map(str, range(FIRST, LAYER)))})\..*_proj",
        )
        self.network = get_peft_model(decoder, config)
        self.weights = weights
        heads = torch.tensor(weights.heads[0, 1:], dtype=torch.float32)
        self.heads = torch.nn.Parameter(heads / heads.std(dim=1, keepdim=True))
        self.scales = torch.tensor(weights.scales[0], dtype=torch.float32)

    def forward(self, example: Example) -> torch.Tensor:
        """Return the scores of the sentences of a story."""
        states = self.network(input_ids=torch.tensor([example.tokens]), use_cache=False).last_hidden_state[0]
        means = torch.stack([states[start:stop].mean(dim=0) for start, stop in example.spans])
        means = (means - means.mean(dim=0)) / self.scales
        known = example.story.features
        rest = np.hstack([known.cues / self.weights.cue_scales, known.places])
        described = torch.hstack([means, torch.tensor(rest, dtype=torch.float32)])
        scores: torch.Tensor = described @ self.heads[self.weights.kinds.index(example.story.kind)]
        return scores

    def lose(self, example: Example) -> torch.Tensor:
        """Return 1 minus the correlation of scores and ranks of grades."""
        ranks = torch.tensor(fitting.rank_grades(example.story.grades), dtype=torch.float32)
        return 1 - torch.nn.functional.cosine_similarity(self.centre(self(example)), ranks, dim=0)

    @staticmethod
    def centre(scores: torch.Tensor) -> torch.Tensor:
        return scores - scores.mean()


def read_examples(arguments: argparse.Namespace) -> list[Example]:
    """Return the stories of both corpora with the features of one layer."""
    model: Any = barthes.load_model("smollm2-135m", dtype="float32")
    store = training.StateStore(arguments.states, model)
    layer = LAYERS.index(LAYER)
    [between] = model.encode(["\n\n"])
    examples = []
    for kind in KINDS:
        path = getattr(arguments, kind.replace("-", "_"))
        narratives = {story.name: story.narrative for story in training.open_corpus(f"{kind}={path}")}
        for name, story in training.read_judged(kind, path, store):
            second, _ = np.split(story.features.states, 2, axis=2)  # the second reading is adapted
            one = replace(story.features, states=second[:, layer : layer + 1])
            sentences = model.encode([str(sentence) for sentence in narratives[name]])
            text = [token for ids in sentences for token in ids]
            edges = np.cumsum([1 + len(text) + len(between), *map(len, sentences)]).tolist()
            spans = list(pairwise(edges))
            tokens = [model.start_token, *text, *between, *text]
            examples.append(Example(name, replace(story, features=one), tokens, spans))
    return examples


def train_epoch(
    model: Adapted, examples: list[Example], optimizer: torch.optim.Optimizer, schedule: Any, batch: int
) -> float:
    """Read all stories once, in random order, and return the mean loss."""
    model.train()
    losses = []
    for start in range(0, len(examples), batch):
        for example in examples[start : start + batch]:
            loss = model.lose(example)
            (loss / batch).backward()
            losses.append(loss.item())
        torch.nn.utils.clip_grad_norm_([p for p in model.parameters() if p.requires_grad], 1.0)
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
    return float(np.mean(losses))


@torch.no_grad()
def measure(model: Adapted, examples: list[Example]) -> dict[str, dict[str, float]]:
    """Return the rank correlation with people of each story, by kind."""
    model.eval()
    found: dict[str, dict[str, float]] = {}
    for example in examples:
        value = rank_correlation(example.story.grades, model(example).tolist())
        found.setdefault(example.story.kind, {})[example.name] = float(value)
    return found


def describe(kind: str, found: dict[str, float], before: dict[str, float]) -> dict[str, Any]:
    figure, difference = make_figure(found, "skip"), gain(found, before)
    return {
        "kind": kind,
        "stories": len(found),
        "spearman": figure.value,
        "interval": figure.interval,
        "difference": difference.value,
        "difference_interval": difference.interval,
        "p": compare(found, before)["permutation"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in (*KINDS, "states", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--fold", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--rank", type=int, default=8)
    parser.add_argument("--rate", type=float, default=5e-4, help="learning rate of the adapters")
    parser.add_argument("--batch", type=int, default=4, help="stories per step")
    arguments = parser.parse_args()
    examples = read_examples(arguments)
    splits = training.cross_validate([each.story for each in examples], lambda given: given)
    _, unseen = list(splits)[arguments.fold]
    trained = [each for each, is_unseen in zip(examples, unseen, strict=True) if not is_unseen]
    held_out = [each for each, is_unseen in zip(examples, unseen, strict=True) if is_unseen]
    weights = fitting.fit_weights(
        [each.story for each in trained], model="smollm2-135m", settings=fitting.FitSettings(draws=0)
    )
    model = Adapted(weights, rank=arguments.rank, seed=arguments.fold)
    adapters = [p for p in model.network.parameters() if p.requires_grad]
    rates = [{"params": adapters, "lr": arguments.rate}, {"params": [model.heads], "lr": 0.01}]
    optimizer = torch.optim.AdamW(rates, weight_decay=0.01)
    steps = arguments.epochs * -(-len(trained) // arguments.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, [g["lr"] for g in rates], total_steps=steps)
    before = measure(model, held_out)
    rng, epochs = random.Random(arguments.fold), []
    for epoch in range(arguments.epochs + 1):
        began, loss = time.process_time(), None
        if epoch:
            rng.shuffle(trained)
            loss = train_epoch(model, trained, optimizer, schedule, arguments.batch)
        found = measure(model, held_out) if epoch else before
        rows = [describe(kind, found[kind], before[kind]) for kind in found]
        seconds = round(time.process_time() - began)
        epochs.append({"epoch": epoch, "loss": loss, "cpu_seconds": seconds, "rows": rows})
        print(epochs[-1], flush=True)
        settings = {key: getattr(arguments, key) for key in ("fold", "rank", "rate", "batch")}
        counts = {"parameters": sum(p.numel() for p in adapters), "trained_stories": len(trained)}
        save_json(to_plain({**settings, **counts, "epochs": epochs}), arguments.out)


if __name__ == "__main__":
    main()
