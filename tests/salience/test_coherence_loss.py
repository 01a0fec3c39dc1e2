"""Losses of removals against a slow computation of the equations."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from barthes.baselines import Length
from barthes.errors import ModelError, NarrativeError, SentenceTooLongError
from barthes.models.counting import CountingModel
from barthes.models.windows import find_windows
from barthes.narrative import Narrative
from barthes.removal.removal import Removed
from barthes.salience.coherence_loss import CoherenceLoss
from barthes.salience.method_info import MethodInfo
from barthes.salience.preview import Preview
from barthes.salience.profile import LAST_SENTENCE
from barthes.salience.removal_method import RemovalMethod, RepeatedDeletion, SentenceDeletion
from tests.oracles import mean_log_likelihood, sentence_deletion
from tests.strategies import narratives
from tests.tiny_models import by_hand, tiny_model, tiny_network

MODEL, NETWORK = tiny_model(), tiny_network().eval()
STORY = Narrative.from_sentences(["the wolf came .", "a girl ran .", "the king slept and died .", "rained !"])
LONG = Narrative.from_sentences(["The wolf ate the sheep and the king slept ."] * 40)


def repeat(times):
    return Narrative.from_sentences([*map(str, STORY)] * times)


@settings(max_examples=25)
@given(narratives())
def test_scores_are_the_papers_equations(narrative):
    profile = SentenceDeletion(MODEL).score(narrative)
    np.testing.assert_allclose(profile.scores, sentence_deletion(NETWORK, MODEL, narrative), atol=1e-4)


@given(narratives())
def test_a_uniform_model_finds_nothing_salient(narrative):
    uniform = CountingModel([], k=1.0)
    assert SentenceDeletion(uniform).score(narrative).scores == (0.0,) * len(narrative)


@settings(max_examples=15)
@given(narratives(min_size=2, max_size=8), st.integers(14, 40))
def test_windows_follow_the_appendix(narrative, window):
    tokens = MODEL.encode([str(sentence) for sentence in narrative])
    lengths = list(map(len, tokens))
    assume(sum(lengths) + 2 > window)
    assume(max(a + b for a, b in zip(lengths, [*lengths[1:], 0], strict=True)) <= window - 2)
    profile = SentenceDeletion(MODEL, window=window).score(narrative)
    assert profile.window == window
    assert any("window of" in note for note in profile.notes)
    for k, (first, last) in enumerate(find_windows(lengths, window - 2)):
        before = [0, *sum(tokens[first:k], [])]
        after = sum(tokens[k + 1 : last], []) or [0]
        expected = mean_log_likelihood(NETWORK, before + tokens[k], after)
        expected -= mean_log_likelihood(NETWORK, before, after)
        assert profile.scores[k] == pytest.approx(expected, abs=1e-4)
        assert profile.surprise[k] == pytest.approx(
            -mean_log_likelihood(NETWORK, before, tokens[k]), abs=1e-4
        )


@settings(max_examples=25)
@given(narratives())
def test_surprise_is_the_mean_surprisal_given_all_before(narrative):
    counting = CountingModel([narrative.text])
    tokens = counting.encode([str(sentence) for sentence in narrative])
    plain = tuple(
        -counting.continuation_log_probabilities([0, *sum(tokens[:k], [])], ids).mean()
        for k, ids in enumerate(tokens)
    )
    for method in (
        SentenceDeletion(counting),
        Preview(counting, horizon=2),
        SentenceDeletion(counting) + Length(),
    ):
        assert method.score(narrative).surprise == plain
    tokens = MODEL.encode([str(sentence) for sentence in narrative])
    plain = [
        -mean_log_likelihood(NETWORK, [MODEL.start_token, *sum(tokens[:k], [])], ids)
        for k, ids in enumerate(tokens)
    ]
    np.testing.assert_allclose(SentenceDeletion(MODEL).score(narrative).surprise, plain, atol=1e-4)


def test_a_window_that_holds_the_story_changes_nothing():
    whole = SentenceDeletion(MODEL).score(STORY)
    assert SentenceDeletion(MODEL, window=1000).score(STORY) == whole
    assert (whole.window, whole.notes) == (None, ())


@pytest.mark.parametrize("architecture", ["llama", "gpt2"])
def test_a_window_beyond_the_models_context_is_lowered(architecture):
    model = tiny_model(architecture, context=24)
    profile = SentenceDeletion(model, window=1000).score(repeat(4))
    assert profile.window == 24
    assert "not 1000" in profile.notes[1]
    by_default = SentenceDeletion(model).score(repeat(4))
    assert (by_default.scores, by_default.window) == (profile.scores, 24)
    assert np.isfinite(profile.scores).all()


def test_one_sentence_is_scored_by_the_end_of_text():
    profile = SentenceDeletion(MODEL).score(Narrative.from_sentences(["the wolf came ."]))
    [tokens] = MODEL.encode(["the wolf came ."])
    expected = mean_log_likelihood(NETWORK, [0, *tokens], [0]) - mean_log_likelihood(NETWORK, [0], [0])
    assert profile.scores[0] == pytest.approx(expected, abs=1e-4)
    assert "end-of-text" in profile.notes[0]


def test_what_cannot_be_scored_is_refused():
    problem = r"sentence 2 has 4 tokens and the next one 6.*larger window"
    with pytest.raises(SentenceTooLongError, match=problem):
        SentenceDeletion(MODEL, window=11).score(STORY)
    with pytest.raises(ValueError, match="no room for a sentence"):
        CoherenceLoss(MODEL, window=2)
    with pytest.raises(ValueError, match="too short"):
        CoherenceLoss(MODEL, horizon=0)
    broken = tiny_model()
    with torch.no_grad():
        broken.network.get_output_embeddings().weight.fill_(float("nan"))
    with pytest.raises(ModelError, match=r"not numbers.*try float32"):
        SentenceDeletion(broken).score(STORY)


def test_by_hand_with_the_counting_model():
    """Deleting S_2 of `a b . / c . / a b .` joins `. a` and `. a`: the first word keeps its history."""
    story = Narrative.from_sentences(["a b .", "c .", "a b ."])
    scores = SentenceDeletion(CountingModel([story.text], k=1.0)).score(story).scores
    # |V| = 6. S_1 gone: `c` follows the start of the text instead of `.`: P 2/9 becomes 1/7, over 5 tokens.
    # S_3 gone: the end follows `.` as before.
    assert scores == pytest.approx(((np.log(2 / 9) - np.log(1 / 7)) / 5, 0.0, 0.0))


def test_a_replacement_longer_than_its_sentence_still_fits_the_context():
    """GPT-2 has no position beyond its context: room is left for what takes a sentence's place."""

    def blow_up(narrative):
        return [Removed(sentence.index, "the wolf ran and the wolf ran .") for sentence in narrative]

    for story in (repeat(3), STORY):
        method = RemovalMethod(tiny_model("gpt2", context=24), blow_up, info=MethodInfo("longer"))
        assert np.isfinite(method.score(story).scores).all()


@pytest.mark.parametrize(("horizon", "total"), [(None, 1 + 32 + 4 * 28), (2, 1 + 32 + 2 * 7)])
def test_progress_counts_the_tokens_that_are_read(horizon, total):
    story = Narrative.from_sentences(["the wolf came ."] * 8)
    seen = []
    method = SentenceDeletion(MODEL) if horizon is None else Preview(MODEL, horizon=horizon)
    method.score(story, progress=lambda *step: seen.append(step))
    assert (seen[0], seen[-1]) == ((0, total), (total, total))
    assert sorted(seen) == seen


def test_threads_may_share_a_model():
    stories = [Narrative.from_sentences([*map(str, STORY)][: n % 4 + 1] * 2) for n in range(12)]
    expected = [SentenceDeletion(MODEL).score(story).scores for story in stories]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda story: SentenceDeletion(MODEL).score(story).scores, stories))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_losses_come_in_story_order_before_the_next_progress():
    """So that those who listen see scores and progress grow together, and can stop in between."""
    events = []
    heard = []
    method = SentenceDeletion(MODEL)
    profile = method.score(
        STORY,
        progress=lambda done, total: events.append("progress"),
        each=lambda loss: (events.append("loss"), heard.append(loss)),
    )
    assert events == ["progress", *["progress", "loss"] * 4]
    assert [loss.index for loss in heard] == [0, 1, 2, 3]
    assert tuple(loss.total for loss in heard) == profile.scores
    for loss, column in zip(heard, profile.influences.columns, strict=True):
        assert np.array_equal(loss.later, column)
    assert profile == method.score(STORY), "listening changes nothing"


@pytest.mark.parametrize("window", [None, 300])
def test_of_a_long_story_the_end_comes_first_and_nothing_changes(window):
    model = tiny_model(context=1024)
    heard = []
    profile = SentenceDeletion(model, window=window).score(LONG, each=heard.append)
    early = len(heard) - len(LONG)
    assert early > (2 if window is None else 0)
    places = [loss.index for loss in heard]
    assert places[:early] == sorted(places[:early])
    assert places[early:] == list(range(40))
    assert tuple(loss.total for loss in heard[early:]) == profile.scores
    for loss in heard[:early]:
        assert loss.total == pytest.approx(profile.scores[loss.index], abs=1e-5)
        assert loss.later == pytest.approx(profile.influences.columns[loss.index], abs=1e-5, nan_ok=True)
    assert profile == SentenceDeletion(model, window=window).score(LONG)


@given(narratives(max_size=9), st.none() | st.integers(16, 40), st.none() | st.integers(1, 30))
def test_tokens_add_up_to_what_follows(narrative, window, horizon):
    model = CountingModel([narrative.text])
    method = RemovalMethod(model, SentenceDeletion(model)._removal, window=window, horizon=horizon)
    losses = method.measure(narrative).losses
    lengths = [len(ids) for ids in model.encode([str(sentence) for sentence in narrative])]
    for k, loss in enumerate(losses):
        assert len(loss.tokens) == len(loss.later)
        assert loss.rest == 0 or horizon is not None
        whole = k + 1 + len(loss.tokens) - (horizon is not None)  # a horizon may end inside a sentence
        assert loss.tokens[: whole - k - 1].tolist() == lengths[k + 1 : whole]
        if window is None:
            assert loss.tokens.sum() + loss.rest == sum(lengths[k + 1 :])


def test_a_task_can_be_measured_in_slices():
    loss = CoherenceLoss(CountingModel([STORY.text]), window=12)
    removals = [Removed(k, "") for k in range(4)]
    task = loss.prepare(STORY, removals)
    whole = [found.total for found in loss.measure(task)]
    slices = [found.total for part in (task.slice(0, 1), task.slice(1, 4)) for found in loss.measure(part)]
    assert slices == whole
    assert sum(passage.cost for passage in task.divide()) > sum(p.cost for p in task.slice(0, 1).divide())


REFRAIN = [
    "The wolf came , the wolf ate .",
    "a girl ran .",
    "the wolf came ! The wolf ate !",
    "a king slept .",
]


def without_repeats(tokens, members):
    """Return the mean loss of the sentences after the first member, by two whole passes."""
    first = members[0]
    kept = [k for k in range(first + 1, len(tokens)) if k not in members]
    before = [MODEL.start_token, *sum(tokens[:first], [])]
    whole = by_hand(NETWORK, [*before, *tokens[first]], sum(tokens[first + 1 :], []))
    edges = np.cumsum([0, *map(len, tokens[first + 1 :])])
    known = np.concatenate([whole[edges[k - first - 1] : edges[k - first]] for k in kept])
    return (known - by_hand(NETWORK, before, sum((tokens[k] for k in kept), []))).mean()


def test_repeats_are_removed_together():
    story = Narrative.from_sentences(["a sheep slept .", *REFRAIN])
    tokens = MODEL.encode([str(sentence) for sentence in story])
    profile, plain = RepeatedDeletion(MODEL).score(story), SentenceDeletion(MODEL).score(story)
    assert profile.scores[1] == profile.scores[3] == pytest.approx(without_repeats(tokens, [1, 3]), abs=1e-4)
    assert [profile.scores[k] for k in (0, 2, 4)] == [plain.scores[k] for k in (0, 2, 4)]
    assert np.isnan(profile.influence[3, 1])  # it is removed too
    assert profile.unranked == {4: LAST_SENTENCE}
    assert (profile.notes, len(plain.notes)) == ((), 1)
    assert plain.notes[0].startswith("Sentences 2, 4 repeat each other.")


def test_repeats_are_removed_together_in_their_window():
    story = Narrative.from_sentences([*REFRAIN, *["a king died ."] * 20, *REFRAIN])
    tokens = MODEL.encode([str(sentence) for sentence in story])
    window = 40
    profile = RepeatedDeletion(MODEL, window=window).score(story)
    first, last = find_windows(list(map(len, tokens)), window - 2)[2]
    assert (first, 3 < last < 24) == (0, True)
    expected = without_repeats(tokens[:last], [0, 2])
    assert profile.scores[2] == pytest.approx(expected, abs=1e-4)


def test_nothing_but_repeats_in_a_window_is_refused():
    with pytest.raises(NarrativeError, match=r"only repetitions of sentence 1 follow it in its window"):
        RepeatedDeletion(MODEL, window=40).score(Narrative.from_sentences([REFRAIN[0]] * 20))


def test_without_repeats_the_scores_are_those_of_deletion():
    assert RepeatedDeletion(MODEL).score(STORY).scores == SentenceDeletion(MODEL).score(STORY).scores
