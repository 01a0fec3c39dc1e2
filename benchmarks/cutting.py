"""Compare `barthes cut` with simpler ways to shorten a story, and with what people kept.

Usage::

    python benchmarks/cutting.py evaluate --corpus TELEGRAPHIC --stories 8 --json OUT
    python benchmarks/cutting.py speed [STORY] [--sentences 40] [--to 0.8]

`evaluate` cuts the shortest stories of Telegraphic to half of their words. For each way it prints the share
of the kept words that people kept too, and what the kept text loses in nats per token, with 95 % bootstrap
intervals over stories. The ways are the greedy search with three criteria, and cutting the sentences that are
lowest by `sd`, `readers` or length, or chosen at random. An interrupted evaluation continues from its file.

`speed` prints the tokens and the CPU time of a cut as multiples of those of `sd`, in one run. STORY has one
sentence per line.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import barthes
from barthes.corpora.telegraphic import Telegraphic, TelegraphicStory
from barthes.cutting.cut import Measurer, find_target
from barthes.cutting.search import HORIZON, CutSearch
from barthes.cutting.shortened import count_unit_words
from barthes.narrative import Narrative
from barthes.removal.removal import Removed
from barthes.salience.coherence_loss import RemovalTask
from barthes.salience.removal_method import SentenceDeletion

STORY = Path(__file__).parents[1] / "examples" / "the_ferrymans_daughter.sentences.txt"
DRAWS = 5  # random choices for each story
CRITERIA = {"next 128 tokens": HORIZON, "all later tokens": None, "mean of later tokens": 10**9}


def cut_by_rank(narrative: Narrative, scores: Sequence[float], target: int) -> set[int]:
    """Return the sentences to cut, the lowest scores first; the last sentence stays."""
    words = count_unit_words(narrative)
    left, gone = sum(words), set[int]()
    for k in sorted(range(len(words) - 1), key=lambda k: (scores[k], k)):
        if left <= target:
            break
        gone.add(k)
        left -= words[k]
    return gone


def measure_cost(model: Any, tokens: Sequence[Sequence[int]], gone: set[int]) -> float:
    """Return what the kept text loses, nats per kept token; two plain readings."""

    def read(kept: Sequence[int]) -> dict[int, float]:
        known = model.read(
            [model.start_token, *(token for k in kept for token in tokens[k])]
        ).log_probabilities
        edges = np.cumsum([len(tokens[k]) for k in kept])[:-1]
        return dict(zip(kept, (float(part.sum()) for part in np.split(known, edges)), strict=True))

    whole = read(range(len(tokens)))
    short = read([k for k in range(len(tokens)) if k not in gone])
    return sum(whole[k] - short[k] for k in short) / sum(len(tokens[k]) for k in short)


def share_of_people(story: TelegraphicStory, gone: set[int]) -> float:
    """Return the share of the words of the kept sentences that people kept."""
    words = count_unit_words(story.narrative)
    kept = [k for k in range(len(words)) if k not in gone]
    return sum(story.grades[k] * words[k] for k in kept) / sum(words[k] for k in kept)


def evaluate_story(story: TelegraphicStory, method: SentenceDeletion) -> dict[str, dict[str, float]]:
    """Return the figures of one story by way of cutting."""
    narrative, model = story.narrative, method.model
    target = find_target(narrative, to=0.5)
    task, measurement = method.prepare(narrative), method.measure(narrative)
    measurer = Measurer(narrative, method, task, measurement)
    words, lengths = count_unit_words(narrative), list(map(len, task.tokens))
    ways: dict[str, list[set[int]]] = {}
    for name, horizon in CRITERIA.items():
        search = CutSearch(words, lengths, measurer.measure, horizon=horizon)
        ways[f"greedy, {name}"] = [{step.index for step in search.run(target)}]
    ranked = {
        "sd": measurement.scores,
        "readers": barthes.score(narrative, method="readers").scores,
        "length": words,
    }
    for name, scores in ranked.items():
        ways[f"lowest {name}"] = [cut_by_rank(narrative, scores, target)]
    dice = random.Random(0)
    ways["random"] = [cut_by_rank(narrative, [dice.random() for _ in words], target) for _ in range(DRAWS)]
    ways["first sentences cut"] = [cut_by_rank(narrative, range(len(words)), target)]
    ways["last sentences cut"] = [cut_by_rank(narrative, range(len(words), 0, -1), target)]
    total = sum(words)
    return {
        way: {
            "share": float(np.mean([share_of_people(story, gone) for gone in choices])),
            "cost": float(np.mean([measure_cost(model, task.tokens, gone) for gone in choices])),
            "words": float(np.mean([1 - sum(words[k] for k in gone) / total for gone in choices])),
            "place": float(np.mean([np.mean(sorted(gone)) / (len(words) - 1) for gone in choices])),
        }
        for way, choices in ways.items()
    }


def bootstrap(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean and its 95 % interval over stories."""
    draws = np.random.default_rng(0).choice(values, (10_000, len(values))).mean(axis=1)
    low, high = np.quantile(draws, [0.025, 0.975])
    return float(np.mean(values)), float(low), float(high)


def summarize(stories: dict[str, dict[str, dict[str, float]]]) -> dict[str, Any]:
    """Return means and intervals by way of cutting, and differences from the first way."""
    ways = list(next(iter(stories.values())))
    summary: dict[str, Any] = {}
    for way in ways:
        summary[way] = {}
        for figure in ("share", "cost", "words", "place"):
            values = [story[way][figure] for story in stories.values()]
            first = [story[ways[0]][figure] for story in stories.values()]
            summary[way][figure] = bootstrap(values)
            summary[way][f"{figure}_difference"] = bootstrap(np.subtract(values, first).tolist())
    return summary


def evaluate(arguments: argparse.Namespace) -> None:
    """Evaluate all ways on the shortest stories; stories that are in the file already are not cut again."""
    corpus = sorted(Telegraphic(arguments.corpus).stories, key=lambda story: len(story.narrative.text))
    method = SentenceDeletion(barthes.load_model(dtype=arguments.dtype))
    done: dict[str, Any] = {}
    if arguments.json.exists():
        done = json.loads(arguments.json.read_text(encoding="utf-8"))["stories"]
    for story in corpus[: arguments.stories]:
        if story.name in done:
            continue
        began = time.process_time()
        done[story.name] = evaluate_story(story, method)
        content = {"model": method.model.name, "precision": method.model.precision, "to": 0.5}
        content |= {"ways": summarize(done), "stories": done}
        arguments.json.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        print(f"{story.name}: {time.process_time() - began:.0f} s CPU time", flush=True)
    print("| way | words people kept | cost, nats per token | place of the cuts |\n|---|---:|---:|---:|")
    for way, row in summarize(done).items():
        share, cost, place = (
            f"{row[figure][0]:.3f} ({row[figure][1]:.3f} to {row[figure][2]:.3f})"
            for figure in ("share", "cost", "place")
        )
        print(f"| {way} | {share} | {cost} | {place} |")


def count_tokens(task: RemovalTask) -> int:
    """Return the number of tokens that the model reads for a task."""
    return sum(passage.cost for passage in task.divide())


def speed(arguments: argparse.Namespace) -> None:
    """Print the cost of a cut relative to `sd`."""
    lines = arguments.story.read_text(encoding="utf-8").splitlines()[: arguments.sentences]
    narrative = Narrative.from_sentences(lines)
    method = SentenceDeletion(barthes.load_model(dtype=arguments.dtype))
    task = method.prepare(narrative)
    began = time.process_time()
    measurement = method.measure(narrative)
    alone, began = time.process_time() - began, time.process_time()
    measurer = Measurer(narrative, method, task, measurement)
    tokens = [count_tokens(task)]

    def measure(kept: Sequence[int], targets: Sequence[int]) -> Any:
        if len(kept) < len(narrative):
            places = [Removed(list(kept).index(k), "") for k in targets]
            lengths = [task.tokens[k] for k in kept]
            tokens.append(count_tokens(RemovalTask(lengths, places, [()] * len(places), task.window)))
        return measurer.measure(kept, targets)

    search = CutSearch(count_unit_words(narrative), list(map(len, task.tokens)), measure, window=task.window)
    cuts = len(list(search.run(find_target(narrative, to=arguments.to))))
    both = alone + time.process_time() - began
    print(f"{len(narrative)} sentences, {cuts} cuts, {len(tokens) - 1} measurements after sd")
    print(f"tokens: {sum(tokens) / tokens[0]:.2f} times sd ({sum(tokens):,} and {tokens[0]:,})")
    print(f"CPU time: {both / alone:.2f} times sd ({both:.0f} s and {alone:.0f} s)")


def main() -> None:
    """Run one of the two commands."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("evaluate")
    one.add_argument("--corpus", type=Path, required=True)
    one.add_argument("--stories", type=int, default=8)
    one.add_argument("--json", type=Path, required=True)
    two = commands.add_parser("speed")
    two.add_argument("story", type=Path, nargs="?", default=STORY)
    two.add_argument("--sentences", type=int)
    two.add_argument("--to", type=float, default=0.8)
    act: dict[Any, Callable[[argparse.Namespace], None]] = {one: evaluate, two: speed}
    for command, function in act.items():
        command.add_argument("--dtype", default="auto")
        command.set_defaults(run=function)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
