from __future__ import annotations

import json
import math

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from barthes.baselines import DocumentFrequencies, Length, Position, Random, TfIdf
from barthes.cache import ScoreCache
from barthes.corpora import open_corpus
from barthes.errors import BarthesError, UnknownNameError
from barthes.evaluation.corpus import CorpusProblem
from barthes.evaluation.evaluate import evaluate
from barthes.evaluation.metrics import rank_correlation
from barthes.evaluation.significance import bootstrap_interval, permutation_test, wilcoxon
from barthes.salience.combination import Combination, PlacedSum, RankSum
from barthes.salience.removal_method import SentenceDeletion
from tests.evaluation.labelled_tales import STORIES, WOLF, AnnotatedTales, CountingCalls, Tales, tale

NARRATIVES = [story.narrative for story in STORIES]
DULL = tale("dull", ["Nothing came.", "Nothing went."], set())
ALL = tale("all", ["One came.", "Two."], {0, 1})
FEW = (
    "3 stories only: intervals are rough, and no difference can have p < 0.05 by Wilcoxon's test, which"
    " takes 6."
)


def precisions(method, stories=STORIES):
    """The slow way: score, then scikit-learn, story by story."""
    return {
        story.name: average_precision_score(story.labels, method.score(story.narrative).scores)
        for story in stories
    }


@pytest.fixture
def model():
    return CountingCalls()


@pytest.fixture
def cache(tmp_path):
    with ScoreCache(tmp_path / "scores.sqlite3") as cache:
        yield cache


def test_figures_equal_a_slow_computation(model):
    frequencies = DocumentFrequencies.from_narratives(NARRATIVES)
    expected = {
        "position": Position(),
        "length": Length(),
        "tfidf": TfIdf(frequencies),
        "sd": SentenceDeletion(model),
        "sd+tfidf": Combination(SentenceDeletion(model), TfIdf(frequencies)),
    }
    found = evaluate(list(expected), Tales(), model=model)
    drawn = [precisions(Random(seed=seed)) for seed in range(10)]
    chance = {name: np.mean([each[name] for each in drawn]) for name in drawn[0]}
    assert [row.method for row in found] == list(expected)
    for name, method in expected.items():
        slow = precisions(method)
        row = found[name]
        assert row.per_story == pytest.approx(slow)
        assert row.map == pytest.approx(np.mean(list(slow.values())))
        assert row.interval == pytest.approx(bootstrap_interval(list(slow.values())))
        assert row.p_vs_random == pytest.approx(wilcoxon(list(slow.values()), list(chance.values())))
    assert (found["sd"].model, found["sd"].fingerprint) == ("counting", model.fingerprint)
    assert (found["length"].model, found["length"].fingerprint) == (None, None)
    assert [found[name].precision for name in ("sd", "sd+tfidf", "length")] == ["float64", "float64", None]
    assert found.settings["precision"] == "float64"
    assert found.random == pytest.approx(np.mean(list(chance.values())))
    assert found.counts == {"stories": 3, "sentences": 11, "salient": 5}
    assert (found.corpus, found.labels, found.notes) == ("tales", "ours", (FEW,))


@pytest.mark.parametrize("seeds", [1, 10])
def test_random_is_averaged_over_seeds(seeds):
    found = evaluate(["random", "random+length"], Tales(), seeds=seeds)
    draws = [Random(seed=seed) for seed in range(seeds)]
    for name, methods in {"random": draws, "random+length": [draw + Length() for draw in draws]}.items():
        runs = [precisions(method) for method in methods]
        for story in STORIES:
            expected = np.mean([run[story.name] for run in runs])
            assert found[name].per_story[story.name] == pytest.approx(expected)
    assert found["random"].p_vs_random is None
    assert found["random+length"].p_vs_random is not None


def test_methods_as_objects_and_names_agree(model):
    sd, length, position = parts = SentenceDeletion(model), Length(), Position()
    objects = [sd, sd + length, position, Combination(*parts), RankSum(*parts), PlacedSum(*parts)]
    names = ["sd", "sd+length", "position", "sd+length+position"]
    names += ["Ranks: sd + length + position", "placed:sd+length+position"]
    one, other = evaluate(objects, Tales()), evaluate(names, Tales(), model=model)
    assert [row.method for row in one] == [row.method for row in other] == [each.name for each in objects]
    for method, a, b in zip(objects, one, other, strict=True):
        assert a.per_story == b.per_story == precisions(method)
        assert (a.map, a.p_vs_random, a.model) == (b.map, b.p_vs_random, b.model)
    assert evaluate(Position(), Tales()).rows == evaluate("position", Tales()).rows


class Narrow(CountingCalls):
    """Has to cut the longer stories into windows, but not that of the king."""

    context_length = 21


def test_against_other_methods(model):
    corpus = Tales(*STORIES, DULL)
    found = evaluate(
        ["sd", "length", "random"],
        corpus,
        against=["length", "Random", Position()],
        model=model,
    )
    rows = evaluate(["sd", "length", "random", "position"], corpus, model=model)

    def figures(name):
        return [math.nan if value is None else value for value in rows[name].per_story.values()]

    assert found.settings["against"] == ["length", "random", "position"]
    for name in ("sd", "length", "random"):
        for other in ("length", "random", "position"):
            tests = found[name].p_vs[other]
            if name == other:
                assert tests is None
                continue
            assert tests["wilcoxon"] == pytest.approx(wilcoxon(figures(name), figures(other)))
            assert tests["permutation"] == pytest.approx(permutation_test(figures(name), figures(other)))
    assert found["sd"].p_vs["random"]["wilcoxon"] == found["sd"].p_vs_random
    assert rows["sd"].p_vs == {}


def test_objects_of_one_name_are_not_mistaken_for_each_other():
    one, other = Random(seed=1), Random(seed=2)
    rows = evaluate([one, other], Tales(), against=[other])
    assert [row.per_story for row in rows] == [precisions(one), precisions(other)]
    found = evaluate([Length()], Tales(), against=[other])["length"].p_vs["random"]
    lengths, draws = (list(precisions(method).values()) for method in (Length(), other))
    assert found["wilcoxon"] == pytest.approx(wilcoxon(lengths, draws))


class Interrupted(CountingCalls):
    """Reads two stories; while it reads the third, somebody presses Ctrl-C."""

    def read(self, tokens):
        if self.calls > 2 and not getattr(self, "patient", False):
            raise KeyboardInterrupt
        return super().read(tokens)


def test_gold_where_the_corpus_has_it(model):
    assert evaluate(["length"], Tales()).settings["annotation"] == "predicted"
    assert evaluate(["length"], AnnotatedTales()).settings["annotation"] == "gold"
    gold = DocumentFrequencies.from_narratives(NARRATIVES, tokenize=AnnotatedTales().tokenize)
    found = evaluate(["tfidf"], AnnotatedTales())
    assert found["tfidf"].per_story == precisions(TfIdf(gold, tokenize=AnnotatedTales().tokenize))
    plain = TfIdf(DocumentFrequencies.from_narratives(NARRATIVES))
    found = evaluate(["tfidf"], AnnotatedTales(), annotation="predicted")
    assert found["tfidf"].per_story == precisions(plain)
    with pytest.raises(BarthesError, match=r"tales: the corpus has no annotation.*predicted"):
        evaluate(["va"], Tales(), model=model, annotation="gold")


def test_a_single_story(model):
    found = evaluate(["tfidf", "position"], Tales(STORIES[0]))
    assert found["tfidf"].per_story == precisions(TfIdf(), STORIES[:1]), "the bundled frequencies"
    assert found["position"].interval is None
    assert "A single story" in found.notes[0]


def test_few_stories_give_a_note_on_significance():
    many = [tale(f"tale {k}", ["A fox came.", "It ran far away."], {1}) for k in range(6)]
    assert evaluate(["length"], Tales(*many)).notes == ()
    assert "5 stories only" in evaluate(["length"], Tales(*many[:5])).notes[0]
    notes = evaluate(["length"], Tales(*many[:5], ALL)).notes  # every method has the same figure there
    assert notes[1].startswith("5 stories only in which methods can differ")
    gains = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    assert wilcoxon(gains, [0.0] * 6) < 0.05 < wilcoxon(gains[:5], [0.0] * 5)


def test_stories_without_salient_sentences():
    whole, found = (evaluate(["length"], Tales(*more)) for more in (STORIES, (*STORIES, DULL)))
    assert found["length"].per_story["dull"] is None
    assert found["length"].map == pytest.approx(whole["length"].map)
    note, few = found.notes
    assert few.startswith(f"{len(STORIES)} stories only")
    assert note.startswith("1 story without a salient sentence")
    assert "dull" in note


def test_stories_with_salient_sentences_only():
    found = evaluate(["length"], Tales(*STORIES, ALL))
    assert found["length"].per_story["all"] == 1.0
    assert "salient sentences only" in found.notes[0]
    only = evaluate(["length"], Tales(ALL))["length"]
    assert math.isnan(only.figures["auc"].value)
    assert only.to_dict()["auc"] is None


def test_corpora_on_which_nothing_can_be_measured():
    with pytest.raises(BarthesError, match="nothing to find"):
        evaluate(["length"], Tales(DULL))
    with pytest.raises(BarthesError, match="more than one story, such as wolf"):
        evaluate(["length"], Tales(STORIES[0], STORIES[0]))
    with pytest.raises(ValueError, match="at least one"):
        evaluate(["random"], Tales(), seeds=0)


def test_problems_of_the_corpus_give_a_note():
    problems = (
        CorpusProblem("a.tsv", "3", "label", "it is 7"),
        CorpusProblem("a.tsv", "9", "label", "it is 8"),
    )
    assert evaluate(["length"], Tales(problems=problems)).notes == (
        FEW,
        "2 items of the corpus are malformed; the first: a.tsv 3: label: it is 7.",
    )


@pytest.mark.parametrize(
    ("labels", "figures"),
    [
        ("paper", {"position": 0.2774, "position-desc": 0.1849, "tfidf": 0.2786}),
        ("corrected", {"position": 0.280, "position-desc": 0.190}),
    ],
)
def test_the_published_baselines_to_the_digit(shared, labels, figures):
    corpus = open_corpus(f"propplearner={shared('data/propplearner')}", labels=labels)
    found = evaluate([*figures, "random"], corpus, seeds=20)
    for name, figure in figures.items():
        assert found[name].map == pytest.approx(figure, abs=5e-5 if labels == "paper" else 5e-4)
    chance = {"paper": 0.213, "corrected": 0.218}[labels]
    assert found["random"].map == pytest.approx(chance, abs=0.01)
    assert found.labels == labels


def test_other_measures_are_compared_like_map():
    rows = evaluate(["length", "position"], Tales(*STORIES, DULL))
    ours, theirs = (row.figures["spearman"] for row in rows)
    rho = [rank_correlation(story.grades, Length().score(story.narrative).scores) for story in STORIES]
    places = [rank_correlation(story.grades, Position().score(story.narrative).scores) for story in STORIES]
    assert ours.value == pytest.approx(np.mean(rho))
    assert ours.interval == pytest.approx(bootstrap_interval(rho))
    assert math.isnan(ours.per_story["dull"])
    assert ours.compare(theirs)["wilcoxon"] == pytest.approx(wilcoxon(rho, places))


def test_the_cache_saves_the_second_run(model, cache):
    methods = ["sd", "sd+tfidf", "ranks:va+length"]
    first = evaluate(methods, AnnotatedTales(), against="va", model=model, cache=cache)
    assert model.calls > 0
    assert cache.status().entries == 6, "two methods, three stories; combinations are made from their parts"
    model.calls = 0
    again = evaluate(methods, AnnotatedTales(), against="va", model=model, cache=cache)
    assert model.calls == 0
    assert json.dumps(first.to_dict()) == json.dumps(again.to_dict())
    relabelled = AnnotatedTales(tale("wolf", WOLF, {1}), *STORIES[1:])
    evaluate(methods, relabelled, model=model, cache=cache)
    assert (model.calls, cache.status().entries) == (0, 6), "labels decide no score"
    evaluate(["va"], AnnotatedTales(), model=model, annotation="predicted", cache=cache)
    assert cache.status().entries == 9, "another annotation"


def test_stories_that_were_cut_into_windows_are_counted(cache):
    notes = [evaluate(["sd", "sd+length"], Tales(), model=Narrow(), cache=cache).notes for _ in range(2)]
    assert notes[0] == notes[1], "computed, or from the cache"
    assert notes[0] == (
        FEW,
        "2 of 3 stories (sd): The story does not fit: each sentence was scored in a window of 21 tokens "
        "around it.",
    )
    assert cache.status().entries == 3


def test_an_interruption_loses_nothing_that_is_finished(cache):
    model = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        evaluate(["sd"], Tales(), model=model, cache=cache)
    assert cache.status().entries == 2
    model.patient, model.calls = True, 0
    found = evaluate(["sd"], Tales(), model=model, cache=cache)
    assert (cache.status().entries, model.calls) == (3, 1)
    assert found["sd"].per_story == precisions(SentenceDeletion(CountingCalls()))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": ["tfdif"]}, "Did you mean 'tfidf'"),
        ({"against": ["tfdif"]}, "Did you mean 'tfidf'"),
        ({"annotation": "glod"}, "Did you mean 'gold'"),
    ],
)
def test_wrong_names(options, message, model):
    with pytest.raises(UnknownNameError, match=message):
        evaluate(corpus=Tales(), model=model, **{"methods": ["sd"], **options})
    assert model.calls == 0
