"""The method `ask`: the rating, from 1 to 5, that a language model gives each sentence when asked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from barthes.models.deferred import DeferredModel
from barthes.models.language_model import LanguageModel
from barthes.models.windows import DEFAULT_WINDOW
from barthes.narrative import Narrative
from barthes.salience.measurement import Measurement
from barthes.salience.method import Method, MethodOptions, ModelMethod, Progress, silent
from barthes.salience.method_info import MethodInfo
from barthes_research.asking.chat import ChatModel
from barthes_research.asking.prompt import divide, identify_prompt
from barthes_research.asking.rating import count_tokens, rate


class Ask(ModelMethod):
    """The rating of each sentence by a model that is asked for it.

    With log-probabilities it is the expected rating; a chat service (`ChatModel`) answers with text.

    Args:
        model: The model to ask, if possible an instruct model.
        window: Tokens of a part of the story; by default 1024. Parts overlap by half.
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
        return {**super().identity(narrative), "prompt": identify_prompt(), "window": self._window}

    def measure(self, narrative: Narrative, *, progress: Progress = silent) -> Measurement:
        """Ask about each part of the story; progress counts tokens."""
        model = self.model.load() if isinstance(self.model, DeferredModel) else self.model
        sentences = [str(sentence) for sentence in narrative]
        spans = list(divide([len(ids) for ids in model.encode(sentences)], self._window))
        parts = [sentences[span.start : span.stop] for span in spans]
        costs = [count_tokens(model, part) for part in parts]
        progress(0, sum(costs))
        if isinstance(model, ChatModel):
            model.announce(parts)
        ratings: dict[int, list[float]] = defaultdict(list)
        for number, (span, part) in enumerate(zip(spans, parts, strict=True)):
            answers: Iterable[float] = model.rate(part) if isinstance(model, ChatModel) else rate(model, part)
            for k, rating in zip(span, answers, strict=True):
                ratings[k].append(rating)
            progress(sum(costs[: number + 1]), sum(costs))
        scores = tuple(sum(ratings[k]) / len(ratings[k]) for k in range(len(sentences)))
        note = f"The model was asked about {len(parts)} parts of the story, which overlap."
        window, notes = (None, ()) if len(parts) == 1 else (self._window, (note,))
        return Measurement(scores, window, notes + model.notes)
