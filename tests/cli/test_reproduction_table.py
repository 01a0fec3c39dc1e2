"""What stands in the terminal."""

from __future__ import annotations

import pytest

from barthes.cli.reproduction_table import list_figures
from tests.reproduction.example import example


def find(plain, what):
    [figure] = [figure for figure in list_figures(plain) if figure[1].startswith(what)]
    return figure


@pytest.mark.parametrize(("accuracy", "shown"), [(0.9996, "99.9 %"), (1.0, "100.0 %"), (0.0004, "0.1 %")])
def test_a_share_is_rounded_neither_to_all_nor_to_nothing(accuracy, shown):
    plain = example()
    plain["ordering"]["accuracy"] = accuracy
    assert find(plain, "accuracy, 1,200 pairs")[2:] == ("100.0 %", shown)


def test_a_correlation_that_is_not_defined_was_run():
    plain = example()
    plain["perplexity"]["spearman"]["sd"]["status"] = "undefined"
    assert find(plain, "Spearman with MAP, SD")[3] == "undefined"
    assert find(plain, "Spearman with MAP, VA")[3] == "not run"


def test_the_random_row_has_its_expectation_below():
    figures = list(list_figures(example()))
    place = [figure[1] for figure in figures].index("Random")
    assert figures[place + 1][1:] == ("Random, over all orders", "", "0.213 ")
