"""Restore the stored results of a reproduction into the cache of `barthes reproduce`.

    python scripts/restore_reproduction.py docs/research/results/reproduction-paper.json \\
        --corpus PROPPLEARNER --rocstories stories.jsonl --out paper/
    barthes reproduce --corpus propplearner=PROPPLEARNER --rocstories stories.jsonl \\
        --domain-model folktale --dtype float32 --out paper/

Rows of another model can then be added without recomputing the others for hours. Nothing is written unless
the version and revision of Barthes, the files, the parser and the weights are the same. The precision of the
stored results is printed; pass it to --dtype. Cinderella takes seconds and is computed again. Models that
cannot be loaded here, and fine-tuned models with other weights here, are skipped with a message.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from barthes.cache import ScoreCache
from barthes.corpora.propplearner import ProppLearner
from barthes.corpora.rocstories import RocStories
from barthes.errors import BarthesError
from barthes.models.deferred import DeferredModel
from barthes.reproduction.document import name_fine_tuning
from barthes.reproduction.experiment import ReproductionSettings
from barthes.reproduction.modes import MODES
from barthes.reproduction.published import FINE_TUNINGS
from barthes.reproduction.reproduce import EXPERIMENTS, describe_models, plan_experiment
from barthes.scorer import REVISION
from barthes.version import __version__

Kept = Mapping[str, Any]
"""The JSON of `scripts/keep_reproduction.py`."""

Key = Mapping[str, Any]
"""The key of a task."""


def restore(kept: Kept, settings: ReproductionSettings, cache: ScoreCache) -> list[str]:
    """Store the kept results for the models of these settings in the cache.

    Returns:
        A line for each experiment and fine-tuning that was restored.

    Raises:
        SystemExit: The results belong to another version, corpus or model.
    """
    check(kept, settings)
    lines, results = [], []
    for name, recall in RECALL.items():
        if kept[name] is None or EXPERIMENTS[name].find_missing(settings):
            continue
        for fine_tuning, tasks in plan_experiment(name, settings).items():
            shown = name_fine_tuning(fine_tuning)
            try:
                found = [(task.key, recall(kept, fine_tuning, task.key)) for task in tasks]
            except ValueError as error:
                raise SystemExit(f"the stored results of {name} ({shown}) are damaged") from error
            if all(value is not None for _, value in found):
                results += found
                lines.append(f"{name}, {shown}: {len(found)} results")
    for key, value in results:
        cache.store(key, value)
    return lines


def check(kept: Kept, settings: ReproductionSettings) -> None:
    """Exit if the kept results belong to another version, other files, another parser or other weights."""
    known, asked = kept["settings"], settings.to_dict()
    pairs = {
        "Barthes": (kept["barthes"], __version__),
        "revision": (kept["revision"], REVISION),
        "mode": (kept["mode"], settings.mode.name),
        "corpus": (known["sha256"]["corpus"], asked["sha256"]["corpus"]),
    }
    if settings.stories is not None:
        pairs["ROCStories"] = (known["sha256"]["stories"], asked["sha256"]["stories"])
    for field in ("parser", "window", "permutations", "permutation_seed"):
        pairs[field] = (known[field], asked[field])
    for fine_tuning, model in describe_models(settings.models).items():
        if model is not None:
            named = f"fingerprint of {model['name']}"
            pairs[named] = (kept["models"][fine_tuning]["fingerprint"], model["fingerprint"])
    for what, (old, new) in pairs.items():
        if old != new:
            raise SystemExit(f"the stored results do not match: {what} was {old} and is now {new}")


def _recall_salience(kept: Kept, fine_tuning: str | None, key: Key) -> dict[str, Any] | None:
    tale = kept["scores"][key["story"]]
    run = {row["fine_tuning"] for row in kept["table2"]["rows"] if row["status"] == "run" and row["tfidf"]}
    first = next((each for each in FINE_TUNINGS if each in run), None)  # its scores are not nested
    found = tale if fine_tuning == first else tale.get(name_fine_tuning(fine_tuning), {})
    if not all(method in found for method in key["methods"]):
        return None
    count = len(tale["tfidf"])
    start, stop = key.get("part", (0, count))
    for method in key["methods"]:
        if len(found[method]) != count:
            raise ValueError(f"{len(found[method])} scores for {count} sentences")
    scores = {method: found[method][start:stop] for method in key["methods"]}
    return {"scores": scores, "window": kept["settings"]["window"], "notes": []}


def _recall_likelihood(kept: Kept, fine_tuning: str | None, key: Key) -> dict[str, Any] | None:
    [row] = (row for row in kept["perplexity"]["rows"] if row["fine_tuning"] == fine_tuning)
    return None if row["per_story"] is None else dict(row["per_story"][key["story"]])


def _recall_ordering(kept: Kept, fine_tuning: str | None, key: Key) -> Any:
    if kept["ordering"]["fine_tuning"] != fine_tuning:
        return None
    if "part" not in key:
        return _recall_likelihood(kept, fine_tuning, key)
    return _cut(kept["ordering"]["log_probabilities"][key["story"]]["shuffled"], key)


def _recall_deletion(kept: Kept, fine_tuning: str | None, key: Key) -> Any:
    return None if kept["deletion"]["fine_tuning"] != fine_tuning else _cut(kept["deletion"]["scores"], key)


def _cut(values: list[Any], key: Key) -> list[Any]:
    start, stop = key["part"]
    if len(values) < stop:
        raise ValueError(f"expected {stop} results, found {len(values)}")
    return values[start:stop]


RECALL: dict[str, Callable[[Kept, str | None, Key], Any]] = {
    "table2": _recall_salience,
    "perplexity": _recall_likelihood,
    "ordering": _recall_ordering,
    "deletion": _recall_deletion,
}
"""Functions that return the kept result of a task, or None, by experiment."""


def find_models(kept: Kept, cache: ScoreCache) -> dict[str | None, DeferredModel]:
    """Return the models of the kept results that can be loaded here."""
    found = {}
    for fine_tuning in FINE_TUNINGS:
        shown = name_fine_tuning(fine_tuning)
        known = kept["models"][shown]
        if known is None:
            continue
        model = DeferredModel(known["name"], dtype=known["dtype"], cache=cache)
        try:
            _ = model.fingerprint  # may load the model
        except BarthesError as error:
            print(f"skipping {known['name']}: {error}")
            continue
        model.release()
        if fine_tuning is not None and model.fingerprint != known["fingerprint"]:
            print(f"skipping {known['name']} ({shown}): it has other weights here")
            continue
        print(f"{known['name']} ({shown}): results in {known['dtype']}")
        found[fine_tuning] = model
    return found


def main() -> None:
    """Restore results into the cache of a folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kept", type=Path, help="JSON of scripts/keep_reproduction.py")
    parser.add_argument("--corpus", required=True, help="ProppLearner")
    parser.add_argument("--rocstories", type=Path, help="for deletion detection")
    parser.add_argument("--out", type=Path, required=True, help="folder, as in `barthes reproduce`")
    chosen = parser.parse_args()
    kept = json.loads(chosen.kept.read_text(encoding="utf-8"))
    stories = kept["settings"]["stories"]
    with ScoreCache(chosen.out / "scores.sqlite3") as cache:
        settings = ReproductionSettings(
            ProppLearner(chosen.corpus, rule=kept["settings"]["labels"]),
            find_models(kept, cache),
            MODES[kept["mode"]],
            stories=chosen.rocstories and RocStories(chosen.rocstories, limit=stories and stories["read"]),
            permutations=kept["settings"]["permutations"],
            seed=kept["settings"]["permutation_seed"],
        )
        print("\n".join(restore(kept, settings, cache)))


if __name__ == "__main__":
    main()
