"""Compare asking a model (`ask`) with `sd`, `readers` and cheap cues on samples of labelled corpora.

    python research/benchmarks/why_not_ask.py --corpus rocstories-salience=val.json --stories 100 \\
        --model smollm2-135m ask sd readers length position --out why-not-ask.json

The figures of one model and corpus are added to the file. Measures are Spearman's correlation with the grades
and MAP, with 95 % bootstrap intervals over stories. A sample is the first stories in a random order (seed 0).
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path

from barthes.cache import ScoreCache
from barthes.corpora import open_corpus
from barthes.evaluation.corpus import Corpus, Labelled
from barthes.evaluation.evaluate import evaluate
from barthes.models.loading import load_model
from barthes.version import __version__

MEASURES = ("spearman", "map")


class Sample:
    """A random sample of the stories of a corpus."""

    def __init__(self, corpus: Corpus, count: int) -> None:
        self.name, self.labelling = corpus.name, corpus.labelling
        self.problems, self.annotate, self.tokenize = corpus.problems, corpus.annotate, corpus.tokenize
        stories = list(corpus)
        random.Random(0).shuffle(stories)
        self._stories = stories[: count or None]

    def __iter__(self) -> Iterator[Labelled]:
        return iter(self._stories)

    def __len__(self) -> int:
        return len(self._stories)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("methods", nargs="+")
    parser.add_argument("--corpus", required=True, metavar="KIND=PATH")
    parser.add_argument("--stories", type=int, default=0, help="size of the sample; 0 for all")
    parser.add_argument("--model", default="smollm2-135m")
    parser.add_argument("--name", help="name of the model in the results")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()

    sample = Sample(open_corpus(given.corpus), given.stories)
    model = load_model(given.model, dtype="auto" if "://" in given.model else given.dtype)
    started = time.monotonic()
    found = evaluate(given.methods, sample, model=model, cache=ScoreCache(), seeds=1)
    entry = {
        "corpus": sample.name,
        "stories": len(sample),
        "sentences": sum(len(story.narrative) for story in sample),
        "model": given.name or given.model,
        "precision": model.precision,
        "barthes": __version__,
        "seconds": round(time.monotonic() - started, 1),
        "methods": {
            row.method: {
                name: {"value": row.figures[name].value, "interval": row.figures[name].interval}
                for name in MEASURES
            }
            for row in found.rows
        },
    }
    known = json.loads(given.out.read_text(encoding="utf-8")) if given.out.exists() else []
    given.out.write_text(json.dumps([*known, entry], indent=1) + "\n", encoding="utf-8")
    for name, figures in entry["methods"].items():
        print(name, {measure: round(figure["value"], 3) for measure, figure in figures.items()})


if __name__ == "__main__":
    main()
