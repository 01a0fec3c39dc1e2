"""Compare tension with the turning points that people marked in the synopses of TRIPOD.

Usage::

    python benchmarks/curves_tripod.py --corpus TRIPOD --json results/curves-tripod.json

Scores of `sd` are those in results/larger-models.json. Each of its synopses is read once for
the surprise of each sentence, unless the JSON file has that already. Prints the mean average precision of
several orders of the sentences, and differences from random order with 95 % bootstrap intervals.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import barthes
from barthes.evaluation.corpus import Labelled
from barthes.evaluation.metrics import average_precision
from barthes.salience.removal_method import SentenceDeletion
from barthes.salience.tension import Tension
from barthes_research.bench.measures import gain
from barthes_research.corpora.tripod import Tripod

SCORES = Path(__file__).parents[1] / "results" / "larger-models.json"


def load_scores() -> dict[str, list[float]]:
    """Return the kept scores of `sd` by synopsis."""
    corpora = json.loads(SCORES.read_text(encoding="utf-8"))["corpora"]
    [tripod] = [each for each in corpora if each["corpus"] == "tripod"]
    [stories] = [each["stories"] for each in tripod["models"] if each["model"] == "smollm2-135m"]
    return {name: story["sd"] for name, story in stories.items()}


def measure_surprise(narrative: barthes.Narrative, method: SentenceDeletion) -> list[float]:
    """Return the mean surprisal of each sentence given all before it, nats per token."""
    tokens = method.prepare(narrative).tokens
    read = method.model.read([method.model.start_token, *(token for ids in tokens for token in ids)])
    parts = np.split(read.log_probabilities, np.cumsum(list(map(len, tokens)))[:-1])
    return [round(float(-part.mean()), 5) for part in parts]


def measure(story: Labelled, surprise: Sequence[float], sd: Sequence[float]) -> dict[str, Any]:
    """Return the figures of a synopsis without its last sentence; for random order, the expectation."""
    labels, last = story.labels[:-1], len(story.labels) - 1
    tension = Tension.measure(surprise, sd, unranked=[last])
    orders = {"tension": tension.values[:-1], "sd": sd[:-1], "surprise": surprise[:-1]}
    orders |= {"later first": range(last), "earlier first": range(last, 0, -1)}
    found = {name: round(average_precision(labels, scores), 4) for name, scores in orders.items()}
    ranks, share = np.arange(1, last + 1), (sum(labels) - 1) / (last - 1)  # of positives among the others
    found["random"] = round(float(np.mean((1 + (ranks - 1) * share) / ranks)), 4)
    return {"average_precision": found, "turning_points": len(tension.turning_points), "surprise": surprise}


def tabulate(stories: dict[str, Any]) -> list[str]:
    """Return the rows of the Markdown table."""
    rows, values = [], {name: story["average_precision"] for name, story in stories.items()}
    for order in ("tension", "surprise", "`sd`", "later first", "earlier first", "random"):
        pair = (order.strip("`"), "random")
        ours, random = ({name: each[key] for name, each in values.items()} for key in pair)
        found = gain(ours, random)
        shown = "" if ours == random else " {:.3f} ({:.3f} to {:.3f})".format(found.value, *found.interval)
        rows.append(f"| {order} | {np.mean([*ours.values()]):.3f} |{shown} |".replace("-", "−"))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--json", type=Path, required=True)
    arguments = parser.parse_args()
    scores = load_scores()
    stories = [story for story in Tripod(arguments.corpus) if story.name in scores]
    if arguments.json.exists():
        kept = json.loads(arguments.json.read_text(encoding="utf-8"))
        surprise = {name: story["surprise"] for name, story in kept["stories"].items()}
    else:
        method = SentenceDeletion(barthes.load_model())
        kept = {"model": method.model.name, "precision": method.model.precision}
        surprise = {story.name: measure_surprise(story.narrative, method) for story in stories}
    found = {story.name: measure(story, surprise[story.name], scores[story.name]) for story in stories}
    text = json.dumps({**kept, "stories": found}).replace("]}, ", "]},\n")  # a line for each synopsis
    arguments.json.write_text(text + "\n", encoding="utf-8")
    print("\n".join(tabulate(found)))


if __name__ == "__main__":
    main()
