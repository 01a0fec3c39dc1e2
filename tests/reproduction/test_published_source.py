"""Our copy of the paper's figures against the paper itself."""

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


def test_table_1(tables):
    expected = [float(figure) for _, figure in tables["dataset_stats_modified"]]
    assert [float(figure) for _, figure in TABLE_1.rows()] == expected
    assert len(expected) == 7


def test_all_rows_of_table_2_with_their_marks(tables):
    ours = [
        (row.method, row.tfidf, row.fine_tuning, row.map, row.dagger, row.bold, row.bold_italic)
        for row in TABLE_2
    ]
    assert ours == list(read_table_2(tables["main_results_modified_vertically_long_v3"]))
    assert len(ours) == 22


def test_the_toy_story(tables):
    ours = [(sentence.text, sentence.salient, sentence.salience) for sentence in CINDERELLA]
    assert ours == list(read_toy_story(tables["toy_example_modified"]))


def test_the_influence_table(tables):
    assert list(read_influence(tables["model_behavior_modified"])) == list(CINDERELLA_INFLUENCE)


def find(source, pattern):
    """What one sentence of the paper says; it must say it once."""
    [found] = re.findall(pattern, source)
    return found


def test_the_random_row(source):
    seeds, deviation = find(source, r"average over (\d+) seeds \(standard deviation \$=([\d.]+)\$\)")
    assert (int(seeds), float(deviation)) == (RANDOM_SEEDS, RANDOM_SD)


def test_the_correlations_with_perplexity(source):
    figures = find(source, r"LM's perplexity were \$(-?[\d.]+)\$, \$(-?[\d.]+)\$, and \$(-?[\d.]+)\$")
    assert dict(zip(("sd", "va", "paa"), map(float, figures), strict=True)) == PERPLEXITY_SPEARMAN


def test_the_best_combination_against_tfidf(source):
    assert float(find(source, r"resulted in a p-value of \$([\d.]+)\$")) == BEST_AGAINST_TFIDF


def test_the_accuracies(source):
    assert float(find(source, r"GPT-2 achieved (\d+)\\% accuracy")) / 100 == ORDERING
    assert int(find(source, r"we generated (\d+) random permutations")) == ORDERING_PERMUTATIONS
    pairs = find(source, r"obtained ([\d,]+) pairs").replace(",", "")
    assert int(pairs) == ORDERING_PERMUTATIONS * TABLE_1.stories
    assert float(find(source, r"achieved (\d+)\\% accuracy in both")) / 100 == DELETION
