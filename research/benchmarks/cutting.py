"""Compare `barthes cut` with simpler ways to shorten a story, and with what people kept.

Usage::

    python benchmarks/cutting.py evaluate --corpus TELEGRAPHIC --stories 17 --json OUT [--cache FILE]
    python benchmarks/cutting.py variants --corpus TELEGRAPHIC --stories 17 --json OUT [--cache FILE]
    python benchmarks/cutting.py speed [STORY] [--sentences 40] [--to 0.8]

`evaluate` cuts the shortest stories of Telegraphic to half of their words. For each way it prints the share
of the kept words that people kept too, and what the kept text loses in nats per token, with 95 % bootstrap
intervals over stories, and p of paired permutation tests against the first way. The ways are `barthes cut`,
with and without taking costly cuts back, and cutting the sentences that are lowest by the loss of the next
tokens per word (what `barthes cut` would do if it measured each sentence only once), by `sd`, `readers` or
length, or chosen at random. All keep to the same rule of length. An interrupted evaluation continues from its
file.

`variants` does so with changes of the search that were meant to protect endings or what readers find
important (`VARIANTS`); `readers` are the kept scores of cross-validation, or of training without Telegraphic.

`speed` prints the tokens and the CPU time of a cut as multiples of those of `sd`, in one run. STORY has one
sentence per line.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import barthes
from barthes.cache import ScoreCache
from barthes.cutting.cut import Measurer, cut_narrative, find_target
from barthes.cutting.search import (
    HORIZON,
    CutSearch,
    find_tolerance,
    reaches,
    weigh_horizon,
)
from barthes.cutting.shortened import count_unit_words
from barthes.evaluation.significance import permutation_test
from barthes.models.language_model import Reading
from barthes.narrative import Narrative
from barthes.salience.removal_method import SentenceDeletion
from barthes.scorer import Scorer
from barthes_research.corpora.telegraphic import Telegraphic, TelegraphicStory

STORY = Path(__file__).parents[2] / "examples" / "the_ferrymans_daughter.sentences.txt"
RESULTS = Path(__file__).parents[1] / "results"
WAY = "barthes cut"
DRAWS = 5  # random choices for each story


def cut_by_rank(narrative: Narrative, scores: Sequence[float], target: int) -> set[int]:
    """Return the sentences to cut, the lowest scores first; the last sentence stays.

    The length is that of `barthes cut`: sentences after which it would be missed are passed over.
    """
    words = count_unit_words(narrative)
    excess, gone = sum(words) - target, set[int]()
    tolerance = find_tolerance(words, words[:-1], excess)
    for k in sorted(range(len(words) - 1), key=lambda k: (scores[k], k)):
        others = [size for other, size in enumerate(words[:-1]) if other not in gone and other != k]
        if excess > 0 and reaches(others, excess - words[k], tolerance):
            gone.add(k)
            excess -= words[k]
    return gone


def measure_cost(whole: Reading, start: int, tokens: Sequence[Sequence[int]], gone: set[int]) -> float:
    """Return what the kept text loses, nats per kept token, by a reading of the whole story."""
    kept = [k for k in range(len(tokens)) if k not in gone]
    short = whole.reread([start, *(token for k in kept for token in tokens[k])]).log_probabilities
    is_kept = np.repeat([k in set(kept) for k in range(len(tokens))], list(map(len, tokens)))
    return float((whole.log_probabilities[is_kept] - short).mean())


def share_of_people(story: TelegraphicStory, gone: set[int]) -> float:
    """Return the share of the words of the kept sentences that people kept."""
    words = count_unit_words(story.narrative)
    kept = [k for k in range(len(words)) if k not in gone]
    return sum(story.grades[k] * words[k] for k in kept) / sum(words[k] for k in kept)


def evaluate_story(
    story: TelegraphicStory, method: SentenceDeletion, to: float, cache: ScoreCache | None = None
) -> dict[str, dict[str, float]]:
    """Return the figures of one story by way of cutting."""
    narrative, model = story.narrative, method.model
    target = find_target(narrative, to=to)
    task, measurement = method.prepare(narrative), Scorer(method, cache=cache).measure(narrative)
    measurer = Measurer(narrative, method, task, measurement, cache)
    words, lengths = count_unit_words(narrative), list(map(len, task.tokens))
    search = CutSearch(words, lengths, measurer.measure)
    ways = {
        WAY: [{step.index for step in search.search(target)}],
        "no cut taken back": [{step.index for step in search.run(target)}],
    }
    lost = [np.nan_to_num(loss.later) * loss.tokens for loss in measurement.losses]
    pairs = zip(lost, measurement.losses, strict=True)
    near = [weigh_horizon(each, loss.tokens, HORIZON) for each, loss in pairs]
    ranked = {
        "loss per word": [each / max(1, size) for each, size in zip(near, words, strict=True)],
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
    whole = model.read([model.start_token, *(token for ids in task.tokens for token in ids)])
    return {
        way: {
            "share": float(np.mean([share_of_people(story, gone) for gone in choices])),
            "cost": float(
                np.mean([measure_cost(whole, model.start_token, task.tokens, gone) for gone in choices])
            ),
            "words": float(np.mean([1 - sum(words[k] for k in gone) / total for gone in choices])),
            "place": float(np.mean([np.mean(sorted(gone)) / (len(words) - 1) for gone in choices])),
        }
        for way, choices in ways.items()
    }


class VariantSearch(CutSearch):
    """The search of `barthes cut`, changed.

    Attributes:
        imputes: Whether missing text after a sentence is taken to lose what is usual, instead of what the
            text that follows loses.
        gains: Whether a cut that makes the rest likelier is better than one that changes nothing.
        importance: What is added to the price of each sentence, from -1 to 1 usual losses per word.
    """

    imputes, gains, importance, usual = False, True, None, None

    def look(self, targets: Sequence[int]) -> None:
        super().look(targets)
        read = {k: min(HORIZON, float(self.losses[k].tokens.sum())) for k in targets}
        lost = {k: self.decisive[k] * max(1.0, read[k]) / HORIZON for k in targets}
        if self.usual is None:  # nats per token and word
            full = [k for k in targets if read[k] >= HORIZON - 1] or targets
            words = sum(read[k] * self.words[k] for k in full)
            self.usual = max(0.0, sum(lost[k] for k in full) / words)
        for k in targets if self.imputes else ():
            self.decisive[k] = lost[k] + (HORIZON - read[k]) * self.usual * self.words[k]

    def price(self, k: int, excess: int) -> float:
        price = super().price(k, excess)
        price = price if self.gains else max(0.0, price)
        added = 0.0 if self.importance is None else self.importance[k]
        return price + added * self.usual * HORIZON


VARIANTS: dict[str, dict[str, Any]] = {
    WAY: {},
    "missing text imputed": {"imputes": True},
    "no credit for gains": {"gains": False},
    "last tenth kept": {"ending": 0.1},
    "with readers, cross-validated": {"scores": "readers-cv.json"},
    "with readers, trained elsewhere": {"scores": "readers-left-out.json"},
}


def load_scores(file: str, story: str, count: int) -> list[float]:
    """Return the kept scores of a story as ranks from -1 to 1."""
    corpora = json.loads((RESULTS / file).read_text(encoding="utf-8"))["corpora"]
    [scores] = [stories[story] for name, stories in corpora.items() if "elegraphic" in name]
    if len(scores) != count:
        raise SystemExit(f"{file} has {len(scores)} scores for story {story}, not {count}")
    return (2 * np.argsort(np.argsort(scores)) / (count - 1) - 1).tolist()


def try_variants(
    story: TelegraphicStory, method: SentenceDeletion, to: float, cache: ScoreCache | None = None
) -> dict[str, dict[str, float]]:
    """Return the figures of one story by variant."""
    narrative, model = story.narrative, method.model
    target, words = find_target(narrative, to=to), count_unit_words(narrative)
    task, measurement = method.prepare(narrative), Scorer(method, cache=cache).measure(narrative)
    measurer = Measurer(narrative, method, task, measurement, cache)
    whole = model.read([model.start_token, *(token for ids in task.tokens for token in ids)])
    figures = {}
    for name, settings in VARIANTS.items():
        search = VariantSearch(words, list(map(len, task.tokens)), measurer.measure)
        search.imputes, search.gains = settings.get("imputes", False), settings.get("gains", True)
        if file := settings.get("scores"):
            search.importance = load_scores(file, story.name, len(words))
        shares = np.cumsum(words) / sum(words)
        protected = np.flatnonzero(shares > 1 - settings.get("ending", 0)).tolist()
        gone = {step.index for step in search.search(target, protected=protected)}
        figures[name] = {
            "share": share_of_people(story, gone),
            "cost": measure_cost(whole, model.start_token, task.tokens, gone),
            "words": 1 - sum(words[k] for k in gone) / sum(words),
            "place": float(np.mean(sorted(gone)) / (len(words) - 1)),
        }
    return figures


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
            summary[way][f"{figure}_p"] = permutation_test(values, first)
    return summary


def format_row(way: str, row: dict[str, Any]) -> str:
    """Return the row of a way in a Markdown table."""
    cells = [way]
    for figure in ("share", "cost"):
        mean, low, high = (f"{value:.3f}".replace("-", "−") for value in row[figure])
        cells += [f"{mean} ({low} to {high})", f"{row[f'{figure}_p']:.3f}" if way != WAY else ""]
    words, place = f"{row['words'][0]:.3f}", f"{row['place'][0]:.2f}"
    return f"| {' | '.join([*cells, words, place])} |"


def evaluate(arguments: argparse.Namespace) -> None:
    """Evaluate all ways on the shortest stories; stories that are in the file already are not cut again."""
    corpus = sorted(Telegraphic(arguments.corpus).stories, key=lambda story: len(story.narrative.text))
    method = SentenceDeletion(barthes.load_model(dtype=arguments.dtype))
    cache = None if arguments.cache is None else ScoreCache(arguments.cache)
    done: dict[str, Any] = {}
    if arguments.json.exists():
        done = json.loads(arguments.json.read_text(encoding="utf-8"))["stories"]
    for story in corpus[: arguments.stories]:
        if story.name in done:
            continue
        began = time.process_time()
        done[story.name] = arguments.function(story, method, arguments.to, cache)
        content = {"model": method.model.name, "precision": method.model.precision, "to": arguments.to}
        content |= {"ways": summarize(done), "stories": done}
        arguments.json.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        print(f"{story.name}: {time.process_time() - began:.0f} s CPU time", flush=True)
    print("| way | words people kept | p | cost, nats per token | p | words left | place of the cuts |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for way, row in summarize(done).items():
        print(format_row(way, row))


@contextmanager
def count_tokens(model: Any) -> Iterator[list[int]]:
    """Yield a list that receives the number of tokens of each pass through the network."""
    passes: list[int] = []

    def count(module: Any, given: Any, named: dict[str, Any]) -> None:
        passes.append(named["input_ids"].numel())

    handle = model.network.base_model.register_forward_pre_hook(count, with_kwargs=True)
    try:
        yield passes
    finally:
        handle.remove()


def speed(arguments: argparse.Namespace) -> None:
    """Print the cost of a cut, with the `sd` that it begins with, relative to `sd`."""
    lines = arguments.story.read_text(encoding="utf-8").splitlines()[: arguments.sentences]
    narrative = Narrative.from_sentences(lines)
    method = SentenceDeletion(barthes.load_model(dtype=arguments.dtype))
    spent = []
    target = find_target(narrative, to=arguments.to)
    for act in (method.measure, lambda story: cut_narrative(story, method, target)):
        with count_tokens(method.model) as passes:
            began = time.process_time()
            result = act(narrative)
            spent.append((sum(passes), time.process_time() - began))
    (tokens, alone), (more, both) = spent
    print(f"{len(narrative)} sentences, {len(result.cuts)} cuts, {method.model.precision}")
    print(f"tokens: {more / tokens:.2f} times sd ({more:,} and {tokens:,})")
    print(f"CPU time: {both / alone:.2f} times sd ({both:.0f} s and {alone:.0f} s)")


def main() -> None:
    """Run one of the commands."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("evaluate")
    three = commands.add_parser("variants")
    for command, function in ((one, evaluate_story), (three, try_variants)):
        command.set_defaults(function=function)
        command.add_argument("--cache", type=Path)
        command.add_argument("--corpus", type=Path, required=True)
        command.add_argument("--stories", type=int, default=8)
        command.add_argument("--to", type=float, default=0.5)
        command.add_argument("--json", type=Path, required=True)
    two = commands.add_parser("speed")
    two.add_argument("story", type=Path, nargs="?", default=STORY)
    two.add_argument("--sentences", type=int)
    two.add_argument("--to", type=float, default=0.8)
    act: dict[Any, Callable[[argparse.Namespace], None]] = {one: evaluate, two: speed, three: evaluate}
    for command, function in act.items():
        command.add_argument("--dtype", default="auto")
        command.set_defaults(run=function)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
