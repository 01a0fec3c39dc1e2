"""A divided text scores as the whole does, to the last bit."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.removal.removal import Removed, delete_sentences
from barthes.runs.parts import cost, cut, plan_parts
from barthes.salience.coherence_loss import CoherenceLoss
from tests.tiny_models import WORDS, tiny_model

words = st.sampled_from(WORDS[:12])
sentences = st.lists(st.lists(words, min_size=1, max_size=6).map(" ".join), min_size=1, max_size=40)


def longer(narrative):
    """A removal that leaves more than there was: windows must leave room for it in every part."""
    return [Removed(s.index, f"{s} and then the king came" if s.index % 7 == 3 else "") for s in narrative]


def compare(model, narrative, removals, window, part_tokens):
    loss = CoherenceLoss(model, window=window)
    task = loss.prepare(narrative, removals)
    parts = plan_parts(task, "sd", model, part_tokens=part_tokens)
    edges = [0, *(part.stop for part in parts)]
    assert [(part.start, part.stop) for part in parts] == list(pairwise(edges))
    assert edges[-1] == len(removals)
    whole = [each.total for each in loss.measure(task)]
    joined = [each.total for part in parts for each in loss.measure(cut(task, part))]
    assert joined == whole
    return parts


@settings(max_examples=40)
@given(sentences, st.sampled_from([None, 24, 40]), st.sampled_from([1, 50, 300]))
def test_parts_give_what_the_whole_gives(texts, window, part_tokens):
    narrative = Narrative.from_sentences(texts)
    model = CountingModel([narrative.text])
    compare(model, narrative, delete_sentences(narrative), window, part_tokens)
    compare(model, narrative, longer(narrative), window, part_tokens)


TALE = Narrative.from_sentences([" ".join((WORDS * 3)[i % 9 : i % 9 + 3 + i % 4]) for i in range(160)])


@pytest.mark.parametrize("window", [48, None])
def test_so_they_do_for_a_transformer(window):
    """Which takes several removals through the network together."""
    model = tiny_model(context=2048, pass_tokens=100)
    parts = compare(model, TALE, delete_sentences(TALE), window, 2000)
    assert len(parts) > 2


def test_no_cut_where_removals_travel_together():
    """All that follow the last cut of a whole story fit into one pass with others."""
    model = tiny_model(context=2048, pass_tokens=400)
    loss = CoherenceLoss(model)
    task = loss.prepare(TALE, delete_sentences(TALE))
    last = plan_parts(task, "sd", model, part_tokens=1)[-1]
    after = sum(map(len, task.tokens[last.start :]))
    assert after >= 400


def test_a_cut_inside_a_story_pays():
    narrative = Narrative.from_sentences(["The wolf came."] * 300)
    model = CountingModel([narrative.text])
    task = CoherenceLoss(model).prepare(narrative, delete_sentences(narrative))
    parts = plan_parts(task, "sd", model, part_tokens=1)
    read = sum(cost(cut(task, part)) for part in parts)
    assert len(parts) > 3
    assert read <= 1.06 * cost(task)
