from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import barthes
from barthes.errors import ModelError
from barthes.models import served_connection
from barthes.models.counting import CountingModel
from barthes.plugins import METHODS, find_plugins
from barthes.testing import check_method
from barthes_research.asking import method, prompt
from barthes_research.asking.chat import ChatModel
from barthes_research.asking.expected_rating import rate
from barthes_research.asking.method import Ask
from barthes_research.asking.prompt import write_question, write_story
from tests.models.model_server import ModelServer

STORY = ["A wolf came.", "It rained.", "The wolf ate the sheep.", "The girl took an axe."]
MODEL = CountingModel([write_story(STORY), *(f"{write_question(k)} 3" for k in range(4)), "5: 4"])


class ChatServer(ModelServer):
    """A chat service that gives prepared answers, one after the other."""

    def __init__(self, *answers: str) -> None:
        super().__init__(MODEL)
        self.answers = list(answers)

    def answer(self, path: str, body: dict[str, Any]) -> Any:
        assert path == "/v1/chat/completions"
        return {"choices": [{"message": {"content": self.answers.pop(0)}}]}


def test_ask_passes_the_battery_of_all_methods():
    assert "barthes-research" in find_plugins(METHODS)["ask"].origin
    check_method("ask", model=MODEL)


def test_the_rating_is_expected_from_the_probabilities_of_all_ratings():
    """Compared with reading the prompt again for each sentence and rating."""
    for number, rating in enumerate(rate(MODEL, STORY), start=1):
        pieces = [write_story(STORY), write_question(number)]
        logs = []
        for value in prompt.RATINGS:
            tokens = [MODEL.start_token, *sum(MODEL.encode([*pieces, str(value)]), [])]
            logs.append(MODEL.read(tokens).log_probabilities[-1])
        assert rating == pytest.approx(np.average(prompt.RATINGS, weights=np.exp(logs)), abs=1e-12)


def test_a_long_story_is_asked_about_in_parts_that_overlap():
    profile = Ask(MODEL, window=12).score(barthes.Narrative.from_sentences(STORY * 3))
    assert profile.window == 12
    assert any("parts" in note for note in profile.notes)
    parts = list(prompt.divide([4] * 12, 12))
    assert {k for part in parts for k in part} == set(range(12))
    assert all(set(one) & set(two) for one, two in pairwise(parts))


def test_parts_fit_into_the_context_of_the_model():
    model = CountingModel([write_story(STORY)])
    model.context_length = 110
    found = Ask(model).score(barthes.Narrative.from_sentences(STORY * 3))
    assert found.window < model.context_length
    model.context_length = 60
    with pytest.raises(ModelError) as caught:
        Ask(model).score(barthes.Narrative.from_sentences(STORY * 3))
    assert caught.value.option == "window"


@pytest.mark.parametrize("part", ["story", "rating", "all_ratings"])
def test_the_prompt_is_part_of_the_cache_key(monkeypatch, part):
    story = barthes.Narrative.from_sentences(STORY)
    before = Ask(MODEL).identity(story)
    other = prompt.read_prompt() | {part: "Rate it!"}
    monkeypatch.setattr(method, "read_prompt", lambda: other)
    assert Ask(MODEL).identity(story)["prompt"] != before["prompt"]


def test_a_chat_service_answers_with_text_and_is_asked_again(caplog, monkeypatch):
    monkeypatch.setenv(served_connection.KEY, "secret-4711")
    ratings = {"1": 5, "2": 1, "3": 4, "4": 2.5}
    wrong = ["I like it.", '{"1": 5}', '{"1": 9, "2": 1, "3": 4, "4": 2}']
    with ChatServer(*wrong, f"Here: {json.dumps(ratings)}").running() as server:
        profile = barthes.score(STORY, method="ask", model=f"chat:{server.address}#llama")
    assert profile.scores == (5, 1, 4, 2.5)
    assert [len(body["messages"]) for body in server.asked] == [1, 3, 3, 3]
    assert all(body["temperature"] == 0 for body in server.asked)
    assert "tokens sent" in caplog.text
    assert "secret-4711" not in caplog.text + str(profile.to_dict())


def test_a_chat_service_that_never_rates_is_given_up():
    with ChatServer(*["No."] * 4).running() as server:
        model = ChatModel(f"chat:{server.address}#llama")
        with pytest.raises(ModelError, match="as asked"):
            model.rate(STORY)


def test_a_chat_service_is_for_ask_only():
    with pytest.raises(ModelError, match="no log-probabilities"):
        barthes.score(STORY, method="sd", model="chat:http://127.0.0.1:1/v1#llama")
    with pytest.raises(ModelError, match="names no model"):
        barthes.load_model("chat:http://127.0.0.1:1/v1")
