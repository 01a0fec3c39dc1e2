"""The parts of a text give the scores of the whole text, to the last bit."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.removal.removal import Removed, delete_sentences
from barthes.salience.measurement import Measurement
from barthes.salience.parts import join_measurements, plan_parts
from barthes.salience.removal_method import RemovalMethod, SentenceDeletion
from tests.tiny_models import WORDS, tiny_model

words = st.sampled_from(WORDS[:12])
sentences = st.lists(st.lists(words, min_size=1, max_size=6).map(" ".join), min_size=1, max_size=40)
TALE = Narrative.from_sentences([" ".join((WORDS * 3)[i % 9 : i % 9 + 3 + i % 4]) for i in range(160)])


def lengthen(narrative):
    """Replace some sentences by longer ones: windows must leave room for them in every part."""
    return [Removed(s.index, f"{s} and then the king came" if s.index % 7 == 3 else "") for s in narrative]


def compare(model, narrative, removal, window, part_tokens, horizon=None):
    info = SentenceDeletion.info
    method = RemovalMethod(model, removal, info=info, window=window, horizon=horizon)
    task = method.prepare(narrative)
    parts = plan_parts(task, "sd", model, part_tokens=part_tokens)
    edges = [0, *(part.stop for part in parts)]
    assert [(part.start, part.stop) for part in parts] == list(pairwise(edges))
    assert edges[-1] == len(narrative)
    slices = [task.slice(part.start, part.stop) for part in parts]
    measured = [method.summarize(each, method.measure_task(each)) for each in slices]
    joined = join_measurements([Measurement.from_dict(each.to_dict()) for each in measured])
    assert joined.to_dict() == method.measure(narrative).to_dict()
    return parts


@settings(max_examples=40, deadline=None)
@given(sentences, st.sampled_from([None, 24, 40]), st.sampled_from([1, 50, 300]))
def test_parts_give_the_scores_of_the_whole(texts, window, part_tokens):
    narrative = Narrative.from_sentences(texts)
    model = CountingModel([narrative.text])
    compare(model, narrative, delete_sentences, window, part_tokens)
    compare(model, narrative, lengthen, window, part_tokens)


@pytest.mark.parametrize("window", [48, None])
def test_parts_give_the_scores_of_the_whole_with_a_transformer(window):
    """A transformer takes several removals through the network together."""
    model = tiny_model(context=2048, pass_tokens=100)
    assert len(compare(model, TALE, delete_sentences, window, 2000)) > 2


def test_parts_of_a_preview_join_the_same_windows():
    model = CountingModel([TALE.text])
    assert len(compare(model, TALE, delete_sentences, 24, 1500, horizon=5)) > 1


def test_no_cut_where_removals_are_computed_together():
    model = tiny_model(context=2048, pass_tokens=400)
    task = SentenceDeletion(model).prepare(TALE)
    last = plan_parts(task, "sd", model, part_tokens=1)[-1]
    assert sum(map(len, task.tokens[last.start :])) >= 400


def test_a_cut_inside_a_story_costs_little():
    def cost(task):
        return sum(passage.cost for passage in task.divide())

    narrative = Narrative.from_sentences(["The wolf came."] * 300)
    model = CountingModel([narrative.text])
    task = SentenceDeletion(model).prepare(narrative)
    parts = plan_parts(task, "sd", model, part_tokens=1)
    assert len(parts) > 3
    assert sum(cost(task.slice(part.start, part.stop)) for part in parts) <= 1.06 * cost(task)
