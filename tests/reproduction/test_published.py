"""Our copy of the paper's figures against the paper itself; they agree as the paper says they do."""

import re

import pytest

from barthes.corpora.propplearner import TABLE_1
from barthes.reproduction.published import (
    BEST_AGAINST_TFIDF,
    CINDERELLA,
    CINDERELLA_INFLUENCE,
    DELETION,
    ORDERING,
    ORDERING_PERMUTATIONS,
    PERPLEXITY_SPEARMAN,
    PROPOSED,
    RANDOM_SD,
    RANDOM_SEEDS,
    TABLE_2,
)
from tests.reproduction.paper import find_tables, read_influence, read_table_2, read_toy_story


@pytest.fixture(scope="module")
def source(shared):
    return shared("paper/otake2020.tex").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def tables(source):
    return find_tables(source)


def test_tables_are_those_of_the_paper(tables):
    expected = [float(figure) for _, figure in tables["dataset_stats_modified"]]
    assert [float(figure) for _, figure in TABLE_1.rows()] == expected
    assert len(expected) == 7
    ours = [
        (row.method, row.tfidf, row.fine_tuning, row.map, row.dagger, row.bold, row.bold_italic)
        for row in TABLE_2
    ]
    assert ours == list(read_table_2(tables["main_results_modified_vertically_long_v3"]))
    assert len(ours) == 22
    sentences = [(sentence.text, sentence.salient, sentence.salience) for sentence in CINDERELLA]
    assert sentences == list(read_toy_story(tables["toy_example_modified"]))
    assert list(read_influence(tables["model_behavior_modified"])) == list(CINDERELLA_INFLUENCE)


def find(source, pattern):
    """What one sentence of the paper says; it must say it once."""
    [found] = re.findall(pattern, source)
    return found


def test_figures_are_those_of_the_text(source):
    seeds, deviation = find(source, r"average over (\d+) seeds \(standard deviation \$=([\d.]+)\$\)")
    assert (int(seeds), float(deviation)) == (RANDOM_SEEDS, RANDOM_SD)
    figures = find(source, r"LM's perplexity were \$(-?[\d.]+)\$, \$(-?[\d.]+)\$, and \$(-?[\d.]+)\$")
    assert dict(zip(PROPOSED, map(float, figures), strict=True)) == PERPLEXITY_SPEARMAN
    assert float(find(source, r"resulted in a p-value of \$([\d.]+)\$")) == BEST_AGAINST_TFIDF
    assert float(find(source, r"GPT-2 achieved (\d+)\\% accuracy")) / 100 == ORDERING
    assert int(find(source, r"we generated (\d+) random permutations")) == ORDERING_PERMUTATIONS
    pairs = find(source, r"obtained ([\d,]+) pairs").replace(",", "")
    assert int(pairs) == ORDERING_PERMUTATIONS * TABLE_1.stories
    assert float(find(source, r"achieved (\d+)\\% accuracy in both")) / 100 == DELETION


def test_table_2_has_all_combinations_with_its_marks():
    assert [row.method for row in TABLE_2[:4]] == ["random", "position", "position-desc", "tfidf"]
    keys = [(row.method, row.tfidf, row.fine_tuning) for row in TABLE_2[4:]]
    settings = (None, "domain", "transductive")
    assert keys == [(m, t, f) for m in PROPOSED for t in (False, True) for f in settings]
    alone = [row for row in TABLE_2 if row.is_proposed and not row.tfidf]
    assert [row.bold for row in alone] == [row.map == max(r.map for r in alone) for row in alone]
    assert [row.bold_italic for row in TABLE_2] == [row.tfidf and row.map == 0.301 for row in TABLE_2]


def test_the_influence_of_the_last_removal_is_its_salience():
    """Only S_6 follows S_5, so their figures in both tables are the same."""
    assert CINDERELLA_INFLUENCE[5][4] == CINDERELLA[4].salience
    for i, row in enumerate(CINDERELLA_INFLUENCE):
        assert [value is None for value in row] == [j >= i for j in range(6)]
