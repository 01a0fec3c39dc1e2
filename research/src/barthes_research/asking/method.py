"""The method `ask`: the rating, from 1 to 5, that a language model gives each sentence when asked."""

from __future__ import annotations

from collections import defaultdict
from statistics import mean
from typing import Any

from barthes.hashing import hash_content
from barthes.models.deferred import DeferredModel
from barthes.models.language_model import LanguageModel
from barthes.models.windows import DEFAULT_WINDOW
from barthes.narrative import Narrative
from barthes.salience.measurement import Measurement
from barthes.salience.method import Method, MethodOptions, ModelMethod, Progress, silent
from barthes.salience.method_info import MethodInfo
from barthes_research.asking.chat import ChatModel
from barthes_research.asking.expected_rating import count_tokens, rate
from barthes_research.asking.prompt import (
    RATINGS,
    divide,
    number_lines,
    read_prompt,
    write_question,
    write_story,
)


class Ask(ModelMethod):
    """The rating of each sentence by a model that is asked for it.

    With log-probabilities it is the expected rating; a chat service (`ChatModel`) answers with text.

    Args:
        model: The model to ask, if possible an instruct model.
        window: Tokens of a part of the story; by default 1024, or what fits into the model's context. Parts
            overlap by half.
    """

    info: MethodInfo = MethodInfo(
        "ask",
        label="rating by a model that is asked",
        summary="how important a sentence is, from 1 to 5, if the model is asked",
        unit="rating from 1 to 5",
        meaning="how important the model says that it is",
        needs_model=True,
    )

    def __init__(self, model: LanguageModel, *, window: int | None = None) -> None:
        super().__init__(model)
        self._window = window or DEFAULT_WINDOW

    @classmethod
    def build(cls, options: MethodOptions) -> Method:
        """Create the method with the language model and the window."""
        return cls(options.model(), window=options.window)

    def identity(self, narrative: Narrative) -> dict[str, Any]:
        """Return everything but the text that decides the ratings: also the prompt."""
        prompt = hash_content(read_prompt())
        return {**super().identity(narrative), "prompt": prompt, "window": self._window}

    def measure(self, narrative: Narrative, *, progress: Progress = silent) -> Measurement:
        """Ask about each part of the story; progress counts tokens."""
        model = self.model.load() if isinstance(self.model, DeferredModel) else self.model
        sentences = [str(sentence) for sentence in narrative]
        window = self._fit(model, len(sentences))
        lengths = [len(tokens) for tokens in model.encode(number_lines(sentences))]
        parts = list(divide(lengths, window))
        texts = [sentences[part.start : part.stop] for part in parts]
        if isinstance(model, ChatModel):
            model.announce(texts)
        costs = [count_tokens(model, text) for text in texts]
        ratings: dict[int, list[float]] = defaultdict(list)
        for number, (part, text) in enumerate(zip(parts, texts, strict=True)):
            progress(sum(costs[:number]), sum(costs))
            found = model.rate(text) if isinstance(model, ChatModel) else rate(model, text)
            for k, rating in zip(part, found, strict=True):
                ratings[k].append(rating)
        progress(sum(costs), sum(costs))
        scores = tuple(mean(ratings[k]) for k in range(len(sentences)))
        if len(parts) == 1:
            return Measurement(scores, notes=model.notes)
        note = f"The model was asked about {len(parts)} parts of the story, which overlap."
        return Measurement(scores, window, (note, *model.notes))

    def _fit(self, model: LanguageModel, count: int) -> int:
        """Return how many tokens of a story of `count` sentences can be in a part."""
        if model.context_length is None:
            return self._window
        frame = model.encode([write_story([]), write_question(count), *map(str, RATINGS)])
        return min(self._window, model.context_length - sum(map(len, frame)) - 1)  # start token
