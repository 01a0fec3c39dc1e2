#!/usr/bin/env python3
"""Measure the perplexity of models on tales that a fine-tuned model has not seen.

    python benchmarks/unseen_tales.py --train FOLKTALES/ --others propplearner=PROPPLEARNER \\
        --model smollm2-135m --model folktale

--train gives the sources of the training run described by --record (the `barthes.json` of a model; by default
that of the folktale adapter). Rows:

    held out    its held-out tales, which were used only to choose the best step
    no version  those of them without another version in the training data (no overlap, similar title or rare
                words in common)
    our own     The Ferryman's Daughter, written for this project
    others      the stories given by --others

Tales are read from the start, in windows if they are too long. The mean is over tokens; lower is better.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import barthes
from barthes_research.adapters.source import INCLUDED
from barthes_research.finetuning.overlap import leave_out
from barthes_research.finetuning.texts import Texts, TrainingText, gather_texts, hash_text

TALE = Path(__file__).parents[2] / "examples" / "the_ferrymans_daughter.txt"


def find_held_out(sources: list[str], record: Path) -> tuple[Texts, Texts]:
    """Return the held-out tales of a run, and its training tales."""
    stories = gather_texts(sources).stories
    parts = json.loads(record.read_text(encoding="utf-8"))["stories"]

    def choose(part: str) -> Texts:
        known = {story["sha256"] for story in parts[part]}
        chosen = tuple(story for story in stories if hash_text(story.text) in known)
        if len({hash_text(story.text) for story in chosen}) < len(known):
            raise SystemExit(f"{record}: some of its stories are missing in these sources.")
        return Texts(chosen)

    return choose("held_out"), choose("train")


def measure(model: barthes.LanguageModel, stories: tuple[TrainingText, ...]) -> float:
    texts = [barthes.Narrative.from_sentences([story.text], title=story.name) for story in stories]
    return barthes.measure_perplexity(model, texts).total.perplexity or float("nan")


def main() -> None:
    """Print a row for each set of tales and a column for each model."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--train", nargs="+", required=True)
    parser.add_argument("--record", type=Path, default=INCLUDED["folktale"] / "barthes.json")
    parser.add_argument("--others", nargs="*", default=[])
    parser.add_argument("--model", action="append", required=True)
    arguments = parser.parse_args()
    held_out, trained = find_held_out(arguments.train, arguments.record)
    sets = {
        "held out": held_out.stories,
        "no version": leave_out(held_out, trained.stories).stories,
        "our own": (TrainingText("ours", TALE.read_text(encoding="utf-8")),),
    }
    if arguments.others:
        sets["others"] = gather_texts(arguments.others).stories
    found = {name: measure_all(name, sets) for name in arguments.model}
    print(f"{'':12}{'tales':>6} " + " ".join(f"{name:>14}" for name in found))
    for name, stories in sets.items():
        figures = " ".join(f"{perplexities[name]:14.2f}" for perplexities in found.values())
        print(f"{name:12}{len(stories):6} {figures}")


def measure_all(name: str, sets: dict[str, tuple[TrainingText, ...]]) -> dict[str, float]:
    model = barthes.load_model(name)
    found = {}
    for key, stories in sets.items():
        print(f"{name}: {key} …", file=sys.stderr, flush=True)  # takes minutes
        found[key] = measure(model, stories)
    return found


if __name__ == "__main__":
    main()
