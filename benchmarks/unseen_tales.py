#!/usr/bin/env python3
"""Perplexity, before and after, on tales that a fine-tuned model has not seen.

    python benchmarks/unseen_tales.py --train FOLKTALES/ --others propplearner=PROPPLEARNER \\
        --model smollm2-135m --model folktale

--train names the sources of the training run that --record describes (the `barthes.json` beside the model; by
default that of the folktale adapter). Rows:

    held out    its held-out tales, of which the run has seen nothing but that it chose its best step by them
    no telling  those of them of which no other telling was trained on: no long run of words, title or rare
                words in common with any tale of the training part
    our own     The Ferryman's Daughter, which was written for this project
    others      the stories that --others names, each read whole

A tale is read from its start, in windows where it does not fit; every token counts the same. Lower is better.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import barthes
from barthes.finetuning.overlap import leave_out
from barthes.finetuning.texts import Texts, TrainingText, gather_texts, hash_text
from barthes.models.embedded import FOLKTALE

TALE = Path(__file__).parents[1] / "examples" / "the_ferrymans_daughter.txt"


def find_held_out(sources: list[str], record: Path) -> tuple[Texts, Texts]:
    """The tales that a run held out, and those that it was trained on."""
    stories = gather_texts(sources).stories
    parts = json.loads(record.read_text(encoding="utf-8"))["stories"]

    def choose(part: str) -> Texts:
        known = {story["sha256"] for story in parts[part]}
        chosen = tuple(story for story in stories if hash_text(story.text) in known)
        if len({hash_text(story.text) for story in chosen}) < len(known):
            raise SystemExit(f"{record}: some of its stories are not in these sources.")
        return Texts(chosen)

    return choose("held_out"), choose("train")


def measure(model: barthes.LanguageModel, stories: tuple[TrainingText, ...]) -> float:
    """The perplexity of stories together."""
    texts = [barthes.Narrative.from_sentences([story.text], title=story.name) for story in stories]
    return barthes.measure_perplexity(model, texts).total.perplexity or float("nan")


def main() -> None:
    """Print a row a set of tales, a column a model."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--train", nargs="+", required=True)
    ask.add_argument("--record", type=Path, default=FOLKTALE.folder / "barthes.json")
    ask.add_argument("--others", nargs="*", default=[])
    ask.add_argument("--model", action="append", required=True)
    said = ask.parse_args()
    held_out, trained = find_held_out(said.train, said.record)
    sets = {
        "held out": held_out.stories,
        "no telling": leave_out(held_out, trained.stories).stories,
        "our own": (TrainingText("ours", TALE.read_text(encoding="utf-8")),),
    }
    if said.others:
        sets["others"] = gather_texts(said.others).stories
    found = {name: measure_all(name, sets) for name in said.model}
    print(f"{'':12}{'tales':>6} " + " ".join(f"{name:>14}" for name in found))
    for name, stories in sets.items():
        figures = " ".join(f"{perplexities[name]:14.2f}" for perplexities in found.values())
        print(f"{name:12}{len(stories):6} {figures}")


def measure_all(name: str, sets: dict[str, tuple[TrainingText, ...]]) -> dict[str, float]:
    """The perplexity of each set by one model."""
    model = barthes.load_model(name)
    found = {}
    for key, stories in sets.items():
        print(f"{name}: {key} …", file=sys.stderr, flush=True)  # some minutes each
        found[key] = measure(model, stories)
    return found


if __name__ == "__main__":
    main()
