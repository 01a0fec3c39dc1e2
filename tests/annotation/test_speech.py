from __future__ import annotations

import pytest

from barthes.annotation.pipeline import load_english
from barthes.annotation.predicates import find_predicates
from barthes.annotation.speech import crosses_quotation, find_quotations, find_speech

QUOTATIONS = [
    ('"Go," said the fox, "and rest."', ["Go,", "and rest."]),
    ("“Go,” said the fox, “and rest.”", ["Go,", "and rest."]),
    ("‘Don’t go,’ said the fox.", ["Don’t go,"]),
    ("«Go», said the fox.", ["Go"]),
    ('The fox said: "Go home.', ["Go home."]),
    ('and rest," said the fox.', ["and rest,"]),
    ('and rest," said the fox, "or die.', ["and rest,", "or die."]),
    ('Come."', ["Come."]),
    ('""', []),
    ("The king's men didn't come.", []),
]


@pytest.mark.parametrize(("sentence", "expected"), QUOTATIONS)
def test_what_stands_between_quotation_marks(sentence, expected):
    doc = load_english()(sentence)
    assert [doc[q.start : q.stop].text for q in find_quotations(doc)] == expected


def test_who_is_quoted():
    doc = load_english()('"Go," said the fox.')
    go, said, fox = (next(token for token in doc if token.text == word) for word in ("Go", "said", "fox"))
    assert crosses_quotation(go, said)
    assert crosses_quotation(fox, go)
    assert not crosses_quotation(said, fox)


def test_what_nobody_says_belongs_to_nobody():
    doc = load_english()('The miller winked at the cat: "Come here, you old thief."')
    assert find_speech(doc, find_predicates(doc)) == {}
