"""The paper's figures agree with each other as the paper says they do."""

from collections import Counter

import pytest

from barthes.reproduction.published import (
    CINDERELLA,
    CINDERELLA_INFLUENCE,
    PERPLEXITY_SPEARMAN,
    PROPOSED,
    TABLE_2,
)


def test_table_2_has_all_combinations_once():
    keys = Counter((row.method, row.tfidf, row.fine_tuning) for row in TABLE_2)
    assert len(TABLE_2) == len(keys) == 22
    assert [row.method for row in TABLE_2[:4]] == ["random", "position", "position-desc", "tfidf"]
    expected = {(m, t, f) for m in PROPOSED for t in (False, True) for f in (None, "domain", "transductive")}
    assert {key for key in keys if key[0] in PROPOSED} == expected


def test_the_marks_of_table_2_are_where_its_caption_says():
    alone = [row for row in TABLE_2 if row.is_proposed and not row.tfidf]
    combined = [row for row in TABLE_2 if row.tfidf]
    assert [row.bold for row in alone] == [row.map == max(r.map for r in alone) for row in alone]
    assert [row.bold_italic for row in combined] == [row.map == 0.301 for row in combined]
    assert {row.name for row in TABLE_2 if not row.dagger} == {"random", "position-desc", "va", "paa"}


def test_names_are_those_of_the_command_line():
    assert TABLE_2[-1].name == "paa+tfidf"
    assert TABLE_2[4].name == "sd"


def test_the_influence_of_the_last_removal_is_its_salience():
    """Only S_6 follows S_5, so their figures in both tables are the same."""
    assert CINDERELLA_INFLUENCE[5][4] == CINDERELLA[4].salience
    for i, row in enumerate(CINDERELLA_INFLUENCE):
        assert [value is None for value in row] == [j >= i for j in range(6)]


def test_correlations_of_three_models_are_possible_ones():
    assert list(PERPLEXITY_SPEARMAN) == list(PROPOSED)
    assert all(value in (-1.0, -0.5, 0.5, 1.0) for value in PERPLEXITY_SPEARMAN.values())


@pytest.mark.parametrize("method", PROPOSED)
def test_adding_tfidf_always_helped(method):
    for row in (row for row in TABLE_2 if row.method == method and not row.tfidf):
        [other] = [
            r for r in TABLE_2 if (r.method, r.fine_tuning, r.tfidf) == (method, row.fine_tuning, True)
        ]
        assert other.map > row.map
