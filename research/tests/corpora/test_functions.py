import itertools
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from barthes.annotation.events import Annotation, Event, SentenceAnnotation, Token
from barthes.narrative import Narrative
from barthes_research.corpora.functions import (
    RULES,
    Function,
    Group,
    choose_functions,
)
from barthes_research.corpora.tale import Tale


def test_functions(crane):
    assert [function.symbol for function in crane.functions] == ["alpha", "up", "H1", "C", "up"]
    hero = crane.functions[2]
    assert [(group.kind, group.ids) for group in hero.groups] == [
        ("ACTUAL", (("21",),)),
        ("ANTECEDENT", (("25",),)),
        ("ACTUAL", (("31",),)),
    ]
    assert [token.text for token in hero.actual] == ["Come", "rest"]
    assert crane.functions[3].actual == ()


def test_paper_keeps_the_last_function_of_a_symbol_and_corrected_all(crane):
    assert [function.id for function in choose_functions(crane.functions, rule="paper")] == ["61", "59", "60"]
    assert crane.labels == (False, False, True, True)
    assert len(choose_functions(crane.functions, rule="corrected")) == 4
    corrected = replace(crane, rule="corrected")
    assert corrected.labels == (False, True, True, True)


def test_the_initial_situation_and_what_is_only_implied_label_no_token(crane):
    labels = [salient for row in replace(crane, rule="corrected").token_labels for salient in row]
    found = [token.text for token in itertools.compress(crane.annotation.tokens, labels)]
    assert found == ["set", "off", "Come", "rest", "seen"]


tokens = [Token(i, i + 1, "x", "VB") for i in range(12)]
threes = [tuple(tokens[i : i + 3]) for i in range(0, 12, 3)]
annotation = Annotation(tuple(SentenceAnnotation(three, tuple(map(Event, three))) for three in threes))


def make_tale(functions, rule):
    story = Narrative.from_sentences(["xxx"] * 4)
    return Tale("x", story, annotation, (), (), tuple(functions), rule=rule)


groups = st.builds(
    lambda kind, chosen: Group(kind, tuple((str(t.start),) for t in chosen), tuple(chosen)),
    st.sampled_from(["ACTUAL", "ANTECEDENT", "SUBSEQUENT"]),
    st.lists(st.sampled_from(tokens), min_size=1, max_size=3),
)
functions = st.lists(
    st.builds(
        lambda symbol, found: Function("1", symbol, tuple(found)),
        st.sampled_from(["alpha", "A1", "up", "down"]),
        st.lists(groups, min_size=1, max_size=3),
    ),
    max_size=6,
)


@given(functions)
def test_properties_of_the_rules(functions):
    paper, corrected = (make_tale(functions, rule) for rule in RULES)
    for tale in (paper, corrected):
        assert tale.labels == tuple(any(row) for row in tale.token_labels)
    assert all(more or not less for less, more in zip(paper.labels, corrected.labels, strict=True))
    unique = list({function.symbol: function for function in functions}.values())  # no symbol comes twice
    paper, corrected = (make_tale(unique, rule) for rule in RULES)
    assert paper.token_labels == corrected.token_labels
