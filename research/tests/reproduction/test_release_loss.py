"""The fast scores against two plain passes a sentence, and the release's habits one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.errors import ModelError, SentenceTooLongError
from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.removal.removal import Removed, delete_sentences
from barthes_research.reproduction.release_loss import ReleaseLoss, Window, find_window, gather_texts
from barthes_research.reproduction.release_removal import release_removals
from tests.strategies import narratives, sentences
from tests.tiny_models import tiny_model

MODELS = {
    "llama": tiny_model(context=256),
    "gpt2": tiny_model("gpt2", context=256),
    "counting": CountingModel(["the wolf came . a girl ran . the king slept and died . rained !"], k=0.5),
}
LLAMA = MODELS["llama"]
ROUNDING = 5e-5  # nats: how many tokens are read together decides by which products a processor computes


def plain(name="llama", context=256):
    """The same model, whose network attends in transformers' own way and shares nothing."""
    if name == "counting":
        return MODELS[name]
    model = tiny_model(name, context=context)
    model.network.set_attn_implementation("eager")
    return model


PLAIN = {name: plain(name) for name in MODELS}
STORY = Narrative.from_sentences(["the wolf came .", "a girl ran .", "the king slept and died .", "rained !"])


def oracle(model, narrative, removed, window):
    """The release, spelled out: choose the context, two passes, nothing shared."""
    tokens = model.encode([str(sentence) for sentence in narrative])
    scores = []
    for k, target in enumerate(tokens):
        share = (window - len(target)) / 2
        context, room = [], share
        for sentence in reversed(tokens[:k]):
            if len(sentence) <= room:
                context, room = sentence + context, room - len(sentence)
        following, room = [], share
        for sentence in tokens[k + 1 :]:
            if len(sentence) <= room:
                following, room = following + sentence, room - len(sentence)
        if k == len(tokens) - 1:
            following = [model.end_token]
        text = removed[k].text
        replacement = (model.encode(["x", text])[1] if k else model.encode([text])[0]) if text else []
        with_it = log_likelihood(model, context + target, following)
        without = log_likelihood(model, context + replacement, following)
        scores.append((with_it - without) / len(following))
    return scores


def log_likelihood(model, context, following):
    if not context:  # nothing to predict the first token from
        context, following = following[:1], following[1:]
    if not following:
        return 0.0
    return float(model.continuation_log_probabilities(context, following).sum())


def replace_all(narrative, texts):
    return [Removed(i, texts[i % len(texts)]) for i in range(len(narrative))]


def test_every_method_is_two_plain_passes_a_sentence(crane):
    narrative = crane.token_narrative
    removals = release_removals(crane)
    model = CountingModel([narrative.text, *(r.text for row in removals.values() for r in row)])
    scores = ReleaseLoss(model).score(narrative, removals)
    for method in removals:
        np.testing.assert_allclose(
            scores[method], oracle(model, narrative, removals[method], 1024), atol=1e-9
        )


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=25, deadline=None)
@given(
    narrative=narratives(max_size=8),
    texts=st.lists(sentences | st.just(""), min_size=1, max_size=8),
    window=st.integers(22, 60),
)
def test_windows_holes_and_replacements_are_the_oracles(name, narrative, texts, window):
    """A window of 22 leaves 7 tokens a side or more: room for the longest sentence."""
    model = MODELS[name]
    removals = {"sd": delete_sentences(narrative), "other": replace_all(narrative, texts)}
    scores = ReleaseLoss(model, window=window).score(narrative, removals)
    for method, removed in removals.items():
        expected = oracle(PLAIN[name], narrative, removed, window)
        np.testing.assert_allclose(scores[method], expected, atol=ROUNDING)


def test_first_sentence_loses_a_token_but_not_in_the_divisor():
    """`c` after `.` is 2/9 in the first pass and is missing from the second; five tokens follow S_1."""
    story = Narrative.from_sentences(["a b .", "c .", "a b ."])
    [first, second, last] = sd(CountingModel([story.text], k=1.0), story)
    assert first == pytest.approx(math.log(2 / 9) / 5)
    assert second == last == pytest.approx(0.0)


@pytest.fixture
def texts(monkeypatch):
    """The texts that the model was given to read."""
    seen = []

    def gather(*arguments, **options):
        seen[:] = gather_texts(*arguments, **options)
        return seen

    monkeypatch.setattr("barthes_research.reproduction.release_loss.gather_texts", gather)
    return seen


def test_unchanged_sentences_score_zero_and_cost_nothing(texts):
    assert ReleaseLoss(LLAMA).score(STORY, {"va": [Removed(s.index, s.text) for s in STORY]}) == {
        "va": [0.0] * 4
    }
    assert texts == []


LONG = "the wolf ran and the wolf ran and the wolf ran and the king died ."


def test_a_longer_replacement_does_not_move_the_window():
    """The model can read more than the window: the context is the sentence's, as the oracle has it."""
    removals = {"va": replace_all(STORY, [LONG])}
    scores = ReleaseLoss(LLAMA, window=24).score(STORY, removals)
    np.testing.assert_allclose(scores["va"], oracle(PLAIN["llama"], STORY, removals["va"], 24), atol=ROUNDING)


def test_a_window_beyond_the_models_context_is_lowered():
    model = tiny_model("gpt2", context=30)
    loss = ReleaseLoss(model)
    assert loss.window == 30
    [note] = loss.notes
    assert "The window is 30 tokens" in note
    assert ReleaseLoss(LLAMA, window=100).notes == ()


def test_a_sentence_without_room_for_what_follows_is_named():
    """(8 - 6) // 2 = 1: not even `rained !` fits after S_3. It does after S_1 and S_2, past the hole."""
    with pytest.raises(
        SentenceTooLongError, match=r"sentence 3 and what follows.*window of 8 .*more tokens at once"
    ):
        sd(LLAMA, STORY, window=8)
    with pytest.raises(SentenceTooLongError, match="sentence 1"):
        sd(LLAMA, Narrative.from_sentences([LONG]), window=12)
    story = Narrative.from_sentences(["the wolf came ."])
    with pytest.raises(SentenceTooLongError, match="sentence 1"):  # the replacement is too long
        ReleaseLoss(tiny_model("gpt2", context=28)).score(story, {"va": [Removed(0, f"{LONG} {LONG}")]})
    with pytest.raises(ValueError, match="window of 1 tokens"):
        ReleaseLoss(LLAMA, window=1)


def test_numbers_that_are_not_numbers_are_refused():
    model = tiny_model()
    with torch.no_grad():
        model.network.get_output_embeddings().weight.fill_(float("nan"))
    with pytest.raises(ModelError, match=r"not numbers.*try float32"):
        sd(model, STORY)


def sd(model, narrative, window=1024):
    return ReleaseLoss(model, window=window).score(narrative, {"sd": delete_sentences(narrative)})["sd"]


@pytest.mark.parametrize(
    ("lengths", "target", "limit", "before", "after"),
    [
        ([3] * 5, 0, 13, (), (1,)),  # 5 a side, so one sentence a side
        ([3] * 5, 2, 13, (1,), (3,)),
        ([3] * 5, 4, 13, (3,), ()),  # its other half stays empty: nothing is given to the left
        ([2, 4, 9, 3, 4, 7, 2, 1], 4, 20, (1, 3), (5, 7)),  # 8 a side: holes at S_3 and S_7, no room for S_1
        ([1, 9, 2, 9, 1], 2, 8, (0,), (4,)),
        ([3, 1, 3], 1, 6, (), ()),  # an odd token is left over
        ([3, 1, 3], 1, 7, (0,), (2,)),
        ([1, 9, 1], 1, 5, (), ()),
    ],
)
def test_windows_by_hand(lengths, target, limit, before, after):
    assert find_window(lengths, target, limit) == Window(before, after)


lengths = st.lists(st.integers(1, 9), min_size=1, max_size=30)
