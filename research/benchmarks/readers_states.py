"""Do the hidden states of other models help the method `readers`? Fit it to them, on the same stories.

    python benchmarks/readers_states.py --rocstories-salience val.json --hippocorpus events_dev.csv \\
        --model smollm2-135m@16,18,20 --model gemma-3-270m=gemma.gguf@10,11,12 --states STATES \\
        --out results/readers-states.json

A model is a name, its files if it needs any, and the layers whose states are used. STATES is a folder for the
states of all models. For each model: the similarity of sentences to their story (cosine of mean states),
which needs no judgements of people; and the method fitted to the states without summaries, cross-validated
and left out; each with the difference to the first model, story by story.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from readers_ablations import Scores, find_figure, fitting, predict, training

import barthes
from barthes.evaluation.corpus import Corpus
from barthes.evaluation.measures import compare
from barthes.evaluation.result import Figure, save_json, to_plain
from barthes_research.bench.measures import choose_measures, gain

Names = list[tuple[str, str]]
Cases = dict[str, dict[str, Figure]]


def read_states(
    model: Any, layers: Sequence[int], paths: Mapping[str, Path], folder: Path
) -> tuple[Names, list[fitting.TrainingStory]]:
    """Return the corpora and names of all stories, and the stories with the states of a model."""
    store = training.StateStore(folder, model, layers)
    found = [
        ((training.open_name(kind), name), story)
        for kind, path in paths.items()
        for name, story in training.read_judged(kind, path, store)
    ]
    return [each for each, _ in found], [each for _, each in found]


def compare_with_story(names: Names, stories: Sequence[fitting.TrainingStory]) -> Scores:
    """Return the cosine of each sentence's mean state with the mean of all; of the middle layer."""
    found = {}
    for name, story in zip(names, stories, strict=True):
        known = story.features
        layer = known.states.shape[1] // 2
        mean = known.story[:-2].reshape(known.states.shape[1:])[layer]
        states = known.states[:, layer] + mean
        found[name] = (states @ mean / np.linalg.norm(states, axis=1) / np.linalg.norm(mean)).tolist()
    return found


def find_figures(corpora: Sequence[Corpus], names: Names, stories: Sequence[fitting.TrainingStory]) -> Cases:
    """Return the agreement with people on each corpus, by each way of using the states."""
    cases = {
        "similarity": compare_with_story(names, stories),
        "cross-validated": predict(training.cross_validate, names, stories),
    }
    if len(corpora) > 1:
        cases["left out"] = predict(training.leave_out, names, stories)
    return {
        case: {
            corpus.name: find_figure(
                corpus, {name: own for (of, name), own in scores.items() if of == corpus.name}
            )
            for corpus in corpora
        }
        for case, scores in cases.items()
    }


def describe(case: str, model: str, corpus: Corpus, ours: Figure, theirs: Figure) -> dict[str, Any]:
    """Return the figure of a model with its difference to that of the first model."""
    difference = gain(ours.per_story, theirs.per_story)
    return {
        "corpus": corpus.name,
        "case": case,
        "model": model,
        "measure": choose_measures(corpus)[0],
        "stories": len(ours.per_story),
        "value": ours.value,
        "interval": ours.interval,
        "difference": difference.value,
        "difference_interval": difference.interval,
        "p": compare(ours.per_story, theirs.per_story)["permutation"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for kind in training.KINDS:
        parser.add_argument(f"--{kind}", type=Path)
    parser.add_argument("--model", action="append", required=True, metavar="NAME[=PATH]@LAYERS")
    parser.add_argument("--states", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    given = {kind: getattr(arguments, kind.replace("-", "_")) for kind in training.KINDS}
    paths = {kind: path for kind, path in given.items() if path}
    corpora = [training.open_corpus(f"{kind}={path}") for kind, path in paths.items()]
    result: dict[str, Any] = {"barthes": barthes.__version__, "models": {}, "rows": []}
    first: Cases = {}
    for text in arguments.model:
        location, _, numbers = text.rpartition("@")
        name, _, path = location.partition("=")
        layers = [int(number) for number in numbers.split(",")]
        model = barthes.load_model(path or name)
        names, stories = read_states(model, layers, paths, arguments.states / name)
        result["models"][name] = {"layers": layers, "precision": model.precision}
        found = find_figures(corpora, names, stories)
        first = first or found
        for case, figures in found.items():
            for corpus in corpora:
                row = describe(case, name, corpus, figures[corpus.name], first[case][corpus.name])
                result["rows"].append(row)
                print(" ".join(f"{key}={value}" for key, value in row.items()), flush=True)
        save_json(to_plain(result), arguments.out)


if __name__ == "__main__":
    main()
