from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.annotation.annotator import LONGEST, annotate
from barthes.errors import NarrativeError, SentenceTooLongError, UnknownNameError
from barthes.narrative import Narrative
from barthes.reading import read_text

WORDS = """the wolf who said that " Go " , she's gone and had to eat by him . THE KING’S n't — ( to ) \n\t"""


def events(narrative):
    annotation = annotate(narrative)
    annotation.check(narrative)
    return [event.predicate.text for event in annotation.events]


def test_line_breaks_leave_offsets_exact():
    text = "  The wolf\n  had  eaten\r\n\tthe goat.\n\nIt\xa0rained."
    narrative = read_text(text)
    annotation = annotate(narrative)
    annotation.check(narrative)
    assert [token.text for token in annotation[0].tokens] == "The wolf had eaten the goat .".split()
    [eaten] = annotation[0].events
    assert text[slice(*eaten.predicate.span)] == "eaten"
    assert [text[slice(*a.spans[0])] for a in eaten.arguments] == ["The wolf", "the goat"]
    assert [event.predicate.text for event in annotation[1].events] == ["rained"]


def test_sentences_stay_as_they_were_cut():
    narrative = Narrative.from_sentences(["The wolf came. The goat ran.", "away it ran", "…"])
    annotation = annotate(narrative)
    assert [len(sentence.events) for sentence in annotation] == [2, 1, 0]


def test_typographic_apostrophes_are_those_of_the_keyboard():
    straight = annotate(Narrative.from_sentences(["He's sure that they didn't see the king's ring."]))
    curly = annotate(Narrative.from_sentences(["He’s sure that they didn’t see the king’s ring."]))
    assert [token.tag for token in curly.tokens] == [token.tag for token in straight.tokens]
    assert [event.arguments for event in curly.events] == [event.arguments for event in straight.events]
    assert curly.tokens[1].text == "’s"


def test_shouting_is_understood():
    assert events(Narrative.from_sentences(["THE WOLF CAME AND ATE THE GIRL."])) == ["CAME", "ATE"]


def test_other_languages_are_refused():
    with pytest.raises(NarrativeError, match=r"Wolf: its language is 'de'.*sd"):
        annotate(Narrative.from_sentences(["Der Wolf kam."], title="Wolf", language="de"))
    with pytest.raises(UnknownNameError):
        annotate(Narrative.from_sentences(["Der Wolf kam."], language="klingon"))
    assert events(Narrative.from_sentences(["The wolf came."], language="en-GB")) == ["came"]


def test_too_long_a_sentence_is_refused():
    with pytest.raises(SentenceTooLongError, match=r"sentence 2 has 20001 characters.*Split"):
        annotate(Narrative.from_sentences(["It rained.", "a" * (LONGEST + 1)]))


@settings(max_examples=60, deadline=None)
@given(st.one_of(st.text(min_size=1), st.lists(st.sampled_from(WORDS.split(" ")), min_size=1).map(" ".join)))
def test_any_text_is_annotated_in_its_place(text):
    narrative = Narrative(text, ((0, len(text)),))
    annotation = annotate(narrative)
    annotation.check(narrative)
    covered = {i for token in annotation.tokens for i in range(*token.span)}
    assert covered == {i for i, character in enumerate(text) if not character.isspace()}
    for event in annotation.events:
        assert event.predicate in annotation.tokens
        assert all(argument.role in ("ARG0", "ARG1") for argument in event.arguments)
        assert all(any(map(str.isalnum, text[a:b])) for g in event.arguments for a, b in g.spans)


def test_predicted_annotation_agrees_with_gold(propplearner):
    from research.benchmarks.annotation import measure

    agreement = measure(propplearner)
    assert agreement["predicates"].f1 >= 0.97
    assert agreement["ARG0 heads"].f1 >= 0.86
    assert agreement["ARG1 heads"].f1 >= 0.83
    assert agreement["ARG0+ARG1 heads"].f1 >= 0.85
    assert agreement["ARG0+ARG1 spans"].precision >= 0.83
    assert agreement["ARG0+ARG1 spans"].recall >= 0.78
