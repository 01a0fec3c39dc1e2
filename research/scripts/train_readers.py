#!/usr/bin/env python3
"""Train the method `readers` on people's judgements, and measure it on kinds of stories that it did not see.

    python scripts/train_readers.py -c rocstories-salience=val.json -c hippocorpus=events_dev.csv \
        -c tripod=synopses_dev.csv -c telegraphic=TELEGRAPHIC -c fairytaleqa=FAIRYTALEQA -c recall=RECALL \
        --apart propplearner=PROPPLEARNER --states STATES --out ../src/barthes/learned/readers_model \
        --results results/readers.json

Reads every story with the embedded model (about half an hour on two idle cores) and stores its features in
the folder STATES, so that an interrupted run continues. The model computes in bfloat16, twice as fast as
in float32, in which `readers` computes; the states have a correlation of 0.9999. Stories that repeat or
retell one of --apart are left out. Writes the weights and the record of the training to --out, and to
--results how well each story was scored by weights that did not see it: fitted to other stories, and fitted
to the other corpora only.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from fit_readers import FitSettings, TrainingStory, fit_weights
from measure_readers import GradedStory, Scores, estimate_agreement, render, score_cheaply, tabulate

import barthes
from barthes.corpora import open_corpus
from barthes.files import write_atomically
from barthes.hashing import hash_content
from barthes.learned.readers_weights import ReadersWeights, hash_story
from barthes.learned.story_features import LAYERS, StoryFeatures, read_features
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes_research.finetuning.overlap import leave_out as leave_out_overlaps
from barthes_research.finetuning.texts import Texts, TrainingText

KINDS = {
    "rocstories-salience": "very short stories",
    "hippocorpus": "personal accounts",
    "tripod": "film synopses",
    "telegraphic": "short stories",
    "fairytaleqa": "fairy tales",
    "recall": "interactive stories",
}
"""The corpora, and how their kind of story is called."""

MODEL, FOLDS = "smollm2-135m", 5
FEATURES = 4
"""The version of `barthes.learned.story_features`: increase it with every change of features."""

_FIELDS = ("states", "cues", "places", "story")


class StateStore:
    """Features of stories in a folder: read once, then loaded.

    Args:
        folder: The folder.
        model: The model that reads.
        frozen: Read no further story; `get` returns None instead.
    """

    def __init__(self, folder: Path, model: LanguageModel, *, frozen: bool = False) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.model = model
        self.frozen = frozen
        record, expected = folder / "made-by.txt", f"{model.fingerprint} {FEATURES}"
        if not record.exists():
            record.write_text(expected)
        if record.read_text() != expected:
            sys.exit(f"{folder} has states of another model or version: choose an empty folder")

    def get(self, narrative: Narrative, events: Any = None) -> StoryFeatures | None:
        """Return the features of a story, or of its events."""
        found = None if events is None else [(k, event.predicate.span) for k, event in events]
        key = hash_content([[str(sentence) for sentence in narrative], LAYERS, found])
        file = self.folder / f"{key[:32]}.npz"
        if not file.exists():
            if self.frozen:
                return None
            features = read_features(self.model, narrative, events=events)
            partial = file.with_suffix(".part.npz")
            np.savez(partial, **{name: getattr(features, name).astype(np.float32) for name in _FIELDS})
            partial.replace(file)
        with np.load(file) as stored:
            return StoryFeatures(*(stored[name].astype(np.float64) for name in _FIELDS))


def read_corpus(text: str, store: StateStore, apart: Sequence[TrainingText]) -> Iterator[GradedStory]:
    """Yield the stories of a corpus that people's judgements distinguish, without those to be kept apart."""
    kind = text.partition("=")[0]
    corpus: Any = open_corpus(text)
    own = {story.name: TrainingText(story.name, story.narrative.text) for story in corpus}
    kept = leave_out_overlaps(Texts(tuple(own.values())), apart)
    print(*kept.notes, sep="\n", file=sys.stderr)
    has_events = kind == "telegraphic"
    labelled = {story.name: story for story in corpus.events} if has_events else {}
    for done, story in enumerate(corpus):
        if done % 20 == 0:
            print(f"{corpus.name}: {done} of {len(corpus)} stories read", file=sys.stderr)
        if own[story.name] not in kept.stories or min(story.grades) == max(story.grades):
            continue
        features = store.get(story.narrative)
        if features is None:
            continue
        group = getattr(story, "group", "") or story.name.partition(" (")[0]
        training = TrainingStory(KINDS[kind], group, features, story.grades)
        if story.name in labelled:
            events = labelled[story.name]
            found = store.get(story.narrative, events.events)
            training = replace(training, event_features=found, event_grades=events.grades)
        training = replace(training, text_hash=hash_story(story.narrative), by_share=kind == "telegraphic")
        yield GradedStory(corpus.name, story, training)


Fit = Callable[[Sequence[TrainingStory]], ReadersWeights]


def cross_validate(stories: Sequence[TrainingStory], fit: Fit) -> Iterator[Any]:
    """Yield, for each fold, the weights of the other folds and which stories they did not see."""
    folds = np.array([int(hashlib.md5(s.group.encode()).hexdigest(), 16) % FOLDS for s in stories])
    for fold in range(FOLDS):
        yield fit([s for s, k in zip(stories, folds, strict=True) if k != fold]), folds == fold


def leave_out(stories: Sequence[TrainingStory], fit: Fit) -> Iterator[Any]:
    """Yield, for each kind, the weights of the other kinds and which stories they did not see.

    The weights have no head for another kind either: a story of an unknown kind is scored by the common head.
    """
    for kind in dict.fromkeys(s.kind for s in stories):
        yield fit([s for s in stories if s.kind != kind]), np.array([s.kind == kind for s in stories])


def score_unseen(stories: Sequence[GradedStory], split: Any, fit: Fit) -> Scores:
    """Return the scores of all stories by weights that did not see them."""
    found: Scores = {}
    for weights, unseen in split([story.training for story in stories], fit):
        for story in (story for story, chosen in zip(stories, unseen, strict=True) if chosen):
            features = story.training.features
            scores = weights.score(features, weights.find_kind(features))[0]
            own = found.setdefault(story.corpus, {})
            own[story.labelled.name] = [round(float(score), 6) for score in scores]
    return found


def read_arguments() -> argparse.Namespace:
    """Return the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-c", "--corpus", action="append", required=True, help="KIND=PATH; can be repeated")
    parser.add_argument("--apart", help="KIND=PATH of a corpus whose stories must not be trained on")
    parser.add_argument("--as-far-as-read", action="store_true", help="use only stories in STATES")
    for name in ("states", "out", "results"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    return parser.parse_args()


def main() -> None:
    """Train, and measure on stories that were not trained on."""
    given = read_arguments()
    store = StateStore(given.states, barthes.load_model(MODEL, dtype="bfloat16"), frozen=given.as_far_as_read)
    apart = [TrainingText(s.name, s.narrative.text) for s in open_corpus(given.apart)] if given.apart else []
    stories = [story for text in given.corpus for story in read_corpus(text, store, apart)]
    settings = FitSettings()

    def fit(some: Sequence[TrainingStory], *, draws: int = 0) -> ReadersWeights:
        return fit_weights(some, model=MODEL, settings=replace(settings, draws=draws))

    ours = {
        "left out": score_unseen(stories, leave_out, fit),
        "cross-validated": score_unseen(stories, cross_validate, fit),
    }
    rows = tabulate(stories, ours, score_cheaply(stories))
    write_atomically(given.results, json.dumps({"corpora": rows, "scores": ours}) + "\n")
    print(render(rows))
    given.out.mkdir(parents=True, exist_ok=True)
    weights_file = given.out / "weights.safetensors"
    weights = fit([story.training for story in stories], draws=settings.draws)
    replace(weights, agreement=estimate_agreement(rows)).save(weights_file)
    record = {
        "data": {text.partition("=")[0]: hash_path(Path(text.partition("=")[2])) for text in given.corpus},
        "stories": {row["corpus"]: row["stories"] for row in rows},
        "settings": asdict(settings),
        "model": MODEL,
        "fingerprint": store.model.fingerprint,
        "layers": LAYERS,
        "weights": {"sha256": hashlib.sha256(weights_file.read_bytes()).hexdigest()},
        "barthes": barthes.__version__,
    }
    write_atomically(given.out / "training.json", json.dumps(record, indent=1) + "\n")


def hash_path(path: Path) -> str:
    """Return the SHA-256 of a file, or for a folder that of the names and SHA-256s of its files."""
    if path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    files = sorted(file for file in path.rglob("*") if file.is_file())
    return hash_content([(str(file.relative_to(path)), hash_path(file)) for file in files])


if __name__ == "__main__":
    main()
