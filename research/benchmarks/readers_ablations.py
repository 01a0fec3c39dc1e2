"""What each part of the method `readers` contributes: fit it again without the part, on the same stories.

    python benchmarks/readers_ablations.py --rocstories-salience val.json --hippocorpus events_dev.csv \\
        --tripod synopses_dev.csv --telegraphic TELEGRAPHIC --squality train.jsonl --states STATES \\
        --losses results/larger-models.json --out results/readers-ablations.json

The corpora and STATES are those of `scripts/train_readers.py`; no model is run if STATES is complete.
`--losses` is the result of `benchmarks/larger_models.py`, for sums with sentence deletion.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from cues import NamedCue
from scipy.stats import rankdata

import barthes
from barthes.evaluation.corpus import Corpus, StoryCollection
from barthes.evaluation.evaluate import evaluate
from barthes.evaluation.opening import open_corpus
from barthes.evaluation.result import Figure, save_json, to_plain
from barthes.learned.story_features import StoryFeatures
from barthes_research.bench.measures import choose_measures

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))
import fit_readers as fitting
import train_readers as training

Scores = dict[tuple[str, str], list[float]]
Change = Callable[[StoryFeatures], StoryFeatures]

LEFT_OUT: dict[str, Change] = {
    "as shipped": lambda known: known,
    "without removing the position": lambda known: replace(known, places=np.zeros_like(known.places)),
    "without word counts": lambda known: replace(known, cues=np.zeros_like(known.cues)),
    "without hidden states": lambda known: replace(known, states=np.zeros_like(known.states)),
    "without the first reading": lambda known: replace(known, states=np.split(known.states, 2, axis=2)[0]),
    "layer 18 only": lambda known: replace(known, states=known.states[:, 1:2]),
}
"""What the features are without each part, in the order of the table."""

fit = partial(fitting.fit_weights, model="smollm2-135m", settings=fitting.FitSettings(draws=0))


class Part(StoryCollection):
    """Some stories of a corpus."""

    def __init__(self, corpus: Corpus, names: Mapping[str, Any]) -> None:
        self.name, self.labelling = corpus.name, corpus.labelling
        super().__init__([each for each in corpus if each.name in names], (), where="", remedy="")


def change(stories: Sequence[fitting.TrainingStory], changed: Change) -> list[fitting.TrainingStory]:
    """Return stories with changed features, without events."""
    nothing: Any = {"event_features": None, "event_grades": ()}
    return [replace(story, features=changed(story.features), **nothing) for story in stories]


def predict(
    split: Callable[..., Iterator[Any]],
    names: Sequence[tuple[str, str]],
    stories: Sequence[fitting.TrainingStory],
    *,
    kind_known: bool = False,
) -> Scores:
    """Return the scores of all judged stories by weights that did not see them."""
    found = {}
    for weights, unseen in split(stories, fit):
        for name, story, is_unseen in zip(names, stories, unseen, strict=False):
            if is_unseen:
                kind = story.kind if kind_known else weights.find_kind(story.features)
                found[name] = weights.score(story.features, kind)[0].tolist()
    return found


def add_losses(scores: Scores, losses: Mapping[str, Any]) -> tuple[Scores, Scores]:
    """Return the rank sums of scores and of the losses by sentence deletion, and the same scores alone."""
    alone, summed = {}, {}
    for found in losses["corpora"]:
        model = next(each for each in found["models"] if each["model"] == "smollm2-135m")
        corpus = training.open_name(found["corpus"])
        for name, story in model["stories"].items():
            if "sd" in story and (corpus, name) in scores:
                alone[corpus, name] = scores[corpus, name]
                ranks = rankdata(scores[corpus, name]) + rankdata(story["sd"])
                summed[corpus, name] = ranks.tolist()
    return summed, alone


def measure(corpora: Sequence[Corpus], scores: Scores) -> dict[str, dict[str, Any]]:
    """Return the agreement with people on each corpus of which there are scores."""
    found = {}
    for corpus in corpora:
        if own := {name: values for (of, name), values in scores.items() if of == corpus.name}:
            figure = find_figure(corpus, own)
            values = {"value": figure.value, "interval": figure.interval}
            found[corpus.name] = {"measure": choose_measures(corpus)[0], "stories": len(own), **values}
    return found


def find_figure(corpus: Corpus, scores: Mapping[str, Sequence[float]]) -> Figure:
    """Return the agreement with people of the scores of stories, by the corpus's own measure."""
    part, wanted = Part(corpus, scores), choose_measures(corpus)[0]
    names = {story.narrative: story.name for story in part}
    cue = NamedCue("scores", lambda story: np.array(scores[names[story]]))
    return evaluate([cue], part, measures=(wanted,), seeds=1).rows[0].figures[wanted]


def main() -> None:
    arguments = training.read_arguments(__doc__, outputs=("losses", "out"))
    paths = training.find_paths(arguments)
    model = barthes.load_model("smollm2-135m", dtype="float32")
    store = training.StateStore(arguments.states, model)
    names, stories, summaries = training.read_stories(paths, store, arguments.stories)
    corpora = [open_corpus(f"{kind}={paths[kind]}") for kind in training.KINDS]
    every = [*stories, *summaries]
    cases: dict[str, dict[str, Scores]] = {"left out": {}, "cross-validated": {}}
    for title, changed in LEFT_OUT.items():
        cases["left out"][title] = predict(training.leave_out, names, change(every, changed))
    cases["left out"]["without summaries"] = predict(training.leave_out, names, stories)
    validated = predict(training.cross_validate, names, every)
    summed, alone = add_losses(validated, json.loads(arguments.losses.read_text(encoding="utf-8")))
    cases["cross-validated"] = {
        "as shipped": validated,
        "with the kind of story given": predict(training.cross_validate, names, every, kind_known=True),
        "stories with sd": alone,
        "rank sum with sd": summed,
    }
    result: dict[str, Any] = {"barthes": barthes.__version__}
    for split, rows in cases.items():
        result[split] = {title: measure(corpora, scores) for title, scores in rows.items()}
        for title, row in result[split].items():
            cells = [f"{each['value']:.3f} ({each['stories']})" for each in row.values()]
            print(f"| {split} | {title} | {' | '.join(cells)} |")
    save_json(to_plain(result), arguments.out)


if __name__ == "__main__":
    main()
