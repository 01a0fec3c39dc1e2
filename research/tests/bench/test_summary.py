from __future__ import annotations

import json
import math

import pytest

from barthes_research.bench.summary import summarize


def table(corpus, measure, scores, *, people=None, labels="ours", unit="sentence"):
    rows = [{"method": method, measure: value} for method, value in scores.items()]
    return {
        "corpus": corpus,
        "labels": labels,
        "unit": unit,
        "measures": [measure],
        "people": None if people is None else {"value": people, "interval": None},
        "rows": rows,
    }


VOTES = table("votes", "spearman", {"random": 0.02, "words": 0.3, "learned": 0.45}, people=0.5)
FILMS = table("films", "map", {"random": 0.2, "words": 0.4})
EVENTS = table("films", "auc", {"random": 0.49, "words": 0.6, "learned": None}, unit="event")


def test_scores_are_rescaled_from_chance_to_the_limit():
    found = summarize([VOTES, FILMS, EVENTS])
    assert [(each.chance, each.ceiling) for each in found.columns] == [(0, 0.5), (0.2, 1), (0.5, 1)]
    rows = {row.method: row for row in found.rows}
    assert rows["words"].values == pytest.approx((0.6, 0.25, 0.2))
    assert rows["words"].mean == pytest.approx(0.35)
    assert rows["random"].values == pytest.approx((0.04, 0, -0.02))
    assert rows["learned"].values[0] == pytest.approx(0.9)
    assert all(map(math.isnan, rows["learned"].values[1:]))
    assert (rows["learned"].mean, rows["learned"].corpora) == (pytest.approx(0.9), 1)


def test_agreement_of_people_limits_correlations_only():
    precise = table("votes", "map", {"random": 0.2, "words": 0.6}, people=0.5)
    [column] = summarize([precise]).columns
    assert column.ceiling == 1
    assert column.rescale("words") == pytest.approx(0.5)


def test_a_second_labelling_does_not_count_twice():
    other = table("films", "map", {"random": 0.3, "words": 0.9}, labels="corrected")
    found = summarize([FILMS, other])
    assert [column.labels for column in found.columns] == ["ours"]
    assert found.rows[1].mean == pytest.approx(0.25)


def test_json():
    found = summarize([VOTES, EVENTS]).to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["columns"][1] == {
        "corpus": "films",
        "labels": "ours",
        "unit": "event",
        "measure": "auc",
        "chance": 0.5,
        "ceiling": 1.0,
    }
    assert found["rows"][2] == {"method": "learned", "mean": 0.9, "corpora": 1, "values": [0.9, None]}
    assert summarize([]).to_dict() == {"columns": [], "rows": []}


def test_people_who_disagree_are_no_ceiling():
    found = summarize([table("votes", "spearman", {"random": 0.0, "words": 0.3}, people=-0.75)])
    assert found.columns[0].ceiling == 1
    assert found.rows[1].values == (0.3,)
