"""Methods that remove events, against the equations done slowly."""

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

import barthes
from barthes.annotation.annotator import annotate
from barthes.annotation.events import Annotation, SentenceAnnotation, Token
from barthes.errors import ModelError, NarrativeError, SentenceTooLongError, UnknownNameError
from barthes.models.counting import CountingModel
from barthes.models.windows import find_windows
from barthes.narrative import Narrative
from barthes.removal.anonymization import anonymize_predicates_and_arguments, anonymize_verbs
from barthes.removal.removal import Removed
from barthes.removal.rewriting import rewrite
from barthes.report.tables import COLUMNS, to_plain, to_rows
from barthes.salience.method_info import MethodInfo
from barthes.salience.profile import EventProfile
from barthes.salience.removal_method import (
    EventSalience,
    PredicateArgumentAnonymization,
    Preview,
    RemovalMethod,
    SentenceDeletion,
    VerbAnonymization,
)
from tests.oracles import mean_log_likelihood, sentence_deletion
from tests.strategies import narratives
from tests.tiny_models import WORDS, by_hand, tiny_model, tiny_network

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
    with pytest.raises(ModelError, match=r"not numbers.*try float32"):
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


WOLF_STORY = barthes.Narrative.from_sentences(
    ["A wolf came.", "The king slept.", "The wolf ate the sheep.", "It rained.", "The girl ran."]
)


def test_each_loss_is_told_in_story_order_and_is_that_of_the_profile():
    method = barthes.SentenceDeletion(tiny_model())
    heard = []
    profile = method.score(WOLF_STORY, each=heard.append)
    assert [loss.index for loss in heard] == [0, 1, 2, 3, 4]
    assert tuple(loss.total for loss in heard) == profile.scores
    for loss, column in zip(heard, profile.influences.columns, strict=True):
        assert np.array_equal(loss.later, column)


def test_listening_changes_nothing():
    method = barthes.SentenceDeletion(tiny_model())
    assert method.score(WOLF_STORY, each=lambda loss: None) == method.score(WOLF_STORY)


def test_a_loss_is_told_before_the_next_progress():
    """So that those who listen see scores and progress grow together, and can stop in between."""
    told = []
    model = barthes.CountingModel([WOLF_STORY.text])
    barthes.SentenceDeletion(model).score(
        WOLF_STORY,
        progress=lambda done, total: told.append("progress"),
        each=lambda loss: told.append("loss"),
    )
    assert told == ["progress", *["progress", "loss"] * 5]


LONG = barthes.Narrative.from_sentences(["The wolf ate the sheep and the king slept ."] * 40)


@pytest.mark.parametrize("window", [None, 300])
def test_of_a_long_story_the_end_is_glimpsed_first_and_nothing_changes(window):
    model = tiny_model(context=1024)
    heard = []
    profile = barthes.SentenceDeletion(model, window=window).score(LONG, each=heard.append)
    glimpsed = len(heard) - len(LONG)
    assert glimpsed > (2 if window is None else 0)
    places = [loss.index for loss in heard]
    assert places[:glimpsed] == sorted(places[:glimpsed])
    assert places[glimpsed:] == list(range(40))
    assert tuple(loss.total for loss in heard[glimpsed:]) == profile.scores
    for loss in heard[:glimpsed]:
        assert loss.total == pytest.approx(profile.scores[loss.index], abs=1e-5)
        assert loss.later == pytest.approx(profile.influences.columns[loss.index], abs=1e-5, nan_ok=True)
    assert profile == barthes.SentenceDeletion(model, window=window).score(LONG)


preview_sentences = st.lists(st.sampled_from(WORDS[2:]), min_size=1, max_size=6).map(" ".join)


@settings(max_examples=25, deadline=None)
@given(st.lists(preview_sentences, min_size=1, max_size=7), st.integers(1, 50))
def test_it_is_the_sum_of_the_near_losses_over_the_whole_rest(texts, horizon):
    story = Narrative.from_sentences(texts)
    pieces = MODEL.encode([str(sentence) for sentence in story])
    found = Preview(MODEL, horizon=horizon).score(story)
    for k, score in enumerate(found.scores):
        before = [MODEL.start_token, *(token for ids in pieces[:k] for token in ids)]
        after = [token for ids in pieces[k + 1 :] for token in ids] or [MODEL.end_token]
        near = after[:horizon]
        told = by_hand(NETWORK, [*before, *pieces[k]], near)
        without = by_hand(NETWORK, before, near)
        assert score == pytest.approx((told - without).sum() / len(after), abs=1e-4)


def test_what_was_not_read_has_no_influence():
    story = Narrative.from_sentences(["the wolf came .", "it rained .", "a girl ran .", "the wolf ate ."])
    exact = SentenceDeletion(MODEL).score(story)
    found = Preview(MODEL, horizon=4).score(story)
    assert [len(column) for column in found.influences.columns] == [2, 1, 1, 0]
    np.testing.assert_allclose(found.influences.columns[0][0], exact.influences.columns[0][0], atol=1e-5)
    assert any("An estimate" in note for note in found.notes)
    assert not any("An estimate" in note for note in exact.notes)


def test_a_far_horizon_is_exact():
    story = Narrative.from_sentences(["the wolf came .", "it rained .", "a girl ran ."])
    found = Preview(MODEL, horizon=999).score(story)
    assert found.scores == pytest.approx(SentenceDeletion(MODEL).score(story).scores, abs=1e-6)
    assert found.notes == ()


def test_progress_counts_what_is_read():
    story = Narrative.from_sentences(["the wolf came ."] * 8)
    steps = []
    Preview(MODEL, horizon=2).score(story, progress=lambda done, total: steps.append((done, total)))
    assert steps[-1][0] == steps[-1][1] == 1 + 8 * 4 + 7 * 2


def test_no_horizon_is_refused():
    with pytest.raises(ValueError, match="too short"):
        Preview(MODEL, horizon=0)


VERB_STORY = Narrative.from_sentences(
    ["The wolf came.", "A girl ran and slept.", "The king married the girl.", "It rained!"]
)


def score_slowly(narrative, removals):
    """Equations 1 to 3 to the letter: two whole passes for every sentence."""
    tokens = MODEL.encode([str(sentence) for sentence in narrative])
    scores = []
    for k, removed in enumerate(removals):
        before = [MODEL.start_token, *sum(tokens[:k], [])]
        after = sum(tokens[k + 1 :], []) or [MODEL.end_token]
        [rest] = MODEL.encode([" ".join(removed.text.split())])
        with_it = mean_log_likelihood(NETWORK, before + tokens[k], after)
        scores.append(with_it - mean_log_likelihood(NETWORK, before + rest, after))
    return scores


@settings(max_examples=20, deadline=None)
@given(narratives(max_size=4))
def test_verb_anonymization_is_the_papers_equation(narrative):
    profile = VerbAnonymization(MODEL).score(narrative)
    expected = score_slowly(narrative, anonymize_verbs(narrative, annotate(narrative)))
    np.testing.assert_allclose(profile.scores, expected, atol=1e-4)


def test_verb_anonymization_of_a_story():
    profile = VerbAnonymization(MODEL).score(VERB_STORY)
    expected = score_slowly(VERB_STORY, anonymize_verbs(VERB_STORY, annotate(VERB_STORY)))
    np.testing.assert_allclose(profile.scores, expected, atol=1e-4)
    assert (profile.method, profile.model, profile.window) == ("va", MODEL.name, None)
    assert all(score != 0 for score in profile.scores)


def test_a_sentence_without_verbs_loses_nothing():
    nothing = Annotation((SentenceAnnotation(),) * len(VERB_STORY))
    profile = VerbAnonymization(MODEL, annotate=lambda _: nothing).score(VERB_STORY)
    assert profile.scores == pytest.approx([0.0] * len(VERB_STORY), abs=1e-6)


def test_a_uniform_model_finds_no_verb_salient():
    uniform = CountingModel([VERB_STORY.text], k=1e12)
    assert VerbAnonymization(uniform).score(VERB_STORY).scores == pytest.approx(
        [0.0] * len(VERB_STORY), abs=1e-9
    )


def test_auxiliaries_make_a_difference():
    story = Narrative.from_sentences(["wolf came .", "the girl ran ."])
    helping = Token(5, 9, "came", "VBD", auxiliary=True)
    known = Annotation((SentenceAnnotation((helping,)), SentenceAnnotation()))
    kept = VerbAnonymization(MODEL, annotate=lambda _: known, keep_auxiliaries=True).score(story)
    replaced = VerbAnonymization(MODEL, annotate=lambda _: known).score(story)
    assert kept.scores[0] == pytest.approx(0, abs=1e-6)
    assert abs(replaced.scores[0]) > 1e-3


def test_windows_are_used():
    long = Narrative.from_sentences([*map(str, VERB_STORY)] * 5)
    profile = VerbAnonymization(MODEL, window=24).score(long)
    assert profile.window == 24
    assert np.isfinite(profile.scores).all()


def test_a_sentence_without_a_verb_loses_exactly_nothing():
    story = Narrative.from_sentences(["A cold night.", "A wolf came.", "Snow everywhere.", "It ate."])
    scores = VerbAnonymization(MODEL).score(story).scores
    assert (scores[0], scores[2]) == (0.0, 0.0)
    assert scores[1] != 0.0


@settings(max_examples=20, deadline=None)
@given(narratives(max_size=4))
def test_argument_anonymization_is_the_papers_equation(narrative):
    profile = PredicateArgumentAnonymization(MODEL).score(narrative)
    removals = anonymize_predicates_and_arguments(narrative, annotate(narrative))
    np.testing.assert_allclose(profile.scores, score_slowly(narrative, removals), atol=1e-4)


def test_argument_anonymization_of_a_story():
    profile = PredicateArgumentAnonymization(MODEL).score(VERB_STORY)
    removals = anonymize_predicates_and_arguments(VERB_STORY, annotate(VERB_STORY))
    np.testing.assert_allclose(profile.scores, score_slowly(VERB_STORY, removals), atol=1e-4)
    assert (profile.method, profile.model, profile.window) == ("paa", MODEL.name, None)


def test_without_arguments_it_is_verb_anonymization():
    known = annotate(VERB_STORY)
    bare = Annotation(tuple(SentenceAnnotation(sentence.tokens) for sentence in known))
    paa = PredicateArgumentAnonymization(MODEL, annotate=lambda _: bare).score(VERB_STORY)
    assert paa.scores == VerbAnonymization(MODEL, annotate=lambda _: known).score(VERB_STORY).scores
    assert paa.scores != PredicateArgumentAnonymization(MODEL).score(VERB_STORY).scores


def test_a_uniform_model_finds_no_argument_salient():
    uniform = CountingModel([VERB_STORY.text], k=1e12)
    profile = PredicateArgumentAnonymization(uniform).score(VERB_STORY)
    assert profile.scores == pytest.approx([0.0] * len(VERB_STORY), abs=1e-9)


def test_methods_add_up():
    model = CountingModel([VERB_STORY.text])
    method = VerbAnonymization(model) + PredicateArgumentAnonymization(model)
    assert method.score(VERB_STORY).method == "va+paa"


EVENT_STORY = Narrative.from_sentences(
    ["The wolf came and ate the sheep.", "It rained.", "The girl married the king."], title="wolf"
)


@pytest.mark.parametrize("method", ["va", "paa"])
def test_each_event_equals_a_computation_of_its_own(method):
    profile = EventSalience(MODEL, method=method).score(EVENT_STORY)
    tokens = MODEL.encode([str(sentence) for sentence in EVENT_STORY])
    annotation = annotate(EVENT_STORY)
    assert [scored.trigger for scored in profile.scored] == ["came", "ate", "rained", "married"]
    for scored in profile.scored:
        k = scored.sentence.index
        text = rewrite(EVENT_STORY, k, annotation, [scored.event], arguments=method == "paa")
        before = [0, *sum(tokens[:k], [])]
        after = sum(tokens[k + 1 :], []) or [0]
        expected = mean_log_likelihood(NETWORK, before + tokens[k], after)
        expected -= mean_log_likelihood(NETWORK, before + MODEL.encode([text])[0], after)
        assert scored.salience == pytest.approx(expected, abs=1e-4)


def test_removing_one_event_leaves_the_others():
    annotation = annotate(EVENT_STORY)
    came, ate = annotation[0].events
    assert rewrite(EVENT_STORY, 0, annotation, [came]) == "The wolf did and ate the sheep."
    assert rewrite(EVENT_STORY, 0, annotation, [ate]) == "The wolf came and did the sheep."


@settings(max_examples=15, deadline=None)
@given(narratives(max_size=4))
def test_any_story_gives_events_in_order_or_says_that_there_are_none(narrative):
    method = EventSalience(CountingModel([narrative.text]))
    if any(event.verbal for event in annotate(narrative).events):
        profile = method.score(narrative)
        places = [scored.event.predicate.start for scored in profile.scored]
        assert places == sorted(places)
        assert np.isfinite(profile.scores).all()
    else:
        with pytest.raises(NarrativeError, match="no verb was found"):
            method.score(narrative)


def test_the_profile_lists_events_with_offsets_arguments_and_score():
    profile = EventSalience(CountingModel([EVENT_STORY.text]), method="paa").score(EVENT_STORY)
    plain = to_plain(profile, top=None, order="story")
    assert plain["unit"] == "event"
    ate = plain["events"][1]
    assert EVENT_STORY.text[ate["start"] : ate["end"]] == ate["trigger"] == "ate"
    assert {argument["role"]: argument["text"] for argument in ate["arguments"]} == {
        "ARG0": "The wolf",
        "ARG1": "the sheep",
    }
    assert sorted(event["rank"] for event in plain["events"]) == [1, 2, 3, 4]
    header, *rows = to_rows(profile, delimiter="\t").splitlines()
    assert tuple(header.split("\t")) == COLUMNS["event"]
    assert len(rows) == 4
    assert [len(events) for _, events in profile.by_sentence()] == [2, 1, 1]
    assert profile.to_frame()["arg0"].tolist()[1] == "The wolf"


def test_sentence_deletion_has_no_events():
    with pytest.raises(UnknownNameError, match="paa, va"):
        EventSalience(MODEL, method="sd")


def test_a_score_for_every_event():
    with pytest.raises(ValueError, match="1 scores for 0 events"):
        EventProfile(EVENT_STORY, (1.0,), method="va", unit="event")


def test_saved_and_loaded_profiles_are_equal(tmp_path):
    profile = EventSalience(CountingModel([EVENT_STORY.text]), method="paa").score(EVENT_STORY)
    profile.save(tmp_path / "events.json")
    assert EventProfile.load(tmp_path / "events.json") == profile
