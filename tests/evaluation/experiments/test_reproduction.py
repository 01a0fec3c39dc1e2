"""All experiments in one run."""

import json

import pytest

from barthes.corpora import ProppLearner
from barthes.corpora.rocstories import RocStories
from barthes.errors import UnknownNameError
from barthes.evaluation.experiments.models import Lineup
from barthes.evaluation.experiments.modes import MODES
from barthes.evaluation.experiments.reproduction import EXPERIMENTS, Settings, choose_experiments, reproduce
from barthes.evaluation.store import ScoreStore
from barthes.report.reproduction import render_html, render_markdown
from tests.evaluation.experiments.tales import AskedModel, write_stories, write_tale

TEXT = "The wolf came. The girl ran. The wolf slept. Then it rained. The girl laughed."


@pytest.fixture
def stories(tmp_path):
    return RocStories(write_stories(tmp_path / "stories.jsonl", [TEXT, TEXT.replace("girl", "king")]))


@pytest.fixture(params=MODES)
def settings(request, corpus, model, stories):
    return Settings(corpus, Lineup({None: model}), MODES[request.param], stories, permutations=12)


def test_everything_is_there(settings, store):
    plain = reproduce(settings, store).to_dict()
    assert all(plain[name] is not None for name in EXPERIMENTS)
    assert plain["mode"] == settings.mode.name
    assert plain["models"]["none"]["fingerprint"] == settings.models.first.fingerprint
    assert plain["models"]["none"]["dtype"] == "float64"
    assert plain["models"]["domain"] is None
    assert plain["settings"]["permutations"] == 12
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
    assert "table1 was not run: it was not asked for." in plain["notes"]


def test_only_what_is_asked_for_is_run(corpus, model, store):
    plain = reproduce(Settings(corpus, Lineup({None: model}), only=("table1",)), store).to_dict()
    assert [name for name in EXPERIMENTS if plain[name]] == ["table1"]
    assert plain["models"]["none"] is None
    assert plain["scores"] is None
    assert model.reads == 0
    with pytest.raises(UnknownNameError, match="Did you mean 'table2'"):
        choose_experiments(["tabel2"])


def test_a_single_model_experiment_asks_the_first_model_only(corpus, model, store):
    class Untouchable(AskedModel):
        @property
        def fingerprint(self):
            raise AssertionError("asked")

    lineup = Lineup({None: model, "domain": Untouchable(["a"])})
    plain = reproduce(
        Settings(corpus, lineup, only=("ordering", "cinderella"), permutations=2), store
    ).to_dict()
    assert plain["models"]["domain"] is None
    assert plain["ordering"]["pairs"] == 6


def test_a_tale_that_does_not_fit_costs_one_table_and_not_all(tmp_path, store):
    from tests.tiny_models import tiny_model

    folder = tmp_path / "long"
    folder.mkdir()
    write_tale(folder, "story1", ["the wolf " * 30 + ".", "it rained .", "the wolf ate ."], {2})
    given = Settings(
        ProppLearner(folder),
        Lineup({None: tiny_model(context=32)}),
        MODES["published-formula"],
        only=("table2", "perplexity", "cinderella"),
    )
    plain = reproduce(given, store).to_dict()
    assert plain["table2"] is None
    assert plain["perplexity"]["rows"][0]["tokens"] > 60
    assert any(note.startswith("table2 was not run:") and "window" in note for note in plain["notes"])


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
