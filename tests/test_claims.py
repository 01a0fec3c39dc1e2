"""Linguistic claims about the default model's scores of simple stories."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import barthes
from barthes.models.embedded import DEFAULT_MODEL, ensure
from barthes.salience.removal_method import SentenceDeletion
from tests.oracles import sentence_deletion

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture(scope="module")
def model():
    return barthes.load_model(device="cpu", dtype="float32")


def test_cinderella(model):
    profile = SentenceDeletion(model).score(barthes.read(EXAMPLES / "cinderella.txt", sentences=True))
    known = [0.264, 0.169, 0.113, 0.043, 0.850, 0.331]  # figures of an independent computation, rounded
    np.testing.assert_allclose(profile.scores, known, atol=6e-4)
    first_five = profile.scores[:5]
    assert int(np.argmax(first_five)) == 4
    assert int(np.argmin(first_five)) == 3


def test_scores_equal_a_computation_of_one_sentence_at_a_time(model):
    from transformers import AutoModelForCausalLM

    network = AutoModelForCausalLM.from_pretrained(ensure(DEFAULT_MODEL), local_files_only=True).eval()
    story = barthes.read(EXAMPLES / "cinderella.txt", sentences=True)
    profile = SentenceDeletion(model).score(story)
    np.testing.assert_allclose(profile.scores, sentence_deletion(network, model, story), atol=1e-5)


def test_the_wolf_matters_more_than_the_weather(model):
    profile = SentenceDeletion(model).score(
        barthes.Narrative.from_sentences(
            [
                "A shepherd lived with his flock on a hill.",
                "One morning it rained a little.",
                "A hungry wolf came down from the mountain.",
                "The wolf seized the smallest lamb and carried it away.",
                "The shepherd took his stick and ran after the wolf.",
                "He struck the wolf until it let go of the lamb.",
            ]
        )
    )
    assert profile.scores[2] > profile.scores[1]


def test_the_same_story_twice_gives_the_same_numbers(model):
    story = barthes.read(EXAMPLES / "cinderella.txt", sentences=True)
    assert SentenceDeletion(model).score(story) == SentenceDeletion(model).score(story)
