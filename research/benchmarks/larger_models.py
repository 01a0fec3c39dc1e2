"""Score labelled corpora with models of several sizes, and compare their agreement with people.

Usage::

    python benchmarks/larger_models.py score --corpus rocstories-salience=val.json --folder SCORES \\
        --model gemma-3-270m=gemma.gguf --methods sd pmi paa [--horizon 72] [--third] [--minutes 30]
    python benchmarks/larger_models.py summary --corpus rocstories-salience=val.json --corpus … \\
        --folder SCORES --json results/larger-models.json

`score` writes one JSON file per corpus and model with the scores and the log-probability of each story (no
text), after every story; a second run scores what is missing. Stories are scored in a fixed random order, so
that an interrupted run leaves a random sample. `--third` takes every third story (of Hippocorpus: all stories
of every third HITId).

`summary` measures for each corpus and method the agreement of each model on the stories that all models have
scored, and the difference to the smallest model with interval and p.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from cues import NamedCue

import barthes
from barthes.annotation.annotator import annotate
from barthes.evaluation.corpus import Corpus, Labelled, StoryCollection
from barthes.evaluation.evaluate import evaluate
from barthes.evaluation.measures import compare
from barthes.evaluation.opening import check_corpus, open_corpus
from barthes.evaluation.result import save_json, to_plain
from barthes.evaluation.significance import describe_p
from barthes.models.language_model import FloatArray, LanguageModel, Reading
from barthes.removal.anonymization import Anonymizer
from barthes.removal.removal import delete_sentences
from barthes.salience.mutual_information import MutualInformation
from barthes.salience.removal_method import RemovalMethod
from barthes_research.bench.measures import choose_measures, gain
from barthes_research.perplexity import measure_likelihood

METHODS = ("sd", "paa", "pmi")
CHEAP = ("position", "position-desc", "length", "words", "centroid")
SEEDS = 100


class SharedModel:
    """A model that keeps its last reading, because all methods read the same story."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._tokens: list[int] = []
        self._reading: Reading | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def read(self, tokens: Sequence[int]) -> Any:
        """Read a text, unless the last text starts with it."""
        ids = list(tokens)
        if self._reading is None or ids != self._tokens[: len(ids)]:
            self._tokens, self._reading = ids, self._model.read(ids)
        return self._reading if ids == self._tokens else Beginning(self._reading, len(ids))


class Beginning:
    """The log-probabilities of the first tokens of a reading; later tokens do not change them."""

    def __init__(self, reading: Reading, length: int) -> None:
        self.log_probabilities: FloatArray = reading.log_probabilities[: length - 1]


class Part(StoryCollection):
    """Some stories of a corpus."""

    def __init__(self, corpus: Corpus, names: Collection[str]) -> None:
        self.name, self.labelling = corpus.name, corpus.labelling
        super().__init__([each for each in corpus if each.name in names], (), where="", remedy="")


def measure(
    name: str, model: LanguageModel, story: barthes.Narrative, horizon: int | None
) -> Sequence[float]:
    """Return the scores of a story; later losses than those within the horizon count as 0."""
    if name == "pmi":
        return MutualInformation(model).measure(story).scores
    removal = delete_sentences if name == "sd" else Anonymizer(annotate, arguments=True)
    method = RemovalMethod(model, removal)
    task = replace(method.prepare(story), horizon=horizon)
    return method.summarize(task, method.measure_task(task)).scores


def choose(corpus: Corpus, *, third: bool) -> list[Labelled]:
    """Return the stories to score, in a fixed random order."""
    stories = sorted(corpus, key=lambda story: story.name)
    if third:
        groups = {story.name: story.group or story.name for story in stories}
        kept = set(sorted(set(groups.values()))[::3])
        stories = [story for story in stories if groups[story.name] in kept]
    random.Random(0).shuffle(stories)
    return stories


def find_file(folder: Path, corpus: str, model: str) -> Path:
    return folder / f"{check_corpus(corpus)[0]}-{model}.json"


def score(arguments: argparse.Namespace) -> None:
    """Score all stories that the model's file lacks."""
    import torch

    torch.set_num_threads(arguments.threads)
    name, _, path = arguments.model.partition("=")
    loaded = barthes.load_model(path or name, dtype=arguments.dtype)
    settings = {
        "model": name,
        "fingerprint": loaded.fingerprint,
        "precision": loaded.precision,
        "horizon": arguments.horizon,
    }
    file = find_file(arguments.folder, arguments.corpus, name)
    kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {**settings, "stories": {}}
    if {key: kept[key] for key in settings} != settings:
        raise SystemExit(f"{file} was made with other settings; choose another folder.")
    model = SharedModel(loaded)
    began = time.monotonic()
    stories = choose(open_corpus(arguments.corpus), third=arguments.third)
    for place, story in enumerate(stories, start=1):
        if time.monotonic() - began > 60 * arguments.minutes:
            break
        found = kept["stories"].setdefault(story.name, {})
        missing = [method for method in METHODS if method in set(arguments.methods) - found.keys()]
        for method in missing:
            scores = measure(method, model, story.narrative, arguments.horizon)
            found[method] = [round(value, 9) for value in scores]
        if "tokens" not in found:
            sentences = [str(sentence) for sentence in story.narrative]
            likelihood = measure_likelihood(model, sentences)
            found["characters"] = len(" ".join(sentences))
            found["tokens"] = likelihood.tokens
            found["log_probability"] = round(likelihood.log_probability, 6)
        if missing:
            save_json(kept, file)
            spent = (time.monotonic() - began) / 60
            print(f"{file.stem}: {place} of {len(stories)} stories, {spent:.1f} minutes", flush=True)


def summarize(arguments: argparse.Namespace) -> None:
    """Print a table for each corpus, and write the figures with the scores that they follow from."""
    result: dict[str, Any] = {"barthes": barthes.__version__, "corpora": []}
    for text in arguments.corpus:
        files = [find_file(arguments.folder, text, name) for name in arguments.models]
        models = [json.loads(file.read_text(encoding="utf-8")) for file in files if file.exists()]
        found = {"corpus": check_corpus(text)[0], **compare_models(open_corpus(text), models)}
        result["corpora"].append(found)
        print(f"{found['corpus']} ({found['measure']}, horizon {found['horizon']})")
        print("\n".join([*tabulate(found), *tabulate_fit(found)]))
    save_json(to_plain(result), arguments.json)


def compare_models(corpus: Corpus, models: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the figures of models on the same stories of a corpus, compared with the first model."""
    measure = choose_measures(corpus)[0]
    tables = []
    for method in METHODS:
        stories = [find_scored(each, method) for each in models]
        for common in sorted({each & stories[0] for each in stories}, key=len, reverse=True):
            same = [each for each, scored in zip(models, stories, strict=True) if common <= scored]
            if len(common) > 1 and len(same) > 1:
                tables.append(
                    {"method": method, **measure_models(method, measure, Part(corpus, common), same)}
                )
    return {
        "measure": measure,
        "horizon": models[0]["horizon"],
        "tables": tables,
        "fit": measure_fit(models),
        "models": list(models),
    }


def find_scored(model: dict[str, Any], method: str) -> frozenset[str]:
    return frozenset(name for name, found in model["stories"].items() if method in found)


def measure_models(
    method: str, measure: str, corpus: Part, models: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Return the agreement of models by one method, of chance and of methods without a model."""
    names = {story.narrative: story.name for story in corpus}
    cues = [
        NamedCue(model["model"], lambda story, model=model: np.array(model["stories"][names[story]][method]))
        for model in models
    ]
    found = evaluate([*cues, *CHEAP], corpus, measures=(measure,), seeds=SEEDS)
    figures = {row.method: row.figures[measure] for row in found.rows}
    first = figures[models[0]["model"]]
    rows = [
        {
            "model": model["model"],
            **figures[model["model"]].to_dict(),
            "difference": gain(figures[model["model"]].per_story, first.per_story),
            "p": compare(figures[model["model"]].per_story, first.per_story)["permutation"],
        }
        for model in models
    ]
    for row in rows:
        difference = row.pop("difference")
        row |= {"difference": difference.value, "difference_interval": difference.interval}
    cheap = {name: figures[name].value for name in CHEAP}
    return {"stories": len(corpus), "chance": found.random, "rows": rows, "without_model": cheap}


def measure_fit(models: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return how well each model predicts the stories that all have read; lower is better."""
    common = frozenset.intersection(*(find_scored(model, "log_probability") for model in models))
    rows = []
    for model in models:
        read = [model["stories"][name] for name in common]
        lost = -math.fsum(story["log_probability"] for story in read)
        rows.append(
            {
                "model": model["model"],
                "stories": len(read),
                "nats_per_character": lost / sum(story["characters"] for story in read),
                "perplexity": math.exp(lost / sum(story["tokens"] for story in read)),
            }
        )
    return rows


def tabulate(found: dict[str, Any]) -> list[str]:
    """Return the rows of the Markdown table of a corpus."""
    lines = []
    for table in found["tables"]:
        for place, row in enumerate(table["rows"]):
            low, high = row["interval"]
            cells = [f"`{table['method']}`", row["model"], str(table["stories"]), f"{row['value']:.3f}"]
            cells += [f"{low:.3f} to {high:.3f}", "", ""]
            if place:
                low, high = row["difference_interval"]
                cells[-2:] = [f"{row['difference']:+.3f} ({low:+.3f} to {high:+.3f})", describe_p(row["p"])]
            lines.append(f"| {' | '.join(cells)} |".replace("-0.", "−0."))
    return lines


def tabulate_fit(found: dict[str, Any]) -> list[str]:
    """Return the rows of the Markdown table of how well models predict the stories of a corpus."""
    return [
        f"| {found['corpus']} | {row['model']} | {row['stories']} | {row['nats_per_character']:.3f}"
        f" | {row['perplexity']:.1f} |"
        for row in found["fit"]
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    scoring = commands.add_parser("score")
    scoring.set_defaults(run=score)
    scoring.add_argument("--corpus", required=True, metavar="KIND=PATH")
    scoring.add_argument("--model", required=True, metavar="NAME[=PATH]")
    scoring.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    scoring.add_argument("--horizon", type=int, help="tokens rescored after each sentence (default: all)")
    scoring.add_argument("--third", action="store_true", help="every third story or HITId only")
    scoring.add_argument("--minutes", type=float, default=math.inf, help="start no story after that")
    scoring.add_argument("--dtype", default="auto")
    scoring.add_argument("--threads", type=int, default=1)
    scoring.add_argument("--folder", type=Path, required=True)
    summary = commands.add_parser("summary")
    summary.set_defaults(run=summarize)
    summary.add_argument("--corpus", action="append", required=True, metavar="KIND=PATH")
    summary.add_argument("--models", nargs="+", required=True, help="names, the smallest first")
    summary.add_argument("--folder", type=Path, required=True)
    summary.add_argument("--json", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
