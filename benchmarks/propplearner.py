#!/usr/bin/env python3
"""Score the ProppLearner tales with sentence deletion and the two anonymizations, and keep the scores.

    python benchmarks/propplearner.py --out docs/research/results [--methods sd va paa] [--corpus FOLDER]

One JSON file a method: the settings, the scores of every sentence of every tale (no text), and the mean
average precision under both label rules. Tales are written as they are finished, shortest first, and a
second run goes on with those that are missing. VA and PAA use the corpus's own annotation, as the paper did.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from multiprocessing import get_context
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
    from barthes.salience.removal_method import PredicateArgumentAnonymization, VerbAnonymization

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


def settings(name: str, model: Any) -> dict[str, Any]:
    return {
        "corpus": "propplearner",
        "method": name,
        "model": model.name,
        "fingerprint": model.fingerprint,
        "dtype": str(model.products).removeprefix("torch."),
        "barthes": barthes.__version__,
        "unit": "nats per token",
    }


def open_result(file: Path, expected: dict[str, Any]) -> dict[str, Any]:
    """What an earlier run left, or a new start if it was made in another way."""
    result: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    same = {key: result.get(key) for key in expected} == expected
    return result if same else expected | {"tales": {}}


def score(job: tuple[str, str, str, Path]) -> tuple[str, str, list[float], float]:
    """One tale by one method, in a process of its own; and the processor time that it took."""
    method, tale_name, model_name, path = job
    import torch

    torch.set_num_threads(1)
    model = load(model_name)
    tale = next(tale for tale in ProppLearner(path) if tale.name == tale_name)
    began = time.process_time()
    scores = build(method, model, tale).score(tale.narrative).scores
    return method, tale_name, [round(value, 9) for value in scores], time.process_time() - began


@cache
def load(model_name: str) -> Any:
    return barthes.load_model(model_name)


def run(said: argparse.Namespace) -> None:
    model = load(said.model)
    files = {name: said.out / f"propplearner-{model.name}-{name}.json" for name in said.methods}
    results = {name: open_result(files[name], settings(name, model)) for name in said.methods}
    tales = sorted(ProppLearner(said.corpus), key=lambda tale: len(tale.narrative.text))
    jobs = [
        (name, tale.name, said.model, said.corpus)
        for tale in tales
        for name in said.methods
        if tale.name not in results[name]["tales"]
    ]
    with ProcessPoolExecutor(said.workers, mp_context=get_context("spawn")) as pool:
        for done in as_completed([pool.submit(score, job) for job in jobs]):
            name, tale_name, scores, seconds = done.result()
            results[name]["tales"][tale_name] = scores
            write_atomically(files[name], json.dumps(results[name]) + "\n")
            print(name, tale_name, len(scores), f"sentences, {seconds:.0f} s of one core", flush=True)
    for name, result in results.items():
        result["tales"] = {tale.name: result["tales"][tale.name] for tale in tales}
        result["map"] = summarise(result, said.corpus)
        write_atomically(files[name], json.dumps(result) + "\n")
        print(name, result["map"], flush=True)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--corpus", type=Path, default=SHARED / "data" / "propplearner")
    ask.add_argument("--methods", nargs="+", default=["sd", "va", "paa"], choices=["sd", "va", "paa"])
    ask.add_argument("--model", default="smollm2-135m")
    ask.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes, one core each")
    ask.add_argument("--out", type=Path, required=True)
    said = ask.parse_args()
    said.out.mkdir(parents=True, exist_ok=True)
    run(said)


if __name__ == "__main__":
    main()
