"""Our copy of the paper's figures against the paper itself; they agree as the paper says they do."""

import re

import pytest

from barthes_research.corpora.propplearner import TABLE_1
from barthes_research.reproduction.published import (
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

_METHODS = {
    "Random": "random",
    "Sentence position (asc)": "position",
    "Sentence position (desc)": "position-desc",
    "TF-IDF": "tfidf",
}
_FINE_TUNINGS = {"-": None, "BookCorpus": "domain", "ProppLearner": "transductive"}
_TICK = r"\ding{51}"


def find_tables(source):
    """The rows of each table that stands in a file of its own, as lists of cells."""
    parts = re.split(r"^%% file: tables/(\w+)\.tex$", source, flags=re.MULTILINE)[1:]
    return {name: _cells(text) for name, text in zip(parts[::2], parts[1::2], strict=True)}


def _cells(text):
    nested = re.compile(r"\\begin\{tabular\}\[c\]\{@\{\}l@\{\}\}(.*?)\\end\{tabular\}")
    text = nested.sub(lambda found: found[1].replace(r"\\", " "), text)
    text = re.sub(r"\\(?:top|mid|bottom)rule|\\cmidrule\{[^}]*\}|\\cellcolor\[HTML\]\{\w+\}", "", text)
    inside = text.split("\n", maxsplit=2)[2] if text.startswith("\n\\begin") else text
    rows = inside.partition(r"\end{tabular}")[0].split(r"\\")
    return [[cell.strip() for cell in row.split("&")] for row in rows if row.strip()]


def read_table_2(rows):
    """(method, tfidf, fine-tuning, MAP, dagger, bold, bold italic) for each row below the heading."""
    method, tfidf = "", False
    for first, second, third, figure in rows[1:]:
        if first:
            proposed = re.search(r"\\textbf\{(\w+)\}", first)
            method = proposed[1].lower() if proposed else _METHODS[first]
            tfidf = False
        if second:
            tfidf = _TICK in second
        italic = figure.startswith(r"\textit{\textbf{")
        bold = figure.startswith(r"\textbf{")
        [number] = numbers_in(figure)
        yield method, tfidf, _FINE_TUNINGS[third], number, r"\dagger" in figure, bold, italic


def read_toy_story(rows):
    """(text, salient, σ) for each sentence."""
    for salient, _, text, figure in rows[1:]:
        [number] = numbers_in(figure)
        yield _plain(text), _TICK in salient, number


def read_influence(rows):
    """The matrix, None where there is a dash."""
    for _, _, _, *figures in rows[2:]:
        yield tuple(next(iter(numbers_in(figure)), None) for figure in figures)


def numbers_in(text):
    return [float(number) for number in re.findall(r"-?\d+\.\d+", text)]


def _plain(text):
    return re.sub(r"\s+", " ", text).replace(" ,", ",").strip()


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
