from __future__ import annotations

import json
import math

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

import barthes
from barthes.baselines import (
    Centroid,
    DocumentFrequencies,
    Length,
    Position,
    Random,
    Similarity,
    TfIdf,
    Words,
)
from barthes.corpora.corpus import Problem
from barthes.corpora.labelled_file import LabelledFile
from barthes.corpora.opening import open_corpus
from barthes.errors import BarthesError, UnknownNameError
from barthes.evaluation.evaluate import combine, evaluate
from barthes.evaluation.metrics import rank_correlation
from barthes.evaluation.significance import bootstrap_interval, permutation_test, wilcoxon
from barthes.evaluation.store import ScoreStore
from barthes.salience.combination import Combination, PlacedSum, RankSum
from barthes.salience.method import silent
from barthes.salience.profile import Profile
from barthes.salience.removal_method import SentenceDeletion
from tests.evaluation.tales import KING, STORIES, WOLF, AnnotatedTales, CountingCalls, Tales, tale

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
def store(tmp_path):
    return ScoreStore(tmp_path / "scores")


def test_it_is_public():
    assert barthes.evaluate is evaluate


def test_figures_are_those_of_the_slow_way(model):
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
        means = [np.mean(list(run.values())) for run in runs]
        spread = None if seeds == 1 else pytest.approx(np.std(means, ddof=1))
        assert found[name].seeds_sd == spread
    assert found["random"].p_vs_random is None
    assert found["random+length"].p_vs_random is not None


def test_a_combination_is_the_sum_of_scaled_parts(model):
    for story in NARRATIVES:
        parts = [SentenceDeletion(model), Length(), Position()]
        scores = [part.score(story).scores for part in parts]
        assert combine(scores) == Combination(*parts).score(story).scores
    assert combine([(3.0, -1.0)]) == (3.0, -1.0)


def test_methods_as_objects_and_names_agree(model):
    one = evaluate([SentenceDeletion(model), SentenceDeletion(model) + Length(), Position()], Tales())
    other = evaluate(["sd", "sd+length", "position-asc"], Tales(), model=model)
    assert [row.method for row in one] == [row.method for row in other] == ["sd", "sd+length", "position"]
    for a, b in zip(one, other, strict=True):
        assert (a.per_story, a.map, a.p_vs_random, a.model) == (b.per_story, b.map, b.p_vs_random, b.model)
    assert evaluate(Position(), Tales()).rows == evaluate("position", Tales()).rows


def test_two_methods_of_the_same_name_are_two_rows():
    one, other = evaluate([Random(seed=1), Random(seed=2)], Tales())
    assert one.per_story == precisions(Random(seed=1))
    assert other.per_story == precisions(Random(seed=2))


def test_the_store_saves_the_second_run(model, store):
    first = evaluate(["sd", "sd+tfidf", "va"], AnnotatedTales(), model=model, store=store)
    assert model.calls > 0
    assert store.kept == 6, "two methods, three stories; combinations are made from their parts"
    model.calls = 0
    reports = []
    content = json.loads(next(store.folder.rglob("sd-float64/wolf.json")).read_text())
    assert content["identity"]["precision"] == "float64"
    assert content["values"].keys() == {"scores", "window", "notes"}
    again = evaluate(
        ["sd", "va", "sd+va"],
        AnnotatedTales(),
        model=model,
        store=store,
        progress=lambda done, total: reports.append((done, total)),
    )
    assert model.calls == 0
    assert (again["sd"], again["va"]) == (first["sd"], first["va"])
    assert store.stale == []
    assert json.dumps(first.to_dict()) == json.dumps(
        evaluate(["sd", "sd+tfidf", "va"], AnnotatedTales(), model=model, store=store).to_dict()
    )


def test_what_has_changed_is_computed_again_and_said(model, store):
    evaluate(["sd", "va"], AnnotatedTales(), model=model, store=store)
    other = CountingCalls(k=5.0)
    found = evaluate(["sd"], AnnotatedTales(), model=other, store=store)
    assert found["sd"].per_story == precisions(SentenceDeletion(CountingCalls(k=5.0)))
    assert "3 stored results" in store.stale[0]
    assert "other weights" in store.stale[0]

    retagged = AnnotatedTales()
    retagged.tag = "NN"
    later = ScoreStore(store.folder)
    evaluate(["va"], retagged, model=model, store=later)
    assert "rest on another annotation" in later.stale[0]

    rewritten = Tales(tale("wolf", [*WOLF[:-1], "Night fell."], {0, 2}), *STORIES[1:])
    later = ScoreStore(store.folder)
    evaluate(["sd"], rewritten, model=other, store=later)
    assert later.kept == 1
    assert "another text" in later.stale[0]


def test_labels_do_not_touch_the_store(model, store):
    evaluate(["sd"], Tales(), model=model, store=store)
    model.calls = 0
    evaluate(["sd"], Tales(tale("wolf", WOLF, {1}), *STORIES[1:]), model=model, store=store)
    assert (model.calls, store.stale) == (0, [])


def outcome(**changes):
    return {"scores": [1.0, 2.0, 3.0, 4.0], "window": None, "notes": []} | changes


@pytest.mark.parametrize(
    "values",
    [
        [1.0, 2.0, 3.0, 4.0],
        "abcd",
        {"scores": [1.0, 2.0, 3.0, 4.0]},
        outcome(scores=[1.0]),
        outcome(scores=[1.0, 2.0, None, 3.0]),
        outcome(window="all"),
        outcome(notes=[3]),
        outcome(notes="none"),
    ],
)
def test_scores_that_cannot_be_right_are_computed_again(model, store, values):
    evaluate(["sd"], Tales(), model=model, store=store)
    [path] = store.folder.rglob("wolf.json")
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | {"values": values}))
    later = ScoreStore(store.folder)
    assert evaluate(["sd"], Tales(), model=model, store=later)["sd"].per_story == precisions(
        SentenceDeletion(model)
    )
    assert later.kept == 1
    assert "cannot be read" in later.stale[0]


class Narrow(CountingCalls):
    """Has to cut the longer stories into windows, but not that of the king."""

    context_length = 21


def test_stories_that_were_cut_into_windows_are_counted(store):
    notes = [
        evaluate(["sd", "sd+length"], Tales(), model=model, store=store).notes
        for model in (Narrow(), Narrow())
    ]
    assert notes[0] == notes[1], "computed, or from the store"
    few, note = notes[0]
    assert few == FEW
    assert note == (
        "2 of 3 stories (sd): The story does not fit: each sentence was scored in a window of 21 tokens "
        "around it."
    )
    assert store.kept == 3


def test_alternatives_live_side_by_side(store):
    """Another precision, predicted annotation: none costs the other its scores."""
    coarse = CountingCalls(k=3.0)
    coarse.precision = "bfloat16"
    for _ in range(2):
        for model in (CountingCalls(), coarse):
            for annotation in ("gold", "predicted"):
                evaluate(["va"], AnnotatedTales(), model=model, annotation=annotation, store=store)
    assert (store.kept, store.stale) == (12, [])


def test_files_of_the_same_name_are_two_corpora(model, store, tmp_path):
    for place, sentences in enumerate((WOLF, KING)):
        path = tmp_path / str(place) / "mine.jsonl"
        path.parent.mkdir()
        story = {"story": "tale", "sentences": sentences, "labels": [1] + [0] * (len(sentences) - 1)}
        path.write_text(json.dumps(story))
    files = [str(tmp_path / str(place) / "mine.jsonl") for place in (0, 1)]
    for file in [*files, *files]:
        assert evaluate(["sd"], LabelledFile(file), model=model, store=store).corpus == "mine"
    assert (store.kept, store.stale) == (2, [])
    assert all(folder.name.startswith("mine.jsonl-") for folder in store.folder.iterdir())


@pytest.mark.parametrize("policy", ["skip", "zero"])
def test_against_other_methods(model, policy):
    corpus = Tales(*STORIES, DULL)
    found = evaluate(
        ["sd", "length", "random"],
        corpus,
        against=["length", "Random", Position()],
        model=model,
        undefined=policy,
    )
    settled = {"skip": math.nan, "zero": 0.0}[policy]
    rows = evaluate(["sd", "length", "random", "position"], corpus, model=model, undefined=policy)

    def figures(name):
        return [settled if value is None else value for value in rows[name].per_story.values()]

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
    [row] = evaluate([one], Tales(), against=[other])
    assert row.per_story == precisions(one)
    found = evaluate([Length()], Tales(), against=[other])["length"].p_vs["random"]
    lengths, draws = (list(precisions(method).values()) for method in (Length(), other))
    assert found["wilcoxon"] == pytest.approx(wilcoxon(lengths, draws))


def test_a_method_compared_with_is_stored_like_any_other(model, store):
    evaluate(["length"], Tales(), against="sd", model=model, store=store)
    assert store.kept == 3
    with pytest.raises(UnknownNameError, match="Did you mean 'tfidf'"):
        evaluate(["length"], Tales(), against=["tfdif"], model=model)


class Interrupted(CountingCalls):
    """Reads two stories; while it reads the third, somebody presses Ctrl-C."""

    def read(self, tokens):
        if self.calls > 2 and not getattr(self, "patient", False):
            raise KeyboardInterrupt
        return super().read(tokens)


def test_an_interruption_loses_nothing_that_is_finished(store):
    model = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        evaluate(["sd"], Tales(), model=model, store=store)
    assert store.kept == 2
    model.patient, model.calls = True, 0
    found = evaluate(["sd"], Tales(), model=model, store=store)
    assert store.kept == 3
    assert model.calls == 1
    assert found["sd"].per_story == precisions(SentenceDeletion(CountingCalls()))


def test_progress_only_goes_up_and_ends_at_the_end(model):
    reports = []
    evaluate(["sd", "length"], Tales(), model=model, progress=lambda *report: reports.append(report))
    done, totals = zip(*reports, strict=True)
    assert len(set(totals)) == 1
    assert list(done) == sorted(done)
    assert done[-1] == totals[0]


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
    with pytest.raises(UnknownNameError, match="Did you mean 'gold'"):
        evaluate(["va"], Tales(), model=model, annotation="glod")


def test_a_single_story(model):
    found = evaluate(["tfidf", "position"], Tales(STORIES[0]))
    assert found["tfidf"].per_story == precisions(TfIdf(), STORIES[:1]), "the bundled frequencies"
    assert found["position"].interval is None
    assert "A single story" in found.notes[0]


def test_few_stories_cannot_tell_methods_apart():
    many = [tale(f"tale {k}", ["A fox came.", "It ran far away."], {1}) for k in range(6)]
    assert evaluate(["length"], Tales(*many)).notes == ()
    assert "5 stories only" in evaluate(["length"], Tales(*many[:5])).notes[0]
    for dull in (DULL, ALL):  # every method has the same figure there
        notes = evaluate(["length"], Tales(*many[:5], dull), undefined="zero").notes
        assert notes[1].startswith("5 stories only in which methods can differ")
    gains = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    assert wilcoxon(gains, [0.0] * 6) < 0.05 < wilcoxon(gains[:5], [0.0] * 5)


@pytest.mark.parametrize(("policy", "share"), [("skip", 1.0), ("zero", 3 / 4)])
def test_stories_without_salient_sentences(policy, share):
    whole, found = (
        evaluate(["length"], Tales(*more), undefined=policy) for more in (STORIES, (*STORIES, DULL))
    )
    assert found["length"].per_story["dull"] is None
    assert found["length"].map == pytest.approx(whole["length"].map * share)
    assert found["length"].auc == pytest.approx(whole["length"].auc)
    note, few = found.notes
    assert few.startswith(f"{len(STORIES)} stories only")
    assert note.startswith("1 story without a salient sentence")
    assert "dull" in note
    assert found.settings["undefined"] == policy


def test_such_stories_can_be_refused_before_the_work(model):
    with pytest.raises(BarthesError, match="dull"):
        evaluate(["sd"], Tales(*STORIES, DULL), model=model, undefined="error")
    assert model.calls == 0


def test_stories_with_salient_sentences_only():
    found = evaluate(["length"], Tales(*STORIES, ALL))
    assert found["length"].per_story["all"] == 1.0
    assert "salient sentences only" in found.notes[0]
    only = evaluate(["length"], Tales(ALL))["length"]
    assert math.isnan(only.auc)
    assert only.to_dict()["auc"] is None


def test_corpora_on_which_nothing_can_be_measured():
    with pytest.raises(BarthesError, match="nothing to find"):
        evaluate(["length"], Tales(DULL))
    with pytest.raises(BarthesError, match="more than one story: wolf"):
        evaluate(["length"], Tales(STORIES[0], STORIES[0]))


@pytest.mark.parametrize(
    ("methods", "options", "message"),
    [
        (["tfdif"], {}, "Did you mean 'tfidf'"),
        (["sd"], {"undefined": "ignore"}, "undefined"),
    ],
)
def test_wrong_names(methods, options, message, model):
    with pytest.raises(UnknownNameError, match=message):
        evaluate(methods, Tales(), model=model, **options)
    assert model.calls == 0


def test_no_seed_is_no_draw():
    with pytest.raises(ValueError, match="at least one"):
        evaluate(["random"], Tales(), seeds=0)


def test_what_the_corpus_left_out_is_said():
    problems = (Problem("a.tsv", "3", "label", "it is 7"), Problem("a.tsv", "9", "label", "it is 8"))
    assert evaluate(["length"], Tales(problems=problems)).notes == (
        FEW,
        "2 items of the corpus are malformed; the first: a.tsv 3: label: it is 7.",
    )


class Flat(Length):
    """Nothing is more salient than anything else."""

    name = "flat"

    def score(self, narrative, *, progress=silent):
        return Profile(narrative, (0.0,) * len(narrative), method=self.name)


def test_a_method_that_says_nothing():
    row = evaluate([Flat()], Tales())["flat"]
    assert row.map == pytest.approx(np.mean([np.mean(story.labels) for story in STORIES]))
    assert row.auc == 0.5
    assert row.spearman == 0, "as chance, like the other two"


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
    assert found["random"].seeds_sd == pytest.approx(0.015, abs=0.008)
    assert found.labels == labels


def test_rank_sums_by_name_and_as_objects(model):
    one = evaluate([RankSum(SentenceDeletion(model), Length(), Position())], Tales())
    other = evaluate(["Ranks: sd + length + position-asc"], Tales(), model=model)
    assert [row.method for row in one] == [row.method for row in other] == ["ranks:sd+length+position"]
    assert one.rows[0].per_story == other.rows[0].per_story
    for story in NARRATIVES:
        parts = [SentenceDeletion(model), Length(), Position()]
        scores = [part.score(story).scores for part in parts]
        assert combine(scores, kind="ranks") == RankSum(*parts).score(story).scores
        assert combine(scores, kind="placed") == PlacedSum(*parts).score(story).scores


def test_a_rank_sum_has_the_scores_of_its_parts_in_the_store(model, store):
    evaluate(["sd"], Tales(), model=model, store=store)
    model.calls = 0
    found = evaluate(["ranks:sd+length", "sd+length"], Tales(), model=model, store=store)
    assert (model.calls, store.kept) == (0, 3)
    assert [row.model for row in found] == ["counting", "counting"]


@pytest.mark.parametrize("name", ["words", "centroid", "similarity"])
def test_words_of_the_corpus_where_it_has_them(name):
    kind = {"words": Words, "centroid": Centroid, "similarity": Similarity}[name]
    gold = DocumentFrequencies.from_narratives(NARRATIVES, tokenize=AnnotatedTales().tokenize)
    found = evaluate([name], AnnotatedTales())
    assert found[name].per_story == precisions(kind(gold, tokenize=AnnotatedTales().tokenize))


def test_other_measures_have_intervals_and_tests_of_their_own():
    corpus = Tales(*STORIES, DULL)
    found = evaluate(["length"], corpus, against=["position"], measures=["spearman", "agreement"])
    row, plain = found["length"], evaluate(["length"], corpus, against=["position"])["length"]
    assert list(row.figures) == ["spearman", "agreement"]
    assert (row.map, row.interval, row.per_story) == (plain.map, plain.interval, plain.per_story)
    assert plain.figures.keys() == {"map"}
    rho = [rank_correlation(story.grades, Length().score(story.narrative).scores) for story in STORIES]
    assert row.figures["spearman"].value == row.spearman == pytest.approx(np.mean(rho))
    assert row.figures["spearman"].interval == pytest.approx(bootstrap_interval(rho))
    assert math.isnan(row.figures["spearman"].per_story["dull"])
    places = [rank_correlation(story.grades, Position().score(story.narrative).scores) for story in STORIES]
    assert row.p_vs["position"]["wilcoxon"] == pytest.approx(wilcoxon(rho, places))
    assert row.figures["agreement"].value == row.agreement == row.to_dict()["agreement"]
    with pytest.raises(UnknownNameError, match="Did you mean 'spearman'"):
        evaluate(["length"], corpus, measures=["sperman"])
    with pytest.raises(ValueError, match="at least one measure"):
        evaluate(["length"], corpus, measures=[])


def test_who_does_not_decide_is_not_let_off():
    """Spearman's correlation needs scores that differ; all methods must be measured on the same stories."""
    level = tale("level", ["It rained.", "It snowed."], {1})
    whole, found = (evaluate(["length"], Tales(*stories)) for stories in (STORIES, (*STORIES, level)))
    assert found["length"].spearman == pytest.approx(whole["length"].spearman * 3 / 4)
    row = evaluate(["length"], Tales(*STORIES, level), measures=["spearman"])["length"]
    assert row.figures["spearman"].per_story["level"] == 0
