#!/usr/bin/env python3
"""Train the method `readers` on people's judgements, and score every story by weights that did not see it.

    python scripts/train_readers.py --rocstories-salience val.json --hippocorpus events_dev.csv \
        --tripod synopses_dev.csv --telegraphic TELEGRAPHIC --squality train.jsonl --states STATES \
        --out ../src/barthes/learned/readers_model --scores results

Reading the stories takes about half an hour on two cores. The states are stored in the folder STATES, story
by story, so that an interrupted run continues. Writes to --out the weights and the record of the training
(hashes, counts, settings), and to --scores the scores of all stories: `readers-cv.json` by five-fold
cross-validation over groups of stories, `readers-left-out.json` by weights trained on the other corpora,
`readers-events-cv.json`, and `position-length-cv.json`, the same regression on position and length alone.
`barthes bench --scores NAME=FILE` compares these with other methods.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from fit_readers import FitSettings, TrainingStory, fit_weights

import barthes
from barthes.annotation.pipeline import describe_parser
from barthes.evaluation.opening import open_corpus
from barthes.files import write_atomically
from barthes.hashing import hash_content
from barthes.learned.readers_weights import ReadersWeights, hash_story
from barthes.learned.story_features import LAYERS, StoryFeatures, read_features
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative

KINDS = {
    "rocstories-salience": "very short stories",
    "hippocorpus": "personal accounts",
    "tripod": "film synopses",
    "telegraphic": "short stories",
}
"""The corpora with people's judgements, and how their kind of story is called."""

FOLDS = 5
FEATURES = 2
"""The version of `barthes.learned.story_features`: increase it with every change of features."""

_CHUNK = 1000  # tokens of a long story that are read and graded together
_FIELDS = ("states", "cues", "places", "story")


class StateStore:
    """Features of stories in a folder: read once, then loaded."""

    def __init__(self, folder: Path, model: LanguageModel, layers: Sequence[int] = LAYERS) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.model = model
        self.layers = tuple(layers)
        self._check_made_by(f"{model.fingerprint} {FEATURES}")

    def _check_made_by(self, expected: str) -> None:
        """Stop if the folder has states of another model or of other features."""
        record = self.folder / "made-by.txt"
        if not record.exists():
            record.write_text(expected)
        if record.read_text() != expected:
            sys.exit(f"{self.folder} has states of another model or version: choose an empty folder")

    def get(self, narrative: Narrative, events: Any = None) -> StoryFeatures:
        """Return the features of a story, or of its events."""
        found = None if events is None else [(k, event.predicate.span) for k, event in events]
        key = hash_content([narrative.text, narrative.spans, self.layers, found])
        file = self.folder / f"{key[:32]}.npz"
        if not file.exists():
            features = read_features(self.model, narrative, events=events, layers=self.layers)
            partial = file.with_suffix(".part.npz")
            np.savez(partial, **{name: getattr(features, name).astype(np.float32) for name in _FIELDS})
            partial.replace(file)
        with np.load(file) as stored:
            return StoryFeatures(*(stored[name].astype(np.float64) for name in _FIELDS))


def read_judged(kind: str, path: Path, store: StateStore) -> Iterator[tuple[str, TrainingStory]]:
    """Yield the stories of a corpus with people's judgements, by name."""
    corpus: Any = open_corpus(f"{kind}={path}")
    stories = list(corpus)
    labelled = {story.name: story for story in corpus.events} if kind == "telegraphic" else {}
    for done, story in enumerate(stories):
        if done % 20 == 0:
            print(f"{corpus.name}: {done} of {len(stories)} stories read", file=sys.stderr)
        group = getattr(story, "group", "") or story.name.partition(" (")[0]
        features = store.get(story.narrative)
        events, grades = None, ()
        if story.name in labelled:
            grades = labelled[story.name].grades
            events = store.get(story.narrative, labelled[story.name].events)
        given = (features, story.grades, events, grades, hash_story(story.narrative))
        yield story.name, TrainingStory(KINDS[kind], group, *given)


def read_summaries(path: Path, store: StateStore, count: int) -> Iterator[TrainingStory]:
    """Yield parts of SQuALITY's stories, graded by how much of the summaries each sentence tells."""
    from barthes.reading import read_text

    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for row in (rows[k] for k in np.random.RandomState(0).permutation(len(rows))[:count]):
        story = read_text(row["document"])
        print(f"SQuALITY: {story[0]!s:.40} …", file=sys.stderr)
        summaries = [read_text(each["response_text"]) for each in row["questions"][0]["responses"]]
        grades = grade_by_summaries([str(s) for s in story], [[str(s) for s in each] for each in summaries])
        sentences = [str(sentence) for sentence in story]
        for start, stop in divide([len(ids) for ids in store.model.encode(sentences)]):
            if stop - start >= 10 and grades[start:stop].max() > grades[start:stop].min():
                part = Narrative.from_sentences(sentences[start:stop])
                group = row["metadata"]["passage_id"]
                yield TrainingStory("", group, store.get(part), grades[start:stop].tolist())


def grade_by_summaries(story: Sequence[str], summaries: Sequence[Sequence[str]]) -> Any:
    """Return a grade for each sentence: how similar it is to the sentences of the summaries it matches best.

    Each sentence of a summary grades the three most similar sentences near its own place in the story.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(sublinear_tf=True, stop_words="english").fit(story)
    vectors = vectorizer.transform(story)
    grades, places = np.zeros(len(story)), np.arange(len(story)) / len(story)
    for summary in summaries:
        for k, row in enumerate((vectorizer.transform(summary) @ vectors.T).toarray()):
            best = np.argsort(0.3 * abs(places - (k + 0.5) / len(summary)) - row)[:3]
            grades[best] += np.where(row[best] > 0.1, row[best], 0.0)
    return grades


def divide(sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the sentences (start, stop) of parts of at most a thousand tokens, or of one longer sentence.

    >>> list(divide([600, 300, 200, 1200, 10]))
    [(0, 2), (2, 3), (3, 4), (4, 5)]
    """
    start = size = 0
    for k, tokens in enumerate(sizes):
        if size + tokens > _CHUNK and k > start:
            yield start, k
            start, size = k, 0
        size += tokens
    yield start, len(sizes)


def cross_validate(stories: Sequence[TrainingStory], fit: Callable[..., ReadersWeights]) -> Iterator[Any]:
    """Yield, for each fold, the weights of the other folds and which stories they did not see."""
    folds = np.array([int(hashlib.md5(s.group.encode()).hexdigest(), 16) % FOLDS for s in stories])
    for fold in range(FOLDS):
        yield fit([s for s, k in zip(stories, folds, strict=True) if k != fold]), folds == fold


def leave_out(stories: Sequence[TrainingStory], fit: Callable[..., ReadersWeights]) -> Iterator[Any]:
    """Yield, for each kind, the weights of the other kinds and which stories they did not see."""
    for kind in dict.fromkeys(s.kind for s in stories if s.kind):
        yield fit([s for s in stories if s.kind != kind]), np.array([s.kind == kind for s in stories])


def hide_content(story: TrainingStory) -> TrainingStory:
    """Return a story of which only position and length are known, as a baseline."""
    known = story.features
    cues = known.cues * (np.arange(known.cues.shape[1]) == 0)
    hidden = replace(known, states=np.zeros_like(known.states), cues=cues)
    return replace(story, features=hidden, event_features=None, event_grades=())


def predict(weights: ReadersWeights, story: TrainingStory) -> list[float]:
    """Return the scores of a story as the method computes them."""
    scores = weights.score(story.features, weights.find_kind(story.features))[0]
    return [round(float(score), 6) for score in scores]


def read_arguments(description: str | None, *, outputs: Sequence[str]) -> argparse.Namespace:
    """Return the command line: the corpora, the folder of states and the outputs."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for kind in (*KINDS, "squality"):
        parser.add_argument(f"--{kind}", type=Path, required=True)
    parser.add_argument("--stories", type=int, default=20, help="stories of SQuALITY to use")
    for name in ("states", *outputs):
        parser.add_argument(f"--{name}", type=Path, required=True)
    return parser.parse_args()


def read_stories(
    paths: Mapping[str, Path], store: StateStore, count: int
) -> tuple[list[tuple[str, str]], list[TrainingStory], list[TrainingStory]]:
    """Return the corpus and name of each judged story, these stories, and `count` with summaries."""
    names, stories = [], []
    for kind in KINDS:
        for name, story in read_judged(kind, paths[kind], store):
            names.append((open_name(kind), name))
            stories.append(story)
    return names, stories, list(read_summaries(paths["squality"], store, count))


def find_paths(arguments: argparse.Namespace) -> dict[str, Path]:
    """Return the files and folders of the corpora."""
    return {kind: getattr(arguments, kind.replace("-", "_")) for kind in (*KINDS, "squality")}


def main() -> None:
    """Train, and score all stories by weights that did not see them."""
    arguments = read_arguments(__doc__, outputs=("out", "scores"))
    paths = find_paths(arguments)
    store = StateStore(arguments.states, barthes.load_model("smollm2-135m", dtype="float32"))
    settings = FitSettings()
    names, stories, summaries = read_stories(paths, store, arguments.stories)
    every = [*stories, *summaries]

    def fit(given: Sequence[TrainingStory], **changes: float) -> ReadersWeights:
        return fit_weights(given, model="smollm2-135m", settings=replace(settings, **{"draws": 0, **changes}))

    def fit_few(given: Sequence[TrainingStory]) -> ReadersWeights:
        return fit(given, kind_penalty=0.01, common=0.0)  # a few features need little regularisation

    hidden = [hide_content(story) for story in stories]
    for file, split, given, fitted in (
        ("readers-cv", cross_validate, every, fit),
        ("readers-left-out", leave_out, every, fit),
        ("position-length-cv", cross_validate, hidden, fit_few),
    ):
        found: dict[str, dict[str, list[float]]] = {}
        events: dict[str, list[float]] = {}
        for weights, unseen in split(given, fitted):
            for (corpus, name), story, is_unseen in zip(names, given, unseen, strict=False):
                if is_unseen:
                    found.setdefault(corpus, {})[name] = predict(weights, story)
                    if story.event_features is not None:
                        scores = weights.score_events(story.event_features)[0]
                        events[name] = [round(float(score), 6) for score in scores]
        keep(arguments.scores / f"{file}.json", "sentence", found)
        if events and split is cross_validate:
            keep(arguments.scores / "readers-events-cv.json", "event", {open_name("telegraphic"): events})
    arguments.out.mkdir(parents=True, exist_ok=True)
    weights_file = arguments.out / "weights.safetensors"
    fit(every, draws=settings.draws).save(weights_file)
    record = {
        "data": {kind: {"sha256": hash_path(path)} for kind, path in paths.items()},
        "stories": {kind: sum(s.kind == name for s in stories) for kind, name in KINDS.items()}
        | {"squality": {"stories": arguments.stories, "parts": len(summaries)}},
        "settings": asdict(settings),
        "model": "smollm2-135m",
        "fingerprint": store.model.fingerprint,
        "parser": describe_parser(),
        "layers": LAYERS,
        "weights": {"sha256": hashlib.sha256(weights_file.read_bytes()).hexdigest()},
        "barthes": barthes.__version__,
    }
    write_atomically(arguments.out / "training.json", json.dumps(record, indent=1) + "\n")


def open_name(kind: str) -> str:
    """Return the name of a corpus in results."""
    names = {"rocstories-salience": "ROCStories salience", "hippocorpus": "Hippocorpus", "tripod": "TRIPOD"}
    return names.get(kind, "Telegraphic")


def keep(file: Path, unit: str, corpora: Any) -> None:
    """Write scores for `barthes bench --scores`."""
    write_atomically(file, json.dumps({"unit": unit, "corpora": corpora}) + "\n")


def hash_path(path: Path) -> str:
    """Return the SHA-256 of a file, or for a folder that of the names and SHA-256s of its files."""
    if path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    files = sorted(file for file in path.rglob("*") if file.is_file())
    return hash_content([(str(file.relative_to(path)), hash_path(file)) for file in files])


if __name__ == "__main__":
    main()
