from __future__ import annotations

from dataclasses import replace

import pytest

import barthes
from barthes import scoring
from barthes.cache import ScoreCache
from barthes.errors import NarrativeError
from barthes.methods import METHODS
from barthes.models import loading
from barthes.models.counting import CountingModel
from barthes.removal.anonymization import Anonymizer
from barthes.removal.removal import delete_sentences
from barthes.salience.measurement import Measurement
from barthes.salience.method import ModelMethod, silent
from barthes.salience.removal_method import RemovalMethod, SentenceDeletion

STORY = ["The wolf came.", "The wolf ate the sheep.", "It rained."]


def test_a_text_and_its_sentences_and_a_narrative_agree():
    narrative = barthes.Narrative.from_sentences(STORY)
    for story in (narrative, STORY, " ".join(STORY)):
        assert barthes.score(story, method="length").scores == (3.0, 5.0, 2.0)


def test_the_name_of_a_file_is_not_scored_as_a_story(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tale").write_text(" ".join(STORY))
    for name in ("tale", "nowhere/Tale.TXT", tmp_path / "tale"):
        with pytest.raises(NarrativeError, match=r"name of a file, not a story\. Use barthes\.score\("):
            barthes.score(name, method="length")


@pytest.mark.parametrize("text", ["Wolf!", "She opened tale.txt", "x" * 5000, "a\0b", "tale.txt\n"])
def test_short_and_odd_texts_are_stories(text):
    assert len(barthes.score(text, method="length").scores) == 1


def test_blank_entries_are_left_out_with_a_note():
    profile = barthes.score(["A wolf came.", "", "It ate.", " \n"], method="length")
    assert profile.scores == (3.0, 2.0)
    assert profile.narrative.notes == ("Blank entries were left out: 2 of 4.",)
    assert barthes.score(iter(STORY), method="length").narrative.notes == ()


@pytest.mark.parametrize(
    ("story", "given"),
    [
        (5, "int"),
        (None, "NoneType"),
        (["A wolf came.", None], "list with NoneType"),
        (b"A wolf", "bytes with"),
    ],
)
def test_other_types_are_not_stories(story, given):
    with pytest.raises(TypeError, match=rf"list of sentences .* barthes\.Narrative, not {given}"):
        barthes.score(story, method="length")


@pytest.mark.parametrize("options", [{"model": "gpt2"}, {"window": 64}, {"seed": 1}])
def test_options_that_a_method_would_ignore_are_refused(options):
    with pytest.raises(TypeError, match="has its own"):
        barthes.score(STORY, method=barthes.Length(), **options)
    assert barthes.score(STORY, method=barthes.Length()).method == "length"


@pytest.fixture
def loaded(monkeypatch):
    """The names that were loaded, by a loader that is quick."""
    names: list[str] = []

    def load(name):
        names.append(name)
        return CountingModel(STORY)

    monkeypatch.setattr(loading, "load_model", load)
    scoring._load.cache_clear()
    yield names
    scoring._load.cache_clear()


def test_a_model_is_loaded_once(loaded):
    assert barthes.score(STORY).scores == barthes.score(STORY).scores
    assert loaded == ["smollm2-135m"]
    barthes.score(STORY, model="gpt2")
    barthes.score(STORY, model="gpt2")
    assert loaded == ["smollm2-135m", "gpt2"]
    barthes.score(STORY, model=CountingModel(STORY))
    barthes.score(STORY, method="length")
    assert len(loaded) == 2


def test_a_model_that_has_changed_on_disk_is_loaded_again(loaded, tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"old")
    barthes.score(STORY, model=str(tmp_path))
    barthes.score(STORY, model=str(tmp_path))
    (tmp_path / "model.safetensors").write_bytes(b"newer")
    barthes.score(STORY, model=str(tmp_path))
    assert loaded == [str(tmp_path)] * 2


class CountedModel(CountingModel):
    """A counting model that counts how often it reads."""

    reads = 0

    def read(self, tokens):
        self.reads += 1
        return super().read(tokens)


NARRATIVE = barthes.Narrative.from_sentences([*STORY, "A girl ran.", "The wolf ate the girl."])


def make_method(name, model):
    if name.startswith("event"):
        return barthes.EventSalience(model, method=name.partition(" ")[2])
    return scoring.parse_method(name, model=lambda: model)


@pytest.mark.parametrize(
    "name",
    ["sd", "va", "paa", "preview", "pmi", "embedding", "sd+tfidf", "ranks:sd+pmi", "event va"],
)
def test_cached_profiles_are_those_of_the_method(tmp_path, name):
    model = CountedModel([NARRATIVE.text])
    method = make_method(name, model)
    expected = method.score(NARRATIVE)
    with ScoreCache(tmp_path / "scores.sqlite3") as cache:
        first = scoring.score_narrative(NARRATIVE, method, cache=cache)
        reads = model.reads
        again = scoring.score_narrative(NARRATIVE, make_method(name, model), cache=cache)
    assert model.reads == reads, "the second time nothing is read"
    for profile in (first, again):
        assert profile == expected
        assert profile.influences == expected.influences
        assert profile.info == expected.info
        if expected.stability is not None:
            assert (profile.stability.draws == expected.stability.draws).all()


@pytest.mark.parametrize(
    "change",
    [
        {"method": "va"},
        {"method": "preview"},
        {"window": 30},
        {"model": CountingModel(STORY, k=2.0)},
        {"story": barthes.Narrative.from_sentences([*STORY, "A girl ran."])},
        {"threads": 2},
    ],
)
def test_the_key_depends_on_everything_that_affects_scores(change):
    def key(*, method="sd", window=None, model=None, story=NARRATIVE, threads=None):
        model = model or CountingModel([NARRATIVE.text])
        parsed = scoring.parse_method(method, model=lambda: model, window=window)
        return scoring.cache_key(story, parsed, threads=threads)

    assert key() == key()
    assert key(**change) != key()


def test_annotation_is_part_of_the_key():
    model = CountingModel([NARRATIVE.text])
    known = barthes.annotate(NARRATIVE)
    bare = type(known)(tuple(type(each)(each.tokens) for each in known))
    keys = [
        scoring.cache_key(NARRATIVE, barthes.VerbAnonymization(model, annotate=annotate))
        for annotate in (None, lambda _: known, lambda _: bare)
    ]
    assert len({str(key) for key in keys}) == 3
    assert scoring.cache_key(NARRATIVE, barthes.Length()) is None


def test_custom_removals_are_cached_by_what_they_do(tmp_path):
    model = CountingModel([NARRATIVE.text])
    methods = [
        RemovalMethod(model, removal)
        for removal in (delete_sentences, Anonymizer(barthes.annotate, arguments=False))
    ]
    with ScoreCache(tmp_path / "scores.sqlite3") as cache:
        for method in methods * 2:
            found = scoring.score_narrative(NARRATIVE, method, cache=cache)
            assert found == method.score(NARRATIVE)
        assert scoring.fetch_measurement(cache, NARRATIVE, methods[0]) is not None


class Times(ModelMethod):
    """A method with a parameter that its identity does not contain."""

    name = "times"

    def __init__(self, model, factor):
        super().__init__(model)
        self.factor = factor

    def measure(self, narrative, *, progress=silent):
        return Measurement(tuple(self.factor * len(str(sentence)) for sentence in narrative))


class DeclaredTimes(Times):
    def identity(self, narrative):
        return super().identity(narrative) | {"factor": self.factor}


class Twice(SentenceDeletion):
    """A method with the name of another one."""

    def summarize(self, task, losses):
        found = super().summarize(task, losses)
        return replace(found, scores=tuple(2 * score for score in found.scores))


class TimesDeletion(SentenceDeletion):
    def __init__(self, model, factor):
        super().__init__(model)
        self.factor = factor


def test_methods_whose_parameters_are_unknown_are_not_cached(tmp_path):
    model = CountingModel([NARRATIVE.text])
    methods = [SentenceDeletion(model), Twice(model)]
    methods += [kind(model, factor) for kind in (Times, DeclaredTimes) for factor in (1.0, 2.0)]
    with ScoreCache(tmp_path / "scores.sqlite3") as cache:
        for method in methods * 2:
            assert scoring.score_narrative(NARRATIVE, method, cache=cache) == method.score(NARRATIVE)
    keys = [scoring.cache_key(NARRATIVE, method) for method in methods]
    assert [key is None for key in keys] == [False, False, True, True, False, False]
    assert scoring.cache_key(NARRATIVE, TimesDeletion(model, 2.0)) is None


@pytest.mark.parametrize("window", [24, None])
def test_an_interrupted_computation_continues_where_it_stopped(tmp_path, monkeypatch, window):
    monkeypatch.setattr(scoring, "_PART_TOKENS", 100)
    narrative = barthes.Narrative.from_sentences([f"The wolf ate {i} sheep." for i in range(80)])
    method = SentenceDeletion(CountingModel([narrative.text]), window=window)
    reported = []

    def interrupt(done, total):
        reported.append((done, total))
        if done > total / 2:
            raise KeyboardInterrupt

    with ScoreCache(tmp_path / "scores.sqlite3") as cache:
        with pytest.raises(KeyboardInterrupt):
            scoring.score_narrative(narrative, method, cache=cache, progress=interrupt)
        stopped, total = reported[-1]
        reported.clear()
        profile = scoring.score_narrative(
            narrative, method, cache=cache, progress=lambda *given: reported.append(given)
        )
        assert reported[0][0] > stopped - 0.2 * total, "what was finished is not computed again"
        assert reported[-1] == (total, total)
        assert cache.status().entries == 1, "the parts are removed"
    assert profile.to_dict() == method.score(narrative).to_dict()


def test_what_is_known_is_not_computed_again():
    model = CountedModel([NARRATIVE.text])
    method = barthes.SentenceDeletion(model)
    task = method.prepare(NARRATIVE)
    losses = [*method.measure_task(task.slice(0, 2)), *method.measure_task(task.slice(2, 5))]
    reads = model.reads
    known = {"sd": method.summarize(task, losses)}
    both = method + barthes.TfIdf()
    assert scoring.score_narrative(NARRATIVE, both, known=known).scores == both.score(NARRATIVE).scores
    assert scoring.score_narrative(NARRATIVE, method, known=known) == method.score(NARRATIVE)
    assert model.reads == reads + 2, "only the two expected profiles"


def test_other_values_under_the_key_are_logged_and_computed_again(tmp_path, caplog):
    method = barthes.SentenceDeletion(CountingModel([NARRATIVE.text]))
    with ScoreCache(tmp_path / "scores.sqlite3") as cache:
        cache.store(scoring.cache_key(NARRATIVE, method), ["not", "a", "measurement"])
        assert scoring.score_narrative(NARRATIVE, method, cache=cache) == method.score(NARRATIVE)
    assert "cannot be used (not a measurement" in caplog.text


# readers works with its own model only: tests/learned
@pytest.mark.parametrize("name", [*(name for name in METHODS if name != "readers"), "sd+pmi", "event paa"])
def test_notes_of_the_model_reach_the_profile_of_every_method(name):
    model = CountingModel([NARRATIVE.text])
    model.notes = ("counting is read again for every sentence: exact, but slow.",)
    profile = scoring.score_narrative(NARRATIVE, make_method(name, model))
    assert profile.notes == (model.notes if profile.info.needs_model else ())


def test_scores_that_are_not_numbers_are_returned_and_not_cached(tmp_path):
    class Strange(ModelMethod):
        name = "strange"

        def measure(self, narrative, *, progress=silent):
            return Measurement((float("nan"),) * len(narrative))

    with ScoreCache(tmp_path / "scores.sqlite3") as cache:
        profile = scoring.score_narrative(NARRATIVE, Strange(CountingModel(STORY)), cache=cache)
        assert (len(profile.scores), cache.stored) == (len(NARRATIVE), 0)
