"""All experiments in one run."""

import hashlib
import json
from dataclasses import replace

import pytest

from barthes.annotation.pipeline import check_english, describe_parser
from barthes.cache import ScoreCache
from barthes.errors import ModelError, UnknownNameError
from barthes.models.deferred import DeferredModel
from barthes_research.corpora import ProppLearner
from barthes_research.corpora.rocstories import RocStories
from barthes_research.reproduction.experiment import ReproductionSettings
from barthes_research.reproduction.modes import MODES
from barthes_research.reproduction.page import render_markdown
from barthes_research.reproduction.reproduce import EXPERIMENTS, check_parser, choose_experiments, reproduce
from research.tests.reproduction.tales import AskedModel, write_stories, write_tale

PAPER = MODES["paper"]
TEXT = "The wolf came. The girl ran. The wolf slept. Then it rained. The girl laughed."


@pytest.fixture(params=MODES)
def settings(request, corpus, model, tmp_path):
    path = write_stories(tmp_path / "stories.jsonl", [TEXT, TEXT.replace("girl", "king")])
    return ReproductionSettings(
        corpus, {None: model}, MODES[request.param], RocStories(path), permutations=12
    )


def list_run(plain):
    return [name for name in EXPERIMENTS if plain[name] is not None]


def test_everything_is_there(settings, cache, tmp_path):
    found = reproduce(settings, cache)
    plain = json.loads(found.to_json())
    assert plain == found.to_dict()
    assert list_run(plain) == list(EXPERIMENTS)
    assert plain["mode"] == settings.mode.name
    expected = {"name": "counting", "fingerprint": settings.models[None].fingerprint}
    assert plain["models"] == {
        "none": expected | {"dtype": "float64", "device": "cpu"},
        "domain": None,
        "transductive": None,
    }
    assert plain["settings"]["permutations"] == 12
    assert plain["settings"]["parser"] == describe_parser()
    assert plain["settings"]["labels"] == "paper"
    assert plain["settings"]["window"] == settings.mode.window
    assert plain["settings"]["stories"] == {"read": 2, "of": 2}
    assert plain["settings"]["sha256"] == {
        "corpus": {
            f"story{n}.sty": hashlib.sha256((tmp_path / "tales" / f"story{n}.sty").read_bytes()).hexdigest()
            for n in (1, 2, 3)
        },
        "stories": hashlib.sha256((tmp_path / "stories.jsonl").read_bytes()).hexdigest(),
    }
    for tale in settings.corpus:
        told = plain["ordering"]["log_probabilities"][tale.name]["told"]
        assert plain["perplexity"]["rows"][0]["per_story"][tale.name]["log_probability"] == told
    assert set(plain["versions"]) >= {"torch", "python", "transformers"}
    assert list(plain["scores"]) == ["story1", "story2", "story3"]
    assert any(plain["settings"]["likelihood_window"] in note for note in plain["notes"])
    assert not any("in the file" in note for note in plain["notes"])
    assert "0.261" in render_markdown(plain)


@pytest.mark.parametrize("name", [None, "table1", "ordering"])
def test_a_second_run_reads_nothing_and_is_the_same_to_the_byte(settings, cache, name):
    """Also if only some is asked for: a full report is never replaced by a poorer one."""
    whole = reproduce(settings, cache).to_json()
    reads, stored = settings.models[None].reads, cache.stored
    only = None if name is None else (name,)
    assert reproduce(replace(settings, only=only), cache).to_json() == whole
    assert (settings.models[None].reads, cache.stored) == (reads, stored)


@pytest.mark.parametrize("share", [0.0, 0.4, 0.95])
def test_interrupted_anywhere_it_goes_on(settings, cache, tmp_path, share):
    whole = reproduce(settings, cache).to_json()
    patience = int(settings.models[None].reads * share)
    texts = [tale.narrative.text for tale in settings.corpus]
    with ScoreCache(tmp_path / "other.sqlite3") as other:
        with pytest.raises(KeyboardInterrupt):
            reproduce(replace(settings, models={None: AskedModel(texts, patience=patience)}), other)
        assert reproduce(replace(settings, models={None: AskedModel(texts)}), other).to_json() == whole


def test_without_model_and_stories_the_rest_is_run_and_the_reasons_are_given(corpus, model, cache):
    plain = reproduce(ReproductionSettings(corpus, {}, PAPER), cache).to_dict()
    assert list_run(plain) == ["table1", "table2"]
    assert "perplexity was not run: no language model was given." in plain["notes"]
    assert plain["models"] == {"none": None, "domain": None, "transductive": None}
    given = ReproductionSettings(
        corpus, {None: model}, PAPER, absent="stories.jsonl is not there", only=("deletion",)
    )
    plain = reproduce(given, cache).to_dict()
    assert list_run(plain) == ["table1"], "which needs nothing"
    assert "deletion was not run: stories.jsonl is not there." in plain["notes"]
    assert "ordering was not run: not requested." in plain["notes"]


def test_only_what_is_asked_for_is_run(corpus, model, cache):
    plain = reproduce(ReproductionSettings(corpus, {None: model}, PAPER, only=("table1",)), cache).to_dict()
    assert list_run(plain) == ["table1"]
    assert plain["models"]["none"] is None
    assert plain["scores"] is None
    assert model.reads == 0
    with pytest.raises(UnknownNameError, match="Did you mean 'table2'"):
        choose_experiments(["tabel2"])


class Unloadable(DeferredModel):
    """A model of which nothing is known that would not have to be loaded."""

    def load(self):
        raise AssertionError("loaded")


def test_models_that_are_not_needed_are_not_loaded(corpus, model, cache):
    settings = ReproductionSettings(corpus, {None: Unloadable("tiny", cache=cache)}, PAPER, only=("table1",))
    assert list_run(reproduce(settings, cache).to_dict()) == ["table1"]
    both = {"domain": Unloadable("domain"), None: model}
    settings = ReproductionSettings(corpus, both, PAPER, only=("ordering", "cinderella"), permutations=2)
    plain = reproduce(settings, cache).to_dict()
    assert plain["models"]["domain"] is None
    assert plain["ordering"]["pairs"] == 6


@pytest.fixture
def long_tale(tmp_path):
    """A corpus whose first sentence is too long for a model that reads 32 tokens at once."""
    folder = tmp_path / "long"
    folder.mkdir()
    write_tale(folder, "story1", ["the wolf " * 30 + ".", "it rained .", "the wolf ate ."], {2})
    return ProppLearner(folder)


def test_a_tale_that_does_not_fit_one_model_costs_the_rows_of_that_model(long_tale, cache):
    from tests.tiny_models import tiny_model

    models = {None: tiny_model(context=32), "domain": AskedModel(["the wolf ate ."])}
    only = ("table2", "perplexity", "cinderella")
    found = reproduce(ReproductionSettings(long_tale, models, PAPER, only=only), cache)
    plain = found.to_dict()
    proposed = [row for row in plain["table2"]["rows"] if row["method"] in ("sd", "va", "paa")]
    for fine_tuning, status in [(None, "not run"), ("domain", "run"), ("transductive", "not run")]:
        assert {row["status"] for row in proposed if row["fine_tuning"] == fine_tuning} == {status}
    assert [row["perplexity"] is None for row in plain["perplexity"]["rows"]] == [False, False, True]
    [note] = [note for note in found.failures if note.startswith("table2")]
    assert note.startswith("table2 with tiny-llama (no fine-tuning) was not run: ")
    assert "--window" not in note  # the command has no such option
    assert note in plain["notes"]
    assert plain["scores"]["story1"]["sd"]
    alone = ReproductionSettings(long_tale, {"domain": models[None]}, PAPER, only=("table2",))
    found = reproduce(alone, cache)
    statuses = [row["status"] for row in found.to_dict()["table2"]["rows"]]
    assert statuses == ["run"] * 4 + ["not run"] * 18
    assert found.failures[0].startswith("table2 with tiny-llama (fine-tuning: domain) was not run: ")


class Unusable(AskedModel):
    """Has no room for a text."""

    def read(self, tokens):
        raise ModelError("there is not enough memory.")


def test_a_model_that_cannot_be_used_leaves_the_other_settings_and_pages(corpus, cache):
    models = {None: Unusable(["the wolf ate ."]), "domain": AskedModel(["the wolf ate ."])}
    only = ("table1", "table2", "perplexity", "ordering")
    found = reproduce(ReproductionSettings(corpus, models, PAPER, only=only, permutations=2), cache)
    plain = found.to_dict()
    assert list_run(plain) == ["table1", "table2", "perplexity"], "ordering asks the first model"
    status = {(row["method"], row["fine_tuning"]): row["status"] for row in plain["table2"]["rows"]}
    assert (status["sd", None], status["sd", "domain"]) == ("not run", "run")
    assert [row["perplexity"] is None for row in plain["perplexity"]["rows"]] == [True, False, True]
    assert len(found.failures) == 3
    assert "not enough memory" in render_markdown(plain)


def test_the_parser_is_looked_for_before_the_work(settings, monkeypatch):
    monkeypatch.setattr("barthes_research.reproduction.reproduce.check_english", lambda: check_english(()))
    check_parser(settings, ["table1", "perplexity", "ordering", "cinderella"])
    check_parser(replace(settings, models={}), list(EXPERIMENTS))
    needing = ["deletion"] if settings.mode.follows_formula else ["deletion", "table2"]
    for name in needing:
        with pytest.raises(ModelError, match="pip install"):
            check_parser(settings, [name])
    if settings.mode.follows_formula:
        check_parser(settings, ["table2"])


def test_tales_without_a_salient_sentence_are_left_out_and_said(tmp_path, model, cache):
    folder = tmp_path / "none"
    folder.mkdir()
    write_tale(folder, "story1", ["the wolf came .", "it rained ."], {0})
    write_tale(folder, "story2", ["the wolf came .", "it rained .", "the king slept ."], set())
    write_tale(folder, "story3", ["the wolf came .", "it rained ."], {0, 1})
    settings = ReproductionSettings(ProppLearner(folder), {None: model}, PAPER, only=("table2",))
    plain = reproduce(settings, cache).to_dict()
    [position] = [row for row in plain["table2"]["rows"] if row["method"] == "position"]
    assert position["per_story"] == {"story1": 0.5, "story2": None, "story3": 1.0}
    assert position["ours"] == 0.75
    assert any("without a salient sentence" in note for note in plain["notes"])
