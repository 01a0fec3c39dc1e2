"""Compare what the benchmarks compute themselves with plain computations on the counting model."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

import barthes
from barthes.models.counting import CountingModel
from barthes.removal.removal import delete_sentences
from barthes.salience.removal_method import Preview

STORY = barthes.Narrative.from_sentences(
    ["A wolf came.", "The girl ran to the well.", "The wolf ran too.", "It rained.", "The girl came home."]
)


@pytest.fixture
def benchmark(monkeypatch):
    """Return a function that imports a benchmark from its folder."""
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "benchmarks")
    return importlib.import_module


@pytest.fixture
def model():
    return CountingModel([STORY.text], k=0.5)


def log_probability(model, given, ids):
    return float(model.continuation_log_probabilities([model.start_token, *given], ids).sum())


def test_surprise_and_question(benchmark, model):
    cues = benchmark("asking_cues")
    sentences = cues.encode_anywhere(model, STORY)
    surprise, _ = cues.find_surprise(model, STORY)
    whole = [token for ids in cues.encode(model, STORY) for token in ids]
    assert surprise.sum() == pytest.approx(-log_probability(model, [], whole))
    *story, question = model.encode([*map(str, STORY), cues.QUESTION])
    before = [token for ids in [*story, question] for token in ids]
    named, tokens = cues.ask_for(model, STORY)
    assert named == pytest.approx(
        [log_probability(model, before, ids) - log_probability(model, [], ids) for ids in sentences]
    )
    assert tokens.tolist() == [len(ids) for ids in sentences]


def test_insertion(benchmark, model):
    cues = benchmark("asking_cues")
    sentences = cues.encode_anywhere(model, STORY)
    headline, tokens = cues.read_headline(model, STORY)
    pairs, others = cues.read_pairs(model, STORY)
    for k, ids in enumerate(sentences):
        rest = [token for j, each in enumerate(sentences) if j != k for token in each]
        assert headline[k] == pytest.approx(
            log_probability(model, ids, rest) - log_probability(model, [], rest)
        )
        gains = [
            log_probability(model, ids, each) - log_probability(model, [], each)
            for j, each in enumerate(sentences)
            if j != k
        ]
        assert pairs[k] == pytest.approx(sum(gains))
        assert tokens[k] == others[k] == len(rest)


@pytest.mark.parametrize("horizon", [None, 4])
def test_removal_controls(benchmark, model, horizon):
    cues = benchmark("removal_cues")
    removals = {"sd": delete_sentences, "same": cues.replace_all(lambda sentence, dice: sentence)}
    losses = cues.read_losses(STORY, model, removals, horizon)
    method = barthes.SentenceDeletion(model) if horizon is None else Preview(model, horizon=horizon)
    tokens = cues.Tokens(model.encode)
    every = tokens.mark_all(STORY)
    found = [loss.mean(every) for loss in losses["sd"]]
    assert found == pytest.approx(method.score(STORY).scores)
    assert [loss.mean(every) for loss in losses["same"]] == [0.0] * len(STORY)
    content = tokens.mark_words(STORY, least=1)
    recurring = tokens.mark_words(STORY, least=2)
    assert 0 < recurring.sum() < content.sum() < every.sum()
    assert losses["sd"][-1].mean(content) == found[-1]  # the end of the text


def test_shuffled_words_keep_the_final_punctuation(benchmark):
    cues = benchmark("removal_cues")
    shuffled = cues.replace_all(cues.shuffle)(STORY)
    for removed, sentence in zip(shuffled, STORY, strict=True):
        assert removed.text != str(sentence)
        assert removed.text.endswith(".")
        assert sorted(removed.text[:-1].split()) == sorted(str(sentence)[:-1].split())


def test_residuals_do_not_depend_on_length(benchmark, model):
    tokens = benchmark("removal_cues").Tokens(model.encode)
    lengths = np.array(tokens.lengths(STORY), dtype=float)
    assert tokens.subtract_length(STORY, 3 * lengths + 1) == pytest.approx(np.zeros(len(STORY)), abs=1e-9)


def test_ranks_of_functions(benchmark):
    found = benchmark("functions_found")
    assert [found.find_group(each) for each in ("A15(xvi)", "Pr7", "F_9", "W*", "up", "d7")] == [
        "villainy, lack",
        "pursuit, rescue",
        "donor, gift",
        "ending",
        "sending, leaving",
        "donor, gift",
    ]
    assert found.find_group("?") is None
    assert [found.place([0.1, 0.3, 0.2, 0.3], k) for k in range(4)] == pytest.approx([0, 5 / 6, 1 / 3, 5 / 6])
    assert found.describe({"one": [0.0, 1.0], "two": [1.0, 0.0]}, {"one": {1}, "two": {1}}) == "0.50 (0.50)"
