from __future__ import annotations

import contextlib
from dataclasses import replace

import pytest

import barthes
from barthes import scorer
from barthes.cache import ScoreCache
from barthes.errors import NarrativeError
from barthes.methods import find_methods, parse_method
from barthes.models import loading
from barthes.models.counting import CountingModel
from barthes.removal.anonymization import Anonymizer
from barthes.removal.removal import delete_sentences
from barthes.salience.measurement import Measurement
from barthes.salience.method import ModelMethod, silent
from barthes.salience.removal_method import RemovalMethod, SentenceDeletion
from barthes.scorer import Scorer, measurement_key

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

    def load(name, *, dtype):
        names.append(name)
        return CountingModel(STORY)

    monkeypatch.setattr(loading, "load_model", load)
    scorer._load.cache_clear()
    yield names
    scorer._load.cache_clear()


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
    return parse_method(name, model=lambda: model)


@pytest.mark.parametrize(
    "name",
    ["sd", "va", "paa", "preview", "pmi", "sd+tfidf", "ranks:sd+pmi", "event va"],
)
def test_cached_profiles_are_those_of_the_method(tmp_path, name):
    model = CountedModel([NARRATIVE.text])
    method = make_method(name, model)
    expected = method.score(NARRATIVE)
    with ScoreCache(tmp_path / "scores.sqlite3") as cache:
        first = Scorer(method, cache=cache).score(NARRATIVE)
        reads = model.reads
        again = Scorer(make_method(name, model), cache=cache).score(NARRATIVE)
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
    ],
)
def test_the_key_depends_on_everything_that_affects_scores(change):
    def key(*, method="sd", window=None, model=None, story=NARRATIVE):
        model = model or CountingModel([NARRATIVE.text])
        parsed = parse_method(method, model=lambda: model, window=window)
        return measurement_key(story, parsed)

    assert key() == key()
    assert key(**change) != key()


def test_annotation_is_part_of_the_key():
    model = CountingModel([NARRATIVE.text])
    known = barthes.annotate(NARRATIVE)
    bare = type(known)(tuple(type(each)(each.tokens) for each in known))
    keys = [
        measurement_key(NARRATIVE, barthes.VerbAnonymization(model, annotate=annotate))
        for annotate in (None, lambda _: known, lambda _: bare)
    ]
    assert len({str(key) for key in keys}) == 3
    assert measurement_key(NARRATIVE, barthes.Length()) is None


def test_custom_removals_are_cached_by_what_they_do(tmp_path):
    model = CountingModel([NARRATIVE.text])
    methods = [
        RemovalMethod(model, removal)
        for removal in (delete_sentences, Anonymizer(barthes.annotate, arguments=False))
    ]
    with ScoreCache(tmp_path / "scores.sqlite3") as cache:
        for method in methods * 2:
            found = Scorer(method, cache=cache).score(NARRATIVE)
            assert found == method.score(NARRATIVE)
        assert cache.fetch(measurement_key(NARRATIVE, methods[0])) is not None


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
            assert Scorer(method, cache=cache).score(NARRATIVE) == method.score(NARRATIVE)
    keys = [measurement_key(NARRATIVE, method) for method in methods]
    assert [key is None for key in keys] == [False, False, True, True, False, False]
    assert measurement_key(NARRATIVE, TimesDeletion(model, 2.0)) is None


@pytest.mark.parametrize("method", ["sd", "preview"])
@pytest.mark.parametrize("window", [24, None])
def test_a_computation_that_is_interrupted_again_and_again_gives_the_same_scores(tmp_path, window, method):
    """The preview is followed by exact scores, which are interrupted too."""
    narrative = barthes.Narrative.from_sentences([f"The wolf ate {i} sheep." for i in range(80)])
    model, options = (
        CountingModel([narrative.text]),
        {"window": window, "exact_top": 40 * (method == "preview")},
    )
    undisturbed = Scorer(method, model, **options).score(narrative)
    runs: list[list[int]] = []

    def interrupt(done, total):
        runs[-1].append(done)
        if len(runs[-1]) == 25 and done < total:
            raise KeyboardInterrupt

    found = None
    with ScoreCache(tmp_path / "scores.sqlite3") as cache:
        while found is None:
            runs.append([])
            with contextlib.suppress(KeyboardInterrupt):
                found = Scorer(method, model, cache=cache, **options).score(narrative, progress=interrupt)
        assert cache.status().entries == 1, "the parts are removed"
    assert len(runs) > 3
    assert all(run == sorted(run) for run in runs)
    assert found.to_dict() == undisturbed.to_dict()


def test_other_values_under_the_key_are_logged_and_computed_again(tmp_path, caplog):
    method = barthes.SentenceDeletion(CountingModel([NARRATIVE.text]))
    with ScoreCache(tmp_path / "scores.sqlite3") as cache:
        cache.store(measurement_key(NARRATIVE, method), ["not", "a", "measurement"])
        assert Scorer(method, cache=cache).score(NARRATIVE) == method.score(NARRATIVE)
    assert "cannot be used (not a measurement" in caplog.text


# readers and ask need models of their own: tests/learned, research/tests/asking
@pytest.mark.parametrize(
    "name", [*(name for name in find_methods() if name not in ("readers", "ask")), "sd+pmi", "event paa"]
)
def test_notes_of_the_model_reach_the_profile_of_every_method(name):
    model = CountingModel([NARRATIVE.text])
    model.notes = ("counting is read again for every sentence: exact, but slow.",)
    profile = Scorer(make_method(name, model)).score(NARRATIVE)
    assert profile.notes == (model.notes if profile.info.needs_model else ())


def test_scores_that_are_not_numbers_are_returned_and_not_cached(tmp_path):
    class Strange(ModelMethod):
        name = "strange"

        def measure(self, narrative, *, progress=silent):
            return Measurement((float("nan"),) * len(narrative))

    with ScoreCache(tmp_path / "scores.sqlite3") as cache:
        profile = Scorer(Strange(CountingModel(STORY)), cache=cache).score(NARRATIVE)
        assert (len(profile.scores), cache.stored) == (len(NARRATIVE), 0)


def test_a_scorer_takes_what_score_takes():
    scorer = Scorer("length")
    for story in (NARRATIVE, NARRATIVE.text, [str(sentence) for sentence in NARRATIVE]):
        assert scorer.score(story) == barthes.score(story, method="length")
    assert repr(scorer) == "<Scorer of sentences by length>"
