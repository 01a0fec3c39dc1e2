"""The data types of annotation."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.annotation.events import Annotation, Argument, Event, SentenceAnnotation, Token
from barthes.errors import NarrativeError
from barthes.narrative import Narrative

spans = st.lists(st.integers(0, 500), min_size=2, max_size=6, unique=True).map(
    lambda edges: tuple(zip(sorted(edges)[::2], sorted(edges)[1::2], strict=False))
)
tokens = st.builds(
    lambda start, length, text, tag, auxiliary: Token(start, start + length, text, tag, auxiliary),
    st.integers(0, 500),
    st.integers(1, 9),
    st.text(max_size=9),
    st.sampled_from(["VBD", "NN", "``", ""]),
    st.booleans(),
)
arguments = st.builds(Argument, st.sampled_from(["ARG0", "ARG1", "ARGM-TMP"]), spans)
events = st.builds(
    Event,
    tokens,
    st.lists(arguments, max_size=2).map(tuple),
    st.lists(tokens, max_size=1).map(tuple),
    st.text(max_size=5),
)
sentences = st.builds(
    SentenceAnnotation, st.lists(tokens, max_size=4).map(tuple), st.lists(events, max_size=2).map(tuple)
)
annotations = st.builds(Annotation, st.lists(sentences, max_size=3).map(tuple))


@given(annotations)
def test_json_and_back(annotation):
    assert Annotation.from_dict(json.loads(json.dumps(annotation.to_dict()))) == annotation


@pytest.mark.parametrize("span", [(3, 3), (4, 3), (-1, 2)])
def test_a_token_covers_something(span):
    with pytest.raises(ValueError, match="start < end"):
        Token(*span, "x", "NN")


@pytest.mark.parametrize("spans", [(), ((3, 3),), ((5, 7), (0, 2)), ((0, 3), (2, 5)), ((-1, 2),)])
def test_an_argument_covers_something_once(spans):
    with pytest.raises(ValueError, match="ARG0"):
        Argument("ARG0", spans)


STORY = Narrative.from_sentences(["It rained.", "A wolf came."])
RAIN = SentenceAnnotation((Token(0, 2, "It", "PRP"), Token(3, 9, "rained", "VBD")))


def wolf(token, *arguments):
    return Annotation((RAIN, SentenceAnnotation((token,), (Event(token, arguments),))))


def test_an_annotation_of_this_narrative():
    annotation = wolf(Token(18, 22, "came", "VBD"), Argument("ARG1", ((11, 17),)))
    annotation.check(STORY)
    assert [token.text for token in annotation.tokens] == ["It", "rained", "came"]
    assert (len(annotation.events), annotation[0]) == (1, RAIN)


@pytest.mark.parametrize(
    ("annotation", "reason"),
    [
        (Annotation((RAIN,)), "1 sentences are annotated, but the narrative has 2"),
        (wolf(Token(18, 22, "come", "VBD")), "'come' is not at"),
        (wolf(Token(3, 9, "rained", "VBD")), "outside sentence 1"),
        (wolf(Token(18, 22, "came", "VBD"), Argument("ARG1", ((0, 2),))), "outside sentence 1"),
    ],
)
def test_an_annotation_of_another(annotation, reason):
    with pytest.raises(NarrativeError, match=reason):
        annotation.check(STORY)
