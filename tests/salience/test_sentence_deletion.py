from __future__ import annotations

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from barthes.errors import ModelError, SentenceTooLongError
from barthes.models.counting import CountingModel
from barthes.models.windows import find_windows
from barthes.narrative import Narrative
from barthes.removal.removal import Removed
from barthes.salience.method_info import MethodInfo
from barthes.salience.removal_method import RemovalMethod, SentenceDeletion
from tests.oracles import mean_log_likelihood, sentence_deletion
from tests.strategies import narratives
from tests.tiny_models import tiny_model, tiny_network

MODEL, NETWORK = tiny_model(), tiny_network().eval()
STORY = Narrative.from_sentences(["the wolf came .", "a girl ran .", "the king slept and died .", "rained !"])


@settings(max_examples=40, deadline=None)
@given(narratives())
def test_scores_are_the_papers_equations(narrative):
    profile = SentenceDeletion(MODEL).score(narrative)
    np.testing.assert_allclose(profile.scores, sentence_deletion(NETWORK, MODEL, narrative), atol=1e-4)


@given(narratives())
def test_a_uniform_model_finds_nothing_salient(narrative):
    uniform = CountingModel([], k=1.0)
    assert SentenceDeletion(uniform).score(narrative).scores == (0.0,) * len(narrative)


@settings(max_examples=25, deadline=None)
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


def test_a_window_that_holds_the_story_changes_nothing():
    whole = SentenceDeletion(MODEL).score(STORY)
    assert SentenceDeletion(MODEL, window=1000).score(STORY) == whole
    assert whole.window is None
    assert whole.notes == ()


def test_a_story_beyond_the_models_context_is_read_in_windows():
    model = tiny_model(context=24)
    long = Narrative.from_sentences([*map(str, STORY)] * 4)
    profile = SentenceDeletion(model).score(long)
    assert profile.window == 24
    assert np.isfinite(profile.scores).all()


def test_influence_adds_up_to_salience():
    profile = SentenceDeletion(MODEL).score(STORY)
    lengths = np.array([len(ids) for ids in MODEL.encode([str(s) for s in STORY])])
    assert profile.influence is not None
    for k in range(len(STORY) - 1):
        later = slice(k + 1, None)
        mean = (profile.influence[later, k] * lengths[later]).sum() / lengths[later].sum()
        assert profile.scores[k] == pytest.approx(mean, abs=1e-9)
    assert np.isnan(profile.influence[np.triu_indices(len(STORY))]).all()


def test_one_sentence_is_scored_by_the_end_of_text():
    profile = SentenceDeletion(MODEL).score(Narrative.from_sentences(["the wolf came ."]))
    [tokens] = MODEL.encode(["the wolf came ."])
    expected = mean_log_likelihood(NETWORK, [0, *tokens], [0]) - mean_log_likelihood(NETWORK, [0], [0])
    assert profile.scores[0] == pytest.approx(expected, abs=1e-4)
    assert "end-of-text" in profile.notes[0]


def test_a_sentence_longer_than_the_window_is_named():
    with pytest.raises(
        SentenceTooLongError, match=r"sentence 2 has 4 tokens and the next one 6.*larger window"
    ):
        SentenceDeletion(MODEL, window=11).score(STORY)


def test_progress_ends_at_its_total():
    seen: list[tuple[int, int]] = []
    SentenceDeletion(MODEL).score(STORY, progress=lambda done, total: seen.append((done, total)))
    assert seen[0][0] == 0
    assert seen[-1][0] == seen[-1][1]
    assert sorted(seen) == seen


def test_by_hand_with_the_counting_model():
    """Deleting S_2 of `a b . / c . / a b .` joins `. a` and `. a`: the first word keeps its history."""
    story = Narrative.from_sentences(["a b .", "c .", "a b ."])
    model = CountingModel([story.text], k=1.0)
    scores = SentenceDeletion(model).score(story).scores
    # |V| = 6. S_1 gone: `c` follows the start of the text instead of `.`: P 2/9 becomes 1/7, over 5 tokens.
    assert scores[0] == pytest.approx((np.log(2 / 9) - np.log(1 / 7)) / 5)
    assert scores[1] == pytest.approx(0.0)
    # S_3 gone: the end follows `.` as before.
    assert scores[2] == pytest.approx(0.0)


@pytest.mark.parametrize("architecture", ["llama", "gpt2"])
def test_a_window_beyond_the_models_context_is_lowered(architecture):
    model = tiny_model(architecture, context=24)
    long = Narrative.from_sentences([*map(str, STORY)] * 4)
    profile = SentenceDeletion(model, window=1000).score(long)
    assert profile.window == 24
    assert "not 1000" in profile.notes[1]
    assert profile.scores == SentenceDeletion(model).score(long).scores


def test_a_replacement_longer_than_its_sentence_still_fits_the_context():
    """GPT-2 has no position beyond its context: room is left for what takes a sentence's place."""

    def blow_up(narrative):
        return [Removed(sentence.index, "the wolf ran and the wolf ran .") for sentence in narrative]

    model = tiny_model("gpt2", context=24)
    for story in (Narrative.from_sentences([*map(str, STORY)] * 3), STORY):
        profile = RemovalMethod(model, blow_up, info=MethodInfo("longer")).score(story)
        assert np.isfinite(profile.scores).all()


def test_numbers_that_are_not_numbers_are_refused():
    model = tiny_model()
    with torch.no_grad():
        model.network.get_output_embeddings().weight.fill_(float("nan"))
    with pytest.raises(ModelError, match=r"not numbers.*--dtype float32"):
        SentenceDeletion(model).score(STORY)


def test_a_method_travels_to_another_process(tmp_path):
    """Pickled here, unpickled where nothing of ours has been imported."""
    (tmp_path / "method.pickle").write_bytes(pickle.dumps((SentenceDeletion(MODEL), STORY)))
    script = (
        "import pickle, pathlib, sys; method, story = pickle.loads(pathlib.Path(sys.argv[1]).read_bytes());"
        "print(*method.score(story).scores)"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "method.pickle")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    np.testing.assert_allclose(
        [float(word) for word in done.stdout.split()], SentenceDeletion(MODEL).score(STORY).scores, atol=1e-6
    )


def test_threads_may_share_a_model():
    stories = [Narrative.from_sentences([*map(str, STORY)][: n % 4 + 1] * 2) for n in range(40)]
    expected = [SentenceDeletion(MODEL).score(story).scores for story in stories]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda story: SentenceDeletion(MODEL).score(story).scores, stories))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_a_long_story_keeps_a_narrow_band_of_influences():
    model = CountingModel([STORY.text])
    long = Narrative.from_sentences([*map(str, STORY)] * 500)
    profile = SentenceDeletion(model, window=40).score(long)
    assert profile.influences is not None
    assert max(len(column) for column in profile.influences.columns) < 20


def test_the_name_of_a_model_is_not_a_model():
    with pytest.raises(TypeError, match=r"barthes\.load_model\('gpt2'\)"):
        SentenceDeletion("gpt2")
