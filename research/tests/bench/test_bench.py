from __future__ import annotations

import json

import pytest

from barthes.evaluation.evaluate import evaluate
from barthes.evaluation.significance import bootstrap_interval, permutation_test, wilcoxon
from barthes.methods import describe_method, parse_formula
from barthes_research.bench.bench import CHEAP, bench, expand_corpus
from barthes_research.bench.measures import choose_measures
from barthes_research.corpora import RocStoriesSalience, Tripod
from tests.evaluation.labelled_tales import CountingCalls, EventTales, Tales

VOTES = {
    "one": {"story": ["It rained.", "A wolf came.", "He ate us all up."], "most_important": ["3", "3", "2"]},
    "two": {"story": ["Ann sang.", "She won a prize.", "She slept."], "most_important": ["2", "2", "3"]},
}


def synopsis(*sentences):
    return " ".join(f"[STR_SENT] {sentence} [END_SENT]" for sentence in sentences)


FILMS = f"""movie_name,synopsis_segmented,tp1,tp2,tp3,tp4,tp5
Rain_0,{synopsis("It rains.", "The wolf comes to town.", "He eats a sheep.", "Night.")},1,1,2,2,2
Snow_0,{synopsis("It snows all day.", "Ann leaves.", "She is lost in the wood.")},0,0,2,2,2
"""


@pytest.fixture
def votes(tmp_path):
    (tmp_path / "val.json").write_text(json.dumps(VOTES))
    return RocStoriesSalience(tmp_path / "val.json")


@pytest.fixture
def films(tmp_path):
    (tmp_path / "films.csv").write_text(FILMS)
    return Tripod(tmp_path / "films.csv")


def test_cheap_baselines_are_cheap_and_named_as_they_are():
    assert not any(describe_method(name).needs_model for name in CHEAP)
    assert [str(parse_formula(name)) for name in CHEAP] == list(CHEAP)
    assert len(set(CHEAP)) == len(CHEAP)


def test_each_corpus_has_its_measures(votes, films):
    found = bench([], [votes, films, Tales()])
    assert [table.measures for table in found] == [("spearman", "auc"), ("map", "agreement"), ("map",)]
    assert [table.evaluation.corpus for table in found] == ["ROCStories salience", "TRIPOD", "tales"]
    for table in found:
        assert [row.result.method for row in table.rows] == list(CHEAP)
        assert all(row.cheap for row in table.rows)


def test_figures_are_those_of_evaluate():
    [table] = bench(["sd", "Position"], [Tales()], model=CountingCalls())
    names = [row.result.method for row in table.rows]
    assert names == [*CHEAP, "sd"], "position is there already"
    rows = evaluate(names, Tales(), model=CountingCalls())
    for row in table.rows:
        figure = row.result.figures["map"]
        assert figure.value == rows[row.result.method].map
        assert figure.interval == rows[row.result.method].interval
        assert dict(figure.per_story) == dict(rows[row.result.method].per_story)
    assert table["sd"].result.model == "counting"
    assert not table["sd"].cheap
    assert table["fast"].cheap
    with pytest.raises(KeyError, match="no method 'va'; there are: random, "):
        table["va"]


def test_the_best_cheap_baseline_is_the_best():
    [table] = bench(["sd"], [Tales()], model=CountingCalls())
    best = table[table.best_cheap]
    assert best.result.map == max(row.result.map for row in table.rows if row.cheap)
    assert best.gain is None
    assert best.p_vs[table.best_cheap] is None
    theirs = list(best.result.per_story.values())
    for row in table.rows:
        ours = list(row.result.per_story.values())
        assert list(row.p_vs) == list(dict.fromkeys(["random", "tfidf", table.best_cheap]))
        if row is not best:
            assert row.p_vs[table.best_cheap]["wilcoxon"] == pytest.approx(wilcoxon(ours, theirs))
            assert row.p_vs[table.best_cheap]["permutation"] == pytest.approx(permutation_test(ours, theirs))
            differences = [a - b for a, b in zip(ours, theirs, strict=True)]
            assert row.gain.value == pytest.approx(sum(differences) / len(differences))
            assert row.gain.interval == pytest.approx(bootstrap_interval(differences))


def test_json(votes):
    found = bench(["sd"], [votes], model=CountingCalls(), window=32).to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["settings"] == {"model": "counting", "window": 32, "seeds": 10}
    [table] = found["corpora"]
    assert table["measures"] == ["spearman", "auc"]
    assert table["best_cheap"] in CHEAP
    row = table["rows"][-1]
    assert (row["method"], row["model"], row["cheap"]) == ("sd", "counting", False)
    assert row["interval"].keys() == row["per_story"].keys() == {"spearman", "auc"}
    assert row["per_story"]["auc"].keys() == {"one", "two"}
    assert {"difference", "wilcoxon", "permutation"} <= row["p_vs"]["tfidf"].keys()
    assert row["gain"].keys() == {"value", "interval"}


def test_it_can_be_saved_and_printed(tmp_path):
    found = bench([], [Tales()])
    found.save(tmp_path / "bench.json")
    assert json.loads((tmp_path / "bench.json").read_text()) == found.to_dict()
    assert f"tales (ours)  words  map {found[0]['words'].result.map:.3f}" in str(found)
    with pytest.raises(KeyError):
        found[0]["nothing"]


def test_propplearner_is_measured_with_both_labellings(propplearner):
    one, other = expand_corpus(propplearner)
    assert (one.labelling, other.labelling) == ("paper", "corrected")
    assert [sum(sum(tale.labels) for tale in corpus) for corpus in (one, other)] == [205, 211]
    assert choose_measures(one) == ("map",)


def test_a_bench_of_events():
    [table] = bench(["va"], [EventTales()], unit="event", model=CountingCalls())
    assert [row.result.method for row in table.rows] == [*CHEAP, "va"]
    assert table.to_dict()["unit"] == "event"
