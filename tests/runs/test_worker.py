from __future__ import annotations

from dataclasses import replace

import pytest

import barthes
from barthes.cache import ScoreCache
from barthes.errors import ModelError
from barthes.runs.worker import RunWorker
from tests.runs.counting_runs import SETTINGS, TALE, load, make_text

STORY = barthes.read_text(TALE, sentences=True, title="tale")


def work(text, **changes):
    return RunWorker(replace(SETTINGS, **changes), load).answer(text)[1]


@pytest.mark.parametrize("window", [None, 30])
def test_profiles_are_those_of_score(window):
    names = ("sd", "sd+tfidf", "length", "va+position", "preview", "pmi", "placed:centroid+similarity")
    result = work(make_text("tale"), methods=names, window=window)
    assert result.outcome == "done"
    assert result.tokens > 40
    expected = [barthes.score(STORY, method=name, model=load(None, "cpu"), window=window) for name in names]
    assert result.profiles == tuple(profile.to_dict() for profile in expected)


def test_profiles_of_events():
    result = work(make_text("tale"), methods=("sd", "va", "paa"), unit="event")
    model = load(None, "cpu")
    expected = [barthes.EventSalience(model, method=name).score(STORY) for name in ("sd", "va", "paa")]
    assert result.profiles == tuple(profile.to_dict() for profile in expected)


def test_files_are_read_in_their_format():
    result = work(make_text("tale.html", b"<p>A wolf came.</p><p>It rained.</p>"), sentences=False)
    sentences = result.profiles[0]["sentences"]
    assert [sentence["text"] for sentence in sentences] == ["A wolf came.", "It rained."]


def test_problems_of_a_text_are_results():
    assert "nothing in it" in work(make_text("empty", "  ")).reason
    assert "a.pdf" in work(make_text("a.pdf", b"%PDF-1.7 and no more")).reason
    assert work(replace(make_text("a"), problem="a: it is gone.")).reason == "a: it is gone."


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (RuntimeError("a bug"), "tale: unexpected error: RuntimeError: a bug"),
        (MemoryError(), "tale: out of memory."),
    ],
)
def test_an_error_in_scoring_affects_one_text(error, problem):
    class Buggy(barthes.CountingModel):
        def encode(self, pieces):
            raise error

    worker = RunWorker(SETTINGS, lambda settings, device: Buggy([TALE]))
    assert worker.answer(make_text("tale"))[1].reason.startswith(problem)


@pytest.mark.parametrize(
    "error", [RuntimeError("CUDA error: no device."), MemoryError(), KeyError("weights")]
)
def test_a_model_that_cannot_be_loaded_is_an_error_of_the_run(error):
    def fail(settings, device):
        raise error

    with pytest.raises(ModelError, match=rf"counting: cannot be loaded \({type(error).__name__}"):
        RunWorker(SETTINGS, fail).prepare()


def test_a_long_text_continues_at_its_checkpoint():
    text, reads = make_text("long", TALE * 8), []

    class Interrupted(barthes.CountingModel):
        def continuation_log_probabilities(self, context, continuation):
            reads.append(len(continuation))
            if len(reads) == limit:
                raise KeyboardInterrupt
            return super().continuation_log_probabilities(context, continuation)

    def score():
        reads.clear()
        worker = RunWorker(replace(SETTINGS, window=30), lambda settings, device: Interrupted([TALE]))
        return worker.answer(text)[1]

    limit = 0
    whole = score()
    total = len(reads)
    ScoreCache().clear()
    limit = total // 2
    with pytest.raises(KeyboardInterrupt):
        score()
    limit = 0
    assert score().profiles == whole.profiles
    assert 0 < len(reads) < total
