"""Losses of removals against a slow computation of the equations."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from barthes.baselines import Length
from barthes.errors import ModelError
from barthes.models.counting import CountingModel
from barthes.models.windows import find_windows
from barthes.narrative import Narrative
from barthes.removal.removal import Removed
from barthes.salience.method_info import MethodInfo
from barthes.salience.preview import Preview
from barthes.salience.removal_method import RemovalMethod, SentenceDeletion
from tests.oracles import mean_log_likelihood, sentence_deletion
from tests.strategies import narratives
from tests.tiny_models import tiny_model, tiny_network

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


def test_the_middle_of_a_sentence_that_does_not_fit_is_not_read():
    """It is read as if the story had the shorter sentence; a note says so."""
    long = Narrative.from_sentences(["the wolf came .", "a girl ran and ran and ran and ran .", "rained !"])
    short = Narrative.from_sentences(["the wolf came .", "a girl ran .", "rained !"])
    method = SentenceDeletion(MODEL, window=12)
    profile = method.score(long)
    whole = MODEL.encode([str(sentence) for sentence in long])
    assert method.prepare(long).tokens == [whole[0], [*whole[1][:2], *whole[1][-2:]], whole[2]]
    assert np.isfinite(profile.scores).all()
    assert "sentence 2" in profile.notes[-1]
    assert method.score(short).notes[1:] == ()


def test_what_cannot_be_scored_is_refused():
    with pytest.raises(ValueError, match="no room for a sentence"):
        SentenceDeletion(MODEL, window=2)
    with pytest.raises(ValueError, match="too short"):
        Preview(MODEL, horizon=0)
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
