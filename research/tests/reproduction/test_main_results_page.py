from __future__ import annotations

from barthes_research.reproduction.main_results_page import PlacedScore, describe_positions, place_scores


def test_scores_are_scaled_within_each_tale():
    scores = {
        "a": {"labels": [False, True, False], "sd": [-1.0, 0.0, 3.0]},
        "b": {"labels": [True, False], "sd": [100.0, 50.0]},
        "c": {"labels": [True], "sd": [0.3]},
    }
    assert place_scores(scores) == {
        "sd": [
            PlacedScore(0.0, 0.0, False),
            PlacedScore(0.5, 0.25, True),
            PlacedScore(1.0, 1.0, False),
            PlacedScore(0.0, 1.0, True),
            PlacedScore(1.0, 0.0, False),
            PlacedScore(0.0, 0.0, True),
        ]
    }


def test_a_missing_score_keeps_the_place_of_the_others():
    scores = {"a": {"labels": [False, True, True], "va": [None, 0.0, 1.0]}}
    assert [point.position for point in place_scores(scores)["va"]] == [0.5, 1.0]


def test_the_last_sentence_belongs_to_the_last_fifth():
    scores = {"a": {"labels": [False, True], "sd": [0.0, 1.0]}}
    rows = describe_positions(scores)[-1].splitlines()
    assert rows[-1] == "| last | 1 | 0 | 1.00 | – |"
    assert rows[2] == "| first | 0 | 1 | – | 0.00 |"
