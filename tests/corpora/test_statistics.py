import pytest

from barthes.corpora.statistics import TABLE_1, count_words, describe


def test_table_1_is_what_the_paper_prints():
    assert dict(TABLE_1.rows()) == {
        "stories": 15,
        "sentences": 1302,
        "words": 18862,
        "functions": 170,
        "sentences / story": 86.8,
        "words / story": 1257.5,
        "functions / story": 11.3,
    }


def test_of_one_tale(crane):
    statistics = describe([crane])
    assert (statistics.stories, statistics.sentences, statistics.functions) == (1, 4, 3)
    assert statistics.words == 31
    assert dict(statistics.rows())["words / story"] == 31.0


def test_words():
    assert count_words('  "Well - well," said\nhe. ') == 5


def test_of_nothing():
    with pytest.raises(ValueError, match="no tales"):
        describe([])
