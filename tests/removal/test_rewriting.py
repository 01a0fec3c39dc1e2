"""Rewriting from annotation by hand, and of single events; forms of *do*."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.annotation.annotator import annotate
from barthes.annotation.events import Annotation, Argument, Event, SentenceAnnotation, Token
from barthes.narrative import Narrative
from barthes.removal.rewriting import anonymize, is_verb, name_do_form, rewrite
from tests.removal.hand_annotation import build


@pytest.mark.parametrize(
    ("text", "events", "expected"),
    [
        # a span becomes one word
        ("The/DT king/NN slept/VBD ~./.", "2 ARG0=0-1", "Someone did."),
        # a name's capital goes with the name
        ("So/RB King/NNP Ivan/NNP slept/VBD ~./.", "3 ARG0=1-2", "So someone did."),
        ("They/PRP praised/VBD her/PRP ~--/: ~Vera/NNP", "1 ARG1=4", "They did her--something"),
        ("—/: Ivan/NNP slept/VBD", "2 ARG0=1", "— Someone did"),
        # a second sentence begins with a capital
        ("Go/VB ~!/. Ivan/NNP slept/VBD", "0; 3 ARG0=2", "Do! Someone did"),
        # a quotation begins with a capital
        (
            "\"/`` ~I/PRP slept/VBD ~,/, ~\"/'' he/PRP said/VBD",
            "2 ARG0=1; 6 ARG0=5 ARG1=1-3",
            '"Someone did," someone did',
        ),
        # punctuation goes inside a span and stays at its edge
        (
            "all/PDT the/DT gold/NN ~,/, all/PDT the/DT sea/NN ~,/, he/PRP took/VBD",
            "9 ARG0=8 ARG1=0-7",
            "something, someone did",
        ),
        # different words stay apart
        ("my/PRP$ ring/NN he/PRP took/VBD", "3 ARG0=2 ARG1=0-1", "something someone did"),
        # my becomes someone's, and ARG0 wins where spans overlap
        ("They/PRP ate/VBD my/PRP$ bread/NN", "1 ARG0=2 ARG1=2-3", "They did someone's something"),
        # nothing is owned where nothing follows
        ("They/PRP told/VBD her/PRP$ ~./.", "1 ARG1=2", "They did something."),
        # a possessive after the span
        ("the/DT girls/NNS ~'/POS father/NN slept/VBD", "4 ARG0=0-1", "someone's father did"),
        # a possessive inside the span
        ("the/DT king/NN ~'s/POS telling/VBG it/PRP", "3 ARG0=0-2 ARG1=4", "someone's doing something"),
        # quotation marks stay in pairs
        ("the/DT book/NN \"/`` ~War/NN ~\"/'' burnt/VBD", "5 ARG1=0-4", 'something "Something" did'),
        # brackets stay in pairs
        ("the/DT man/NN (/-LRB- ~a/DT thief/NN ~)/-RRB- fled/VBD", "6 ARG0=0-4", "someone (someone) did"),
        # by stays before someone
        (
            "he/PRP knew/VBD it/PRP was/VBD+ not/RB eaten/VBN by/IN a/DT wolf/NN",
            "1 ARG1=2-8; 5 ARG0=7-8 ARG1=2",
            "he did something was not done by someone",
        ),
        # a capital moves on
        (
            "Never/RB take/VB gold/NN ~,/, it/PRP said/VBD",
            "1 ARG1=2; 5 ARG0=4 ARG1=0-2",
            "Do something, someone did",
        ),
        # a quotation that is resumed goes on with its sentence
        (
            '"/`` ~Yes/UH ~,/, ~"/\'\' he/PRP said/VBD ~,/, "/`` ~I/PRP eat/VBP',
            "5 ARG0=4; 9 ARG0=8",
            '"Yes," someone did, "someone do',
        ),
        # shouting
        ("THE/DT WOLF/NN SAW/VBD ME/PRP", "2 ARG0=0-1 ARG1=3", "SOMEONE DID SOMETHING"),
        # an abbreviation is no shouting
        (
            "He/PRP watched/VBD TV/NN and/CC THE/DT KING/NN",
            "1 ARG1=2 ARG1=4-5",
            "He did something and SOMETHING",
        ),
        # a predicate that is no verb loses its arguments only
        ('"/`` ~Yes/UH ~,/, he/PRP went/VBD', "0 ARG1=1", '"Something, he went'),
    ],
)
def test_participants_become_pronouns(text, events, expected):
    narrative, annotation = build(text, events)
    assert rewrite(narrative, 0, annotation, annotation.events, arguments=True) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("did/VBD ~n't/RB go/VB", "didn't do"),
        ("was/VBD ~n't/RB seen/VBN", "be not done"),
        ("Is/VBZ ~n't/RB he/PRP", "Be not he"),
        ("have/VBP ~n't/RB gone/VBN", "don't done"),
        ("has/VBZ ~nt/RB gone/VBN", "doesnt done"),
        ("he/PRP ~'s/VBZ here/RB", "he be here"),
        ("he/PRP ~’s/VBZ been/VBN", "he does be"),
        ("I/PRP ~'ve/VBP gone/VBN", "I do done"),
        ("he/PRP ~'d/VBD gone/VBN", "he did done"),
        ("he/PRP ~'d/MD go/VB", "he'd do"),
        ("he/PRP ca/MD ~n't/RB go/VB", "he can't do"),
        ("can/MD ~not/RB go/VB", "cannot do"),
        ("Let/VB ~'s/PRP go/VB", "Do us do"),
        ("gon/VBG ~na/TO go/VB", "doing to do"),
        ("re/RB ~-/HYPH ~entered/VBD", "re-did"),
        ("etc./FW ~went/VBD", "etc.did"),
        ("(/-LRB- ~gone/VBN ~)/-RRB-", "(done)"),
        ("WAS/VBD ~N'T/RB", "BE NOT"),
    ],
)
def test_contractions_come_out_as_english(text, expected):
    narrative, annotation = build(text)
    sentence = annotation[0]
    verbs = {token.span for token in sentence.tokens if token.tag.startswith("VB")}
    assert anonymize(narrative[0], sentence, verbs) == expected


STORY = Narrative.from_sentences(["The wolf ate the goat.", "The fox said that the wolf had eaten the goat."])


def test_one_event_is_removed_and_the_others_stay():
    annotation = annotate(STORY)
    said, eaten = annotation[1].events
    for event, arguments, expected in [
        (said, False, "The fox did that the wolf had eaten the goat."),
        (eaten, False, "The fox said that the wolf had done the goat."),
        (said, True, "Someone did that something had eaten something."),
        (eaten, True, "The fox said that someone had done something."),
    ]:
        assert rewrite(STORY, 1, annotation, [event], arguments=arguments) == expected
    assert rewrite(STORY, 1, annotation, [], arguments=True) == STORY[1].text
    both = rewrite(STORY, 1, annotation, [said, eaten], arguments=True)
    assert both == "Someone did that someone had done something."


words = st.sampled_from(
    "the a wolf Ivan said that who ate my 's n't was \" ( ) , . not to I ’s is by".split()
)
tags = st.sampled_from([*"DT NN NNP VBD VBN IN WP PRP$ POS RB TO VB MD CC , . `` PRP UH".split(), ""])


@st.composite
def annotated_sentences(draw):
    rows = draw(
        st.lists(st.tuples(words, tags, st.booleans(), st.sampled_from(["", " ", "\n  "])), min_size=1)
    )
    tokens, source = [], ""
    for form, tag, auxiliary, gap in rows:
        tokens.append(Token(len(source), len(source) + len(form), form, tag, auxiliary))
        source += form + gap
    spans = st.tuples(st.sampled_from(range(len(tokens))), st.sampled_from(range(len(tokens)))).map(sorted)
    argument = st.builds(
        lambda role, ends: Argument(role, ((tokens[ends[0]].start, tokens[ends[1]].end),)),
        st.sampled_from(["ARG0", "ARG1", "ARG2"]),
        spans,
    )
    event = st.builds(Event, st.sampled_from(tokens), st.lists(argument, max_size=3).map(tuple))
    events = tuple(draw(st.lists(event, max_size=4)))
    source = source.rstrip()
    return Narrative(source, ((0, len(source)),)), Annotation((SentenceAnnotation(tuple(tokens), events),))


@settings(max_examples=300, deadline=None)
@given(annotated_sentences())
def test_any_annotation_can_be_rewritten_and_nothing_else_changes(pair):
    narrative, annotation = pair
    annotation.check(narrative)
    sentence, known = narrative[0], annotation[0]
    verbs = {token.span for token in known.tokens if is_verb(token)}
    arguments = [argument for event in known.events for argument in event.arguments]
    assert anonymize(sentence, known, set()) == sentence.text
    touched = {i for a in arguments if a.role != "ARG2" for start, end in a.spans for i in range(start, end)}
    result = anonymize(sentence, known, verbs, arguments)
    assert result == result.strip()
    kept = [
        token
        for token in known.tokens
        if token.span not in verbs and not touched.intersection(range(*token.span)) and token.text.isalpha()
    ]
    position = 0
    for token in kept:  # every other word is still there, in order
        position = result.lower().index(token.text.lower(), position) + len(token.text)
    for mark in '()"':
        assert result.count(mark) == sentence.text.count(mark)


def tokens(*pairs):
    return [Token(i * 20, i * 20 + len(text), text, tag) for i, (text, tag) in enumerate(pairs)]


@pytest.mark.parametrize(
    ("text", "tag", "expected"),
    [
        ("sing", "VB", "do"),
        ("sing", "VBP", "do"),
        ("sang", "VBD", "did"),
        ("singing", "VBG", "doing"),
        ("sung", "VBN", "done"),
        ("sings", "VBZ", "does"),
        ("Sang", "VBD", "Did"),
        ("SANG", "VBD", "DID"),
        ("X", "VBZ", "Does"),
        ("had", "VBD", "did"),
        ("'ve", "VBP", "do"),
        *((form, "VBZ", "be") for form in "am is are was were be been being 'm 're 's ’s".split()),
        ("Was", "VBD", "Be"),
    ],
)
def test_the_tag_chooses_the_form(text, tag, expected):
    assert name_do_form(tokens((text, tag)), 0) == expected


def test_a_contracted_has_is_distinguished_from_is():
    assert name_do_form(tokens(("'s", "VBZ"), ("never", "RB"), ("been", "VBN")), 0) == "does"
    assert name_do_form(tokens(("'s", "VBZ"), ("never", "RB"), ("here", "RB")), 0) == "be"
    assert name_do_form(tokens(("is", "VBZ"), ("been", "VBN")), 0) == "be"


@pytest.mark.parametrize(
    ("text", "tag", "expected"),
    [("sing", "VB", True), ("can", "MD", False), ("song", "NN", False), ("x", "", False), ("—", "VB", False)],
)
def test_only_verbs_with_a_form_of_do_are_verbs(text, tag, expected):
    assert is_verb(*tokens((text, tag))) is expected
