#!/usr/bin/env python3
"""Score the ProppLearner tales with sentence deletion and the two anonymizations, and keep the scores.

    python benchmarks/propplearner.py --out docs/results [--methods sd va paa] [--corpus FOLDER]

One JSON file a method: the settings, the scores of every sentence of every tale (no text), and the mean
average precision under both label rules. Tales are written as they are finished and a second run goes on
with those that are missing. VA and PAA use the corpus's own annotation, as the paper did.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

from sklearn.metrics import average_precision_score

import barthes
from barthes.baselines.frequencies import DocumentFrequencies
from barthes.corpora import ProppLearner, Tale
from barthes.files import write_atomically
from barthes.narrative import Narrative
from barthes.salience.combination import scale_to_unit
from barthes.salience.method import Method

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("BARTHES_SHARED", ROOT.parent / "shared"))


def build(name: str, model: barthes.LanguageModel, tale: Tale) -> Method:
    from barthes.salience.predicate_argument_anonymization import PredicateArgumentAnonymization
    from barthes.salience.verb_anonymization import VerbAnonymization

    def gold(narrative: Narrative) -> Any:
        return tale.annotation

    if name == "va":
        return VerbAnonymization(model, annotate=gold)
    if name == "paa":
        return PredicateArgumentAnonymization(model, annotate=gold)
    return barthes.SentenceDeletion(model)


def mean_average_precision(scores: dict[str, list[float]], corpus: ProppLearner) -> float:
    each = [average_precision_score(tale.labels, scores[tale.name]) for tale in corpus]
    return float(sum(each) / len(each))


def summarise(result: dict[str, Any], path: Path) -> dict[str, float]:
    """MAP alone and with TF-IDF (document frequencies of the corpus), by label rule."""
    found = {}
    for rule in ("paper", "corrected"):
        corpus = ProppLearner(path, rule=rule)
        frequencies = DocumentFrequencies.from_narratives([tale.narrative for tale in corpus])
        scores = result["tales"]
        summed = {
            tale.name: [
                a + b
                for a, b in zip(
                    scale_to_unit(scores[tale.name]),
                    scale_to_unit(barthes.TfIdf(frequencies).score(tale.narrative).scores),
                    strict=True,
                )
            ]
            for tale in corpus
        }
        found[rule] = mean_average_precision(scores, corpus)
        found[f"{rule}+tfidf"] = mean_average_precision(summed, corpus)
    return found


def score(name: str, model: Any, path: Path, out: Path) -> dict[str, Any]:
    corpus = ProppLearner(path)
    settings = {
        "corpus": "propplearner",
        "method": name,
        "model": model.name,
        "fingerprint": model.fingerprint,
        "dtype": str(model.products).removeprefix("torch."),
        "barthes": barthes.__version__,
        "unit": "nats per token",
    }
    file = out / f"propplearner-{model.name}-{name}.json"
    result: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    if {key: result.get(key) for key in settings} != settings:
        result = settings | {"tales": {}}
    for tale in sorted(corpus, key=lambda tale: len(tale.narrative.text)):
        if tale.name not in result["tales"]:
            profile = build(name, model, tale).score(tale.narrative)
            result["tales"][tale.name] = [round(value, 6) for value in profile.scores]
            write_atomically(file, json.dumps(result) + "\n")
            print(name, tale.name, len(profile.scores), flush=True)
    result["map"] = summarise(result, path)
    write_atomically(file, json.dumps(result) + "\n")
    return result


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--corpus", type=Path, default=SHARED / "data" / "propplearner")
    ask.add_argument("--methods", nargs="+", default=["sd", "va", "paa"], choices=["sd", "va", "paa"])
    ask.add_argument("--model", default="smollm2-135m")
    ask.add_argument("--out", type=Path, required=True)
    said = ask.parse_args()
    said.out.mkdir(parents=True, exist_ok=True)
    model = barthes.load_model(said.model)
    for name in said.methods:
        print(name, score(name, model, said.corpus, said.out)["map"], flush=True)


if __name__ == "__main__":
    main()
