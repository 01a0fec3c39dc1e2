"""Which sentences later ones refer to; hand-written expectations."""

from __future__ import annotations

import pytest

from barthes.cutting.references import find_references
from barthes.narrative import Narrative
from barthes.reading import read_text


@pytest.mark.parametrize(
    ("sentences", "referred"),
    [
        (["A man called Tom lived there.", "It rained.", "The king saw Tom."], {0: {2}}),
        (["She had three sons.", "It rained.", "The three went away."], {0: {2}}),
        (["He had a red coat and a blue one.", "This one was torn."], {0: {1}}),
        (["There were two roads.", "She took the other."], {0: {1}}),
        (["“Who is there?” he asked.", "“It is I.”", "Rain fell."], {0: {1}, 1: {0}}),
        (["She knocked twice.", "But nobody came."], {0: {1}}),
        (["“Go away.", "I will not open.”", "It rained."], {0: {1}, 1: {0}}),
        (["Rain fell.", "The wolf slept.", "Night came."], {}),
    ],
)
def test_firm_references(sentences, referred):
    found = find_references(Narrative.from_sentences(sentences)).firm
    assert {k: set(later) for k, later in enumerate(found) if later} == referred


@pytest.mark.parametrize(
    ("sentences", "referred"),
    [
        (["A bell hung there.", "Rain fell.", "Nobody rang the bell."], {0: {2}}),
        (["The bell hung there.", "Rain fell.", "Nobody rang the bell."], {0: {2}}),
        (["He rang a bell.", "Rain fell.", "We had a bell."], {}),
        (["The miller slept.", "He snored.", "He dreamt of gold."], {0: {1}}),
    ],
)
def test_loose_references(sentences, referred):
    found = find_references(Narrative.from_sentences(sentences)).loose
    assert {k: set(later) for k, later in enumerate(found) if later} == referred


def test_other_languages_have_names_and_quotations():
    story = read_text("Da kam Gretel. Es regnete. Der Wolf sah Gretel.", language="de")
    assert 2 in find_references(story).firm[0]
