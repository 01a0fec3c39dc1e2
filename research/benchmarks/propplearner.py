#!/usr/bin/env python3
"""Score the ProppLearner tales with sentence deletion and the two anonymizations, and store the scores.

    python benchmarks/propplearner.py --out results [--methods sd va paa] [--corpus FOLDER]

Writes a JSON file for each method with its settings, the scores of all sentences (no text), and the mean
average precision under both label rules. Tales are scored shortest first and written as they are finished; a
second run scores the missing ones. VA and PAA use the corpus's own annotation, as in the paper.
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
from barthes.files import write_atomically
from barthes.narrative import Narrative
from barthes.salience.combination import scale_to_unit
from barthes.salience.method import Method
from barthes_research.corpora import ProppLearner, Tale

ROOT = Path(__file__).resolve().parents[2]
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
    """Return MAP with and without TF-IDF (document frequencies of the corpus), by label rule."""
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
    """Read the result of an earlier run with the same settings, or start a new one."""
    result: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    same = {key: result.get(key) for key in expected} == expected
    return result if same else expected | {"tales": {}}


def score(job: tuple[str, str, str, Path]) -> tuple[str, str, list[float], float]:
    """Score a tale by a method in a worker process; also return the CPU time."""
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
    return barthes.load_model(model_name, dtype="float32")


def run(arguments: argparse.Namespace) -> None:
    model = load(arguments.model)
    files = {name: arguments.out / f"propplearner-{model.name}-{name}.json" for name in arguments.methods}
    results = {name: open_result(files[name], settings(name, model)) for name in arguments.methods}
    tales = sorted(ProppLearner(arguments.corpus), key=lambda tale: len(tale.narrative.text))
    jobs = [
        (name, tale.name, arguments.model, arguments.corpus)
        for tale in tales
        for name in arguments.methods
        if tale.name not in results[name]["tales"]
    ]
    with ProcessPoolExecutor(arguments.workers, mp_context=get_context("spawn")) as pool:
        for done in as_completed([pool.submit(score, job) for job in jobs]):
            name, tale_name, scores, seconds = done.result()
            results[name]["tales"][tale_name] = scores
            write_atomically(files[name], json.dumps(results[name]) + "\n")
            print(name, tale_name, len(scores), f"sentences, {seconds:.0f} s CPU time", flush=True)
    for name, result in results.items():
        result["tales"] = {tale.name: result["tales"][tale.name] for tale in tales}
        result["map"] = summarise(result, arguments.corpus)
        write_atomically(files[name], json.dumps(result) + "\n")
        print(name, result["map"], flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", type=Path, default=SHARED / "data" / "propplearner")
    parser.add_argument("--methods", nargs="+", default=["sd", "va", "paa"], choices=["sd", "va", "paa"])
    parser.add_argument("--model", default="smollm2-135m")
    parser.add_argument(
        "--workers", type=int, default=os.cpu_count() or 1, help="worker processes (one thread each)"
    )
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    run(arguments)


if __name__ == "__main__":
    main()
