"""A reproduction that was kept without labels, and goes on from there: scripts/restore_reproduction.py."""

import copy
import importlib.util
import json
from dataclasses import replace
from pathlib import Path

import pytest

from barthes.cache import ScoreCache
from barthes_research.corpora.rocstories import RocStories
from barthes_research.reproduction.experiment import ReproductionSettings
from barthes_research.reproduction.modes import MODES
from barthes_research.reproduction.reproduce import reproduce
from research.tests.reproduction.tales import write_stories

SCRIPTS = Path(__file__).parents[2] / "scripts"
TEXT = "The wolf came. The girl ran. The wolf slept. Then it rained. The girl laughed."


def load_script(name):
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def script():
    return load_script("restore_reproduction")


@pytest.fixture(params=MODES)
def settings(request, corpus, models, tmp_path):
    stories = RocStories(write_stories(tmp_path / "stories.jsonl", [TEXT, TEXT.replace("girl", "king")]))
    return ReproductionSettings(corpus, models, MODES[request.param], stories, permutations=12)


def keep(settings, cache):
    strip = load_script("keep_reproduction").strip
    return json.loads(json.dumps(strip(reproduce(settings, cache).to_dict())))


def count_reads(settings):
    return {setting: model.reads for setting, model in settings.models.items()}


def test_what_was_kept_need_not_be_computed_again(script, settings, cache, tmp_path):
    kept = keep(settings, cache)
    before = count_reads(settings)
    other = ScoreCache(tmp_path / "restored.sqlite3")
    lines = script.restore(kept, settings, other)
    assert [line.split(":")[0] for line in lines] == [
        *(
            f"{name}, {each}"
            for name in ("table2", "perplexity")
            for each in ("none", "domain", "transductive")
        ),
        "ordering, none",
        "deletion, none",
    ]
    again = reproduce(settings, other).to_dict()
    assert again == reproduce(settings, cache).to_dict()
    reads = count_reads(settings)
    assert all(reads[setting] == before[setting] for setting in ("domain", "transductive"))
    assert 0 < reads[None] - before[None] < before[None] / 2  # Cinderella


def test_another_model_is_added(script, settings, cache, tmp_path):
    models = dict(settings.models)
    alone = replace(settings, models={None: models[None]})
    kept = keep(alone, cache)
    other = ScoreCache(tmp_path / "restored.sqlite3")
    script.restore(kept, alone, other)
    before = models[None].reads
    both = replace(settings, models={None: models[None], "domain": models["domain"]})
    added = reproduce(both, other).to_dict()
    assert added == reproduce(both, cache).to_dict()
    assert models[None].reads - before < before / 2
    assert added["scores"]["story1"]["domain"]["sd"]


def test_scores_of_a_first_model_that_failed_are_not_mistaken(script, settings, cache, tmp_path):
    """The scores without a name are those of the first model that was run, not the first that was given."""
    models = dict(settings.models)
    alone = replace(settings, models={"domain": models["domain"]})
    kept = keep(alone, cache)
    kept["models"]["none"] = {"name": "model of None", "fingerprint": models[None].fingerprint}
    both = replace(settings, models={each: models[each] for each in (None, "domain")})
    lines = script.restore(kept, both, ScoreCache(tmp_path / "restored.sqlite3"))
    assert [line.split(":")[0] for line in lines][:1] == ["table2, domain"]


def test_a_model_fine_tuned_elsewhere_is_passed_over(script, settings, cache, tmp_path, monkeypatch, capsys):
    """Training on another processor gives other last digits; the other models' results are still good."""

    class Here:
        def __init__(self, name, **options):
            self.fingerprint = "other" if name == "model of transductive" else prints[name]

        def release(self):
            pass

    kept = keep(settings, cache)
    prints = {model["name"]: model["fingerprint"] for model in kept["models"].values()}
    for model in kept["models"].values():
        model.setdefault("dtype", "float32")
    monkeypatch.setattr(script, "DeferredModel", Here)
    found = script.find_models(kept, cache)
    assert list(found) == [None, "domain"]
    told = capsys.readouterr().out
    assert "skipping model of transductive (transductive): it has other weights here" in told


def test_results_of_something_else_are_refused(script, settings, cache, tmp_path):
    kept = keep(settings, cache)
    changes = {
        "Barthes was 0.0.1": lambda kept: kept.update(barthes="0.0.1"),
        "parser was none": lambda kept: kept["settings"].update(parser="none"),
        "fingerprint of model of domain was f": lambda kept: kept["models"]["domain"].update(fingerprint="f"),
        "corpus was": lambda kept: kept["settings"]["sha256"]["corpus"].clear(),
        "revision was 0": lambda kept: kept.update(revision=0),
        "table2 .none. are damaged": lambda kept: kept["scores"]["story1"]["sd"].pop(),
        "deletion .none. are damaged": lambda kept: kept["deletion"]["scores"].pop(),
    }
    for told, change in changes.items():
        changed = copy.deepcopy(kept)
        change(changed)
        with pytest.raises(SystemExit, match=told):
            script.restore(changed, settings, ScoreCache(tmp_path / "restored.sqlite3"))
    assert not (tmp_path / "restored.sqlite3").exists()
