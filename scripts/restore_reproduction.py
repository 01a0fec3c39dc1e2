"""Put the results of a kept reproduction back where `barthes reproduce` looks for them.

    python scripts/restore_reproduction.py docs/results/reproduction-paper.json --corpus PROPPLEARNER \\
        --rocstories stories.jsonl --out paper/
    barthes reproduce --corpus propplearner=PROPPLEARNER --rocstories stories.jsonl \\
        --domain-model folktale --dtype float32 --out paper/

So a row of another model can be added to its tables without the hours that the others took. Results count
only for the same version and revision of Barthes, the same files, parser and weights: else nothing is
written. They are for the precision that they were computed in, which is printed: ask for it by --dtype.
Cinderella, which takes seconds, is left to be computed again. Models that cannot be loaded any more, such as
a folder of another machine, are passed over, and named; so are fine-tuned ones that have other weights here.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from barthes.corpora.propplearner import ProppLearner
from barthes.corpora.rocstories import RocStories
from barthes.errors import BarthesError
from barthes.evaluation.identity import REVISION, Identity
from barthes.evaluation.model_identity import DeferredModel
from barthes.evaluation.store import ScoreStore
from barthes.evaluation.stored_method import Outcome
from barthes.reproduction.experiments import CATALOGUE
from barthes.reproduction.models import Lineup, describe_models, name_setting
from barthes.reproduction.modes import find_mode
from barthes.reproduction.published import FINE_TUNINGS
from barthes.reproduction.settings import Settings
from barthes.version import __version__

Kept = Mapping[str, Any]
"""What `scripts/keep_reproduction.py` wrote."""


def restore(kept: Kept, settings: Settings, store: ScoreStore) -> list[str]:
    """Write into the store what the kept results say of the models of these settings.

    Returns:
        A line for each experiment and setting that was restored.

    Raises:
        SystemExit: They are results of something else.
    """
    check(kept, settings)
    lines, results = [], []
    for name, recall in RECALL.items():
        if kept[name] is None or CATALOGUE[name].find_missing(settings):
            continue
        for setting, works in CATALOGUE[name].plan(settings).items():
            found = [
                (work, identity, recall(kept, setting, identity))
                for work in works
                for identity in work.identities
            ]
            if any(value is None for _, _, value in found):
                continue
            if not all(work.check(value) for work, _, value in found):
                raise SystemExit(f"what is kept of {name} ({name_setting(setting)}) is damaged")
            results += [(identity, value) for _, identity, value in found]
            lines.append(f"{name}, {name_setting(setting)}: {len(found)} results")
    for identity, value in results:
        store.keep(identity, value)
    return lines


def check(kept: Kept, settings: Settings) -> None:
    """Stop where the kept results are of another version, other files, another parser or other weights."""
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
    for setting, model in describe_models(settings.models).items():
        if model is not None:
            named = f"fingerprint of {model['name']}"
            pairs[named] = (kept["models"][setting]["fingerprint"], model["fingerprint"])
    for what, (old, new) in pairs.items():
        if old != new:
            raise SystemExit(f"the kept results are of something else: {what} was {old}, and is {new}")


def _recall_salience(kept: Kept, setting: str | None, identity: Identity) -> dict[str, Any] | None:
    tale = kept["scores"][identity.story]
    run = {row["fine_tuning"] for row in kept["table2"]["rows"] if row["status"] == "run" and row["tfidf"]}
    first = next((each for each in FINE_TUNINGS if each in run), None)  # its scores stand without its name
    scores = (tale if setting == first else tale.get(name_setting(setting), {})).get(identity.method)
    return None if scores is None else Outcome(tuple(scores), kept["settings"]["window"]).to_dict()


def _recall_likelihood(kept: Kept, setting: str | None, identity: Identity) -> dict[str, Any] | None:
    [row] = (row for row in kept["perplexity"]["rows"] if row["fine_tuning"] == setting)
    return None if row["per_story"] is None else dict(row["per_story"][identity.story])


def _recall_ordering(kept: Kept, setting: str | None, identity: Identity) -> Any:
    if kept["ordering"]["fine_tuning"] != setting:
        return None
    if not identity.part:
        return _recall_likelihood(kept, setting, identity)
    first, last = map(int, identity.part.split("-"))
    return kept["ordering"]["log_probabilities"][identity.story]["shuffled"][first - 1 : last]


def _recall_deletion(kept: Kept, setting: str | None, identity: Identity) -> Any:
    if kept["deletion"]["fine_tuning"] != setting:
        return None
    first, last = map(int, identity.story.split("-"))
    return kept["deletion"]["scores"][first - 1 : last]


RECALL: dict[str, Callable[[Kept, str | None, Identity], Any]] = {
    "table2": _recall_salience,
    "perplexity": _recall_likelihood,
    "ordering": _recall_ordering,
    "deletion": _recall_deletion,
}
"""What the kept results of an experiment say of one stored result; None where they say nothing."""


def find_models(kept: Kept, memory: Path) -> Lineup:
    """The models of the kept results that can be loaded here."""
    found = {}
    for setting in FINE_TUNINGS:
        known = kept["models"][name_setting(setting)]
        if known is None:
            continue
        model = DeferredModel(known["name"], dtype=known["dtype"], memory=memory)
        try:
            _ = model.fingerprint  # asked for here, so that what is missing is told here
        except BarthesError as error:
            print(f"passed over {known['name']}: {error}")
            continue
        model.release()
        if setting is not None and model.fingerprint != known["fingerprint"]:
            print(f"passed over {known['name']} ({name_setting(setting)}): it has other weights here")
            continue
        print(f"{known['name']} ({name_setting(setting)}): results in {known['dtype']}")
        found[setting] = model
    return Lineup(found)


def main() -> None:
    """Fill the store of a folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kept", type=Path, help="what scripts/keep_reproduction.py wrote")
    parser.add_argument("--corpus", required=True, help="ProppLearner")
    parser.add_argument("--rocstories", type=Path, help="for deletion detection")
    parser.add_argument("--out", type=Path, required=True, help="the folder, as of `barthes reproduce`")
    chosen = parser.parse_args()
    kept = json.loads(chosen.kept.read_text(encoding="utf-8"))
    store = ScoreStore(chosen.out / "scores")
    stories = kept["settings"]["stories"]
    settings = Settings(
        ProppLearner(chosen.corpus, rule=kept["settings"]["labels"]),
        find_models(kept, store.folder),
        find_mode(kept["mode"]),
        stories=chosen.rocstories and RocStories(chosen.rocstories, limit=stories and stories["read"]),
        permutations=kept["settings"]["permutations"],
        seed=kept["settings"]["permutation_seed"],
    )
    print("\n".join(restore(kept, settings, store)))


if __name__ == "__main__":
    main()
