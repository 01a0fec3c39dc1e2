"""The costs of cuts against plain readings, and the order in which they are made."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.cutting.cut import Measurer, cut_narrative
from barthes.cutting.search import CutSearch
from barthes.cutting.shortened import count_unit_words
from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.salience.removal_loss import RemovalLoss
from barthes.salience.removal_method import SentenceDeletion
from tests.strategies import narratives
from tests.tiny_models import tiny_model

MODEL = tiny_model()


class RecallModel(CountingModel):
    """Words that have occurred before are likely, others are not."""

    def continuation_log_probabilities(self, context, continuation):
        whole = [*context, *continuation]
        seen = [token in whole[: len(context) + i] for i, token in enumerate(continuation)]
        return np.where(seen, np.log(0.5), np.log(0.01))


def read_plainly(model, narrative, gone):
    """Return the log-probability of each kept sentence, by one plain reading of the kept tokens."""
    tokens = model.encode([str(sentence) for sentence in narrative])
    kept = [k for k in range(len(tokens)) if k not in gone]
    known = model.read([model.start_token, *(token for k in kept for token in tokens[k])]).log_probabilities
    edges = np.cumsum([len(tokens[k]) for k in kept])[:-1]
    return dict(zip(kept, [float(part.sum()) for part in np.split(known, edges)], strict=True))


def find_cost(model, narrative, gone):
    whole, short = read_plainly(model, narrative, set()), read_plainly(model, narrative, gone)
    return sum(whole[k] - short[k] for k in short)


def prepare_search(narrative, model, **options):
    method = SentenceDeletion(model)
    task = method.prepare(narrative)
    measurer = Measurer(narrative, method, task, method.measure(narrative))
    return CutSearch(count_unit_words(narrative), list(map(len, task.tokens)), measurer.measure, **options)


def run_search(narrative, model, target, **options):
    return list(prepare_search(narrative, model, **options).run(target))


@pytest.mark.parametrize("model", [MODEL, CountingModel(["a wolf came and the king died ."])])
@settings(max_examples=15)
@given(st.data())
def test_costs_add_up_to_that_of_the_joint_removal(model, data):
    narrative = data.draw(narratives(min_size=3, max_size=8))
    total = sum(count_unit_words(narrative))
    last = count_unit_words(narrative)[-1]
    target = data.draw(st.integers(last, max(last, total - 1)))
    gone, cost = set(), 0.0
    for step in run_search(narrative, model, target):
        gone.add(step.index)
        cost += step.cost
        assert cost == pytest.approx(find_cost(model, narrative, gone), abs=1e-4)
        assert step.alone == pytest.approx(find_cost(model, narrative, {step.index}), abs=1e-4)
    assert len(narrative) - 1 not in gone
    assert total - sum(count_unit_words(narrative)[k] for k in gone) <= target


def test_of_two_sentences_that_say_the_same_one_stays():
    story = Narrative.from_sentences(
        ["A wolf ate sheep.", "A wolf ate sheep.", "Rain fell on hills.", "A wolf ate sheep again."]
    )
    model = RecallModel([story.text])
    steps = run_search(story, model, 9)
    assert [step.index for step in steps] == [1, 2]
    assert steps[0].cost == pytest.approx(0, abs=1e-9)
    assert find_cost(model, story, {0, 1}) > 4 * np.log(40), "each alone is dispensable, both are not"


def test_a_question_and_its_answer_are_cheap_together():
    """What the answer lost by the first cut no longer counts after the second."""
    story = Narrative.from_sentences(
        ["Dragons sleep where?", "Dragons sleep where rivers begin.", "King ran home.", "King ran home."]
    )
    model = RecallModel([story.text])
    first, second = run_search(story, model, 6)
    assert {first.index, second.index} == {0, 1}
    if first.index == 0:
        assert second.cost < 0 < first.cost
    assert first.cost + second.cost == pytest.approx(find_cost(model, story, {0, 1}))


@settings(max_examples=30)
@given(st.data())
def test_taking_cuts_back_never_costs_more(data):
    narrative = data.draw(narratives(min_size=3, max_size=10))
    words = count_unit_words(narrative)
    target = data.draw(st.integers(words[-1], max(words[-1], sum(words) - 1)))
    search = prepare_search(narrative, MODEL, horizon=data.draw(st.sampled_from([None, 8])))
    once, steps = list(search.run(target)), search.search(target)
    gone = {step.index for step in steps}
    cost = sum(step.cost for step in steps)
    assert cost <= sum(step.cost for step in once)
    assert cost == pytest.approx(find_cost(MODEL, narrative, gone), abs=1e-4)
    assert sum(words) - sum(words[k] for k in gone) <= target


def test_a_cut_that_is_missed_far_below_is_taken_back():
    """The next three tokens do not show that the last sentence needs the first."""
    story = Narrative.from_sentences(
        [
            "Ida had green eyes",
            "Wolves sleep all winter",
            "Kings rule this old land",
            "Her mother said Ida had green eyes",
        ]
    )
    search = prepare_search(story, RecallModel([story.text]), horizon=3)
    assert [step.index for step in search.run(16)] == [0]
    assert [step.index for step in search.search(16)] == [1]


def test_protected_sentences_stay():
    story = Narrative.from_sentences(
        ["It rained.", "The king slept and the wolf ran and the girl ran.", "A wolf came.", "It ate."]
    )
    model = CountingModel([story.text])
    result = cut_narrative(story, SentenceDeletion(model), 5, protected=[0])
    assert [cut.sentence.index for cut in result.cuts] == [1, 2]


def flat_losses(kept, targets, horizon):
    """Every later token loses the same: 0.1 nats."""
    places = [list(kept).index(k) for k in targets]
    counts = [len(kept) - place - 1 for place in places]
    return [
        RemovalLoss(place, 0.1, np.full(count, 0.1), np.full(count, 10.0))
        for place, count in zip(places, counts, strict=True)
    ]


@pytest.mark.parametrize(("horizon", "first"), [(None, 98), (128, 0)])
def test_the_criterion_does_not_prefer_the_end(horizon, first):
    """All tokens of the rest make late sentences cheap; a horizon treats all alike, and ties go in order."""
    search = CutSearch([10] * 100, [10] * 100, flat_losses, horizon=horizon)
    assert next(search.run(990)).index == first


def test_only_neighbours_are_measured_again_with_a_window():
    measured = []

    def measure(kept, targets, horizon):
        measured.append(list(targets))
        return flat_losses(kept, targets, horizon)

    search = CutSearch([10] * 100, [10] * 100, measure, window=50)
    assert len(list(search.run(980))) == 2
    assert len(measured[0]) == 99
    assert all(k <= 15 for targets in measured[1:] for k in targets)


def test_little_is_cut_beyond_the_target():
    """Words that exceed what is asked for count for nothing: at the same cost, the short sentence goes."""
    words = [10, 3, 10, 10]

    def measure(kept, targets, horizon):
        return [RemovalLoss(0, 1.0, np.array([1.0]), np.array([1.0])) for _ in targets]

    search = CutSearch(words, words, measure)
    assert [step.index for step in search.run(31)] == [1]


def test_a_cheap_unit_goes_though_an_expensive_one_comes_closer():
    words, costs = [105, 110, 120, 90], [106.0, 3.0, 50.0, 0.0]

    def measure(kept, targets, horizon):
        return [RemovalLoss(0, 0.0, np.array([costs[k]]), np.array([1.0])) for k in targets]

    assert [step.index for step in CutSearch(words, words, measure).run(sum(words) - 100)] == [1]


@given(st.lists(st.integers(50, 900), min_size=3, max_size=9), st.floats(0.2, 0.95), st.randoms())
def test_the_target_is_met_and_missed_by_less_than_a_unit(words, share, dice):
    target = max(words[-1], int(share * sum(words)))
    costs = [dice.random() for _ in words]

    def measure(kept, targets, horizon):
        return [RemovalLoss(0, 0.0, np.array([costs[k]]), np.array([1.0])) for k in targets]

    search = CutSearch(words, words, measure)
    for steps in (list(search.run(target)), search.search(target)):
        left = sum(words) - sum(words[step.index] for step in steps)
        assert target - max(words) < left <= target
