"""All experiments in one run."""

import hashlib
import json
from dataclasses import replace

import pytest

from barthes.annotation.pipeline import check_english, describe_parser
from barthes.corpora import ProppLearner
from barthes.corpora.rocstories import RocStories
from barthes.errors import ModelError, UnknownNameError
from barthes.evaluation.model_identity import DeferredModel
from barthes.evaluation.store import ScoreStore
from barthes.reproduction.experiments import check_parser
from barthes.reproduction.models import Lineup
from barthes.reproduction.modes import MODES
from barthes.reproduction.page import render_html, render_markdown
from barthes.reproduction.reproduce import EXPERIMENTS, Settings, choose_experiments, reproduce
from tests.reproduction.tales import AskedModel, write_stories, write_tale

TEXT = "The wolf came. The girl ran. The wolf slept. Then it rained. The girl laughed."


@pytest.fixture
def stories(tmp_path):
    return RocStories(write_stories(tmp_path / "stories.jsonl", [TEXT, TEXT.replace("girl", "king")]))


@pytest.fixture(params=MODES)
def settings(request, corpus, model, stories):
    return Settings(corpus, Lineup({None: model}), MODES[request.param], stories, permutations=12)


def test_everything_is_there(settings, store, tmp_path):
    plain = reproduce(settings, store).to_dict()
    assert all(plain[name] is not None for name in EXPERIMENTS)
    assert plain["mode"] == settings.mode.name
    assert plain["models"]["none"]["fingerprint"] == settings.models.first.fingerprint
    assert plain["models"]["none"]["dtype"] == "float64"
    assert plain["models"]["domain"] is None
    assert plain["models"]["none"]["device"] is None  # a counting model has none
    assert plain["settings"]["permutations"] == 12
    assert plain["settings"]["parser"] == describe_parser()
    assert plain["settings"]["sha256"] == {
        "corpus": {
            f"story{n}.sty": hashlib.sha256((tmp_path / "tales" / f"story{n}.sty").read_bytes()).hexdigest()
            for n in (1, 2, 3)
        },
        "stories": hashlib.sha256((tmp_path / "stories.jsonl").read_bytes()).hexdigest(),
    }
    for tale in settings.corpus:
        told = plain["ordering"]["log_probabilities"][tale.name]
        right = [told["told"] > each for each in told["shuffled"]]
        assert plain["ordering"]["per_story"][tale.name] == sum(right) / len(right)
        assert plain["perplexity"]["rows"][0]["per_story"][tale.name]["log_probability"] == told["told"]
    found = [score > 0 for story in plain["deletion"]["scores"] for score in story]
    assert plain["deletion"]["accuracy"] == sum(found) / len(found)
    assert plain["settings"]["labels"] == "paper"
    assert set(plain["versions"]) >= {"torch", "python", "transformers"}
    assert list(plain["scores"]) == ["story1", "story2", "story3"]
    assert len(plain["table2"]["rows"]) == 22


def test_the_second_run_reads_nothing_and_is_the_same_to_the_byte(settings, store):
    first = reproduce(settings, store).to_json()
    reads = settings.models.first.reads
    again = ScoreStore(store.folder)
    assert reproduce(settings, again).to_json() == first
    assert settings.models.first.reads == reads
    assert (again.kept, again.stale) == (0, [])
    assert json.loads(first)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.4, 0.7, 0.95])
def test_interrupted_anywhere_it_goes_on(settings, store, tmp_path, share):
    whole = reproduce(settings, store).to_json()
    patience = int(settings.models.first.reads * share)
    texts = [tale.narrative.text for tale in settings.corpus]
    impatient = Lineup({None: AskedModel(texts, patience=patience)})
    with pytest.raises(KeyboardInterrupt):
        reproduce(_with(settings, impatient), ScoreStore(tmp_path / "other"))
    patient = Lineup({None: AskedModel(texts)})
    assert reproduce(_with(settings, patient), ScoreStore(tmp_path / "other")).to_json() == whole


def _with(settings, models):
    return Settings(settings.corpus, models, settings.mode, settings.stories, permutations=12)


def test_progress_never_goes_back_and_ends_at_the_whole(settings, store):
    seen = []
    reproduce(settings, store, progress=lambda done, total: seen.append((done, total)))
    assert len({total for _, total in seen}) == 1
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1][0] == seen[-1][1] > 0


def test_without_model_and_stories_the_rest_is_run_and_the_reasons_are_given(corpus, store):
    plain = reproduce(Settings(corpus), store).to_dict()
    assert [plain[name] is None for name in EXPERIMENTS] == [False, False, True, True, True, True]
    assert "perplexity was not run: no language model was given." in plain["notes"]
    assert plain["models"] == {"none": None, "domain": None, "transductive": None}


def test_without_stories_deletion_is_null_with_a_note(corpus, model, store):
    given = Settings(corpus, Lineup({None: model}), absent="stories.jsonl is not there", only=("deletion",))
    plain = reproduce(given, store).to_dict()
    assert plain["deletion"] is None
    assert "deletion was not run: stories.jsonl is not there." in plain["notes"]
    assert "ordering was not run: it was not asked for." in plain["notes"]


def test_only_what_is_asked_for_is_run(corpus, model, store):
    plain = reproduce(Settings(corpus, Lineup({None: model}), only=("table1",)), store).to_dict()
    assert [name for name in EXPERIMENTS if plain[name]] == ["table1"]
    assert plain["models"]["none"] is None
    assert plain["scores"] is None
    assert model.reads == 0
    with pytest.raises(UnknownNameError, match="Did you mean 'table2'"):
        choose_experiments(["tabel2"])


class Unloadable(DeferredModel):
    """A model of which nothing is known that would not have to be loaded."""

    def load(self):
        raise AssertionError("loaded")


def test_a_single_model_experiment_asks_the_first_model_only(corpus, model, store):
    lineup = Lineup({None: model, "domain": Unloadable("domain")})
    plain = reproduce(
        Settings(corpus, lineup, only=("ordering", "cinderella"), permutations=2), store
    ).to_dict()
    assert plain["models"]["domain"] is None
    assert plain["ordering"]["pairs"] == 6


def test_each_result_of_a_single_model_names_it(settings, store):
    lineup = Lineup({"domain": settings.models.first})
    plain = reproduce(replace(settings, models=lineup), store).to_dict()
    for name in ("ordering", "deletion", "cinderella"):
        assert (plain[name]["model"], plain[name]["fine_tuning"]) == (settings.models.first.name, "domain")
    text = render_markdown(plain)
    assert text.count(f"The language model is {settings.models.first.name} (fine-tuning: domain).") == 3


@pytest.mark.parametrize("name", ["table1", "perplexity", "cinderella"])
def test_what_is_not_asked_for_is_shown_if_it_is_all_there(settings, store, name):
    """A full report is never replaced by a poorer one; nothing is read for that."""
    whole = reproduce(settings, store).to_json()
    reads = settings.models.first.reads
    assert reproduce(replace(settings, only=(name,)), ScoreStore(store.folder)).to_json() == whole
    assert settings.models.first.reads == reads


def test_what_is_not_asked_for_is_neither_computed_nor_called_too_old(settings, store):
    reproduce(replace(settings, only=("ordering",)), store)
    for path in store.folder.glob("*/**/story1.json"):
        path.write_text(path.read_text().replace('"version": "', '"version": "0.0.0-'))
    reads = settings.models.first.reads
    again = ScoreStore(store.folder)
    plain = reproduce(replace(settings, only=("table1",)), again).to_dict()
    assert [name for name in EXPERIMENTS if plain[name]] == ["table1"]
    assert "perplexity was not run: it was not asked for." in plain["notes"]
    assert settings.models.first.reads == reads
    assert again.stale == []


def test_the_same_command_twice_shows_the_same(settings, store):
    """Sentence ordering leaves all behind that perplexity needs, so both runs show it."""
    some = replace(settings, only=("ordering",))
    first = reproduce(some, store).to_json()
    assert json.loads(first)["perplexity"] is not None
    assert reproduce(some, ScoreStore(store.folder)).to_json() == first


def test_no_model_is_loaded_to_look_for_results(corpus, store):
    lineup = Lineup({None: Unloadable("tiny", memory=store.folder)})
    plain = reproduce(Settings(corpus, lineup, only=("table1",)), store).to_dict()
    assert [name for name in EXPERIMENTS if plain[name]] == ["table1"]


def test_stories_that_were_left_out_are_told(corpus, model, store, tmp_path):
    path = write_stories(tmp_path / "some.jsonl", [TEXT, 7, TEXT.replace("girl", "king"), TEXT, TEXT])
    given = Settings(corpus, Lineup({None: model}), stories=RocStories(path, limit=2), only=("deletion",))
    plain = reproduce(given, store).to_dict()
    assert plain["settings"]["stories"] == {"read": 2, "of": 5}
    assert "Deletion detection: the first 2 of 5 stories in the file." in plain["notes"]
    [note] = [note for note in plain["notes"] if "left out" in note]
    assert note.startswith("Deletion detection: 1 story of ROCStories left out: some.jsonl line 2 (story: ")


def test_all_stories_need_no_note(settings, store):
    plain = reproduce(replace(settings, only=("deletion",)), store).to_dict()
    assert plain["settings"]["stories"] == {"read": 2, "of": 2}
    assert not any("in the file" in note for note in plain["notes"])


def test_the_window_of_likelihoods_is_said_beside_that_of_salience(settings, store):
    plain = reproduce(replace(settings, only=("perplexity",)), store).to_dict()
    assert plain["settings"]["window"] == settings.mode.window
    assert plain["settings"]["likelihood_window"].startswith("the whole text; where it exceeds")
    assert any(plain["settings"]["likelihood_window"] in note for note in plain["notes"])


@pytest.fixture
def long_tale(tmp_path):
    """A corpus whose first sentence is too long for a model that reads 32 tokens at once."""
    folder = tmp_path / "long"
    folder.mkdir()
    write_tale(folder, "story1", ["the wolf " * 30 + ".", "it rained .", "the wolf ate ."], {2})
    return ProppLearner(folder)


def test_a_tale_that_does_not_fit_one_model_costs_the_rows_of_that_model(long_tale, store):
    from tests.tiny_models import tiny_model

    lineup = Lineup({None: tiny_model(context=32), "domain": AskedModel(["the wolf ate ."])})
    only = ("table2", "perplexity", "cinderella")
    found = reproduce(Settings(long_tale, lineup, MODES["published-formula"], only=only), store)
    plain = found.to_dict()
    proposed = [row for row in plain["table2"]["rows"] if row["method"] in ("sd", "va", "paa")]
    for setting, status in [(None, "not run"), ("domain", "run"), ("transductive", "not run")]:
        assert {row["status"] for row in proposed if row["fine_tuning"] == setting} == {status}
    assert [row["perplexity"] is None for row in plain["perplexity"]["rows"]] == [False, False, True]
    [note] = [note for note in found.failures if note.startswith("table2")]
    assert note.startswith("table2 with tiny-llama (no fine-tuning) was not run: ")
    assert "window" in note
    assert "--window" not in note  # the command has no such option
    assert note.endswith("Split the sentence, or take a model that reads more tokens at once.")
    assert note in plain["notes"]
    assert plain["scores"]["story1"]["sd"]


class Unusable(AskedModel):
    """Has no room for a text."""

    def read(self, tokens):
        raise ModelError("there is not enough memory.", remedy="Give a smaller --window, such as 512.")


def test_a_model_that_cannot_be_used_leaves_the_other_settings_and_pages(corpus, store):
    lineup = Lineup({None: Unusable(["the wolf ate ."]), "domain": AskedModel(["the wolf ate ."])})
    only = ("table1", "table2", "perplexity", "ordering")
    found = reproduce(Settings(corpus, lineup, MODES["paper"], only=only, permutations=2), store)
    plain = found.to_dict()
    assert plain["table1"] is not None
    assert plain["ordering"] is None  # it asks the first model
    status = {(row["method"], row["fine_tuning"]): row["status"] for row in plain["table2"]["rows"]}
    assert (status["sd", None], status["sd", "domain"]) == ("not run", "run")
    assert [row["perplexity"] is None for row in plain["perplexity"]["rows"]] == [True, False, True]
    assert len(found.failures) == 3
    assert all(
        note.endswith("Use a machine with more memory, or a smaller model.") for note in found.failures
    )
    assert "not enough memory" in render_markdown(plain)


def test_the_parser_is_looked_for_before_the_work(settings, monkeypatch):
    monkeypatch.setattr("barthes.reproduction.experiments.check_english", lambda: check_english(()))
    check_parser(settings, ["table1", "perplexity", "ordering", "cinderella"])
    with pytest.raises(ModelError, match="pip install"):
        check_parser(settings, ["deletion"])
    check_parser(replace(settings, models=Lineup()), EXPERIMENTS)
    if settings.mode.follows_formula:
        check_parser(settings, ["table2"])
    else:
        with pytest.raises(ModelError, match="pip install"):
            check_parser(settings, ["table2"])


def test_without_another_model_the_baselines_are_left(long_tale, store):
    from tests.tiny_models import tiny_model

    given = Settings(long_tale, Lineup({"domain": tiny_model(context=32)}), MODES["paper"], only=("table2",))
    found = reproduce(given, store)
    rows = found.to_dict()["table2"]["rows"]
    assert [row["status"] for row in rows] == ["run"] * 4 + ["not run"] * 18
    assert found.failures[0].startswith("table2 with tiny-llama (fine-tuning: domain) was not run: ")


def test_an_experiment_that_fails_is_not_run_and_the_others_are(corpus, store, tmp_path):
    from tests.tiny_models import tiny_model

    stories = RocStories(write_stories(tmp_path / "long.jsonl", ["The wolf " * 40 + "came. It left."]))
    lineup = Lineup({None: tiny_model(context=32)})
    given = Settings(corpus, lineup, MODES["published-formula"], stories, only=("deletion", "perplexity"))
    found = reproduce(given, store)
    plain = found.to_dict()
    assert plain["deletion"] is None
    assert plain["perplexity"] is not None
    [failure] = found.failures
    assert failure.startswith("deletion with tiny-llama (no fine-tuning) was not run: ")


def test_tales_without_a_salient_sentence_are_left_out_and_said(tmp_path, model, store):
    folder = tmp_path / "none"
    folder.mkdir()
    write_tale(folder, "story1", ["the wolf came .", "it rained ."], {0})
    write_tale(folder, "story2", ["the wolf came .", "it rained .", "the king slept ."], set())
    write_tale(folder, "story3", ["the wolf came .", "it rained ."], {0, 1})
    plain = reproduce(
        Settings(ProppLearner(folder), Lineup({None: model}), only=("table2",)), store
    ).to_dict()
    [position] = [row for row in plain["table2"]["rows"] if row["method"] == "position"]
    assert position["per_story"] == {"story1": 0.5, "story2": None, "story3": 1.0}
    assert position["ours"] == 0.75
    assert any("without a salient sentence" in note for note in plain["notes"])


def test_the_pages_can_be_made_of_it(settings, store):
    plain = json.loads(reproduce(settings, store).to_json())
    assert "0.261" in render_markdown(plain)
    assert "<svg" in render_html(plain)
