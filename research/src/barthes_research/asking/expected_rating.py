"""Ratings from log-probabilities: the expected rating, without generating any text.

After the story, the model is asked about one sentence after the other, and the probabilities of the ratings
that could follow are compared::

    … 3. It rained.  Importance of sentence 3, from 1 to 5: ┬ 1   P = 0.5
                                                            ├ 2   P = 0.3     expected rating 1.7
                                                            └ 3   P = 0.2

All this is one reading of the story: each question is an edit of the first one, and each rating is predicted
after an edit that deletes the ratings in front of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from barthes.errors import ModelError
from barthes.models.language_model import Edit, LanguageModel, check_finite
from barthes_research.asking.prompt import RATINGS, write_question, write_story


def rate(model: LanguageModel, sentences: Sequence[str]) -> Iterator[float]:
    """Yield the expected rating of each sentence of a story that the model reads at once."""
    numbers = range(1, len(sentences) + 1)
    story, *questions = model.encode([write_story(sentences), *map(write_question, numbers)])
    space, ratings = _encode_ratings(model)
    before = [model.start_token, *story]
    asked = [*before, *questions[0], *space]
    _check_length(model, len(before) + max(map(len, questions)) + len(space) + len(ratings))
    edits = [
        Edit(len(before), stop, (*question, *space), until=stop + 1)
        for question in questions
        for stop in range(len(asked), len(asked) + len(ratings))
    ]
    found = model.read([*asked, *ratings]).rescore(edits)
    for _ in questions:
        logs = np.array([next(found)[0] for _ in ratings])
        check_finite(logs, model)
        yield float(np.average(RATINGS, weights=np.exp(logs - logs.max())))


def count_tokens(model: LanguageModel, sentences: Sequence[str]) -> int:
    """Return how many tokens the model reads for `rate`."""
    story, question = model.encode([write_story(sentences), write_question(len(sentences))])
    return len(story) + len(sentences) * len(RATINGS) * (len(question) + 1)


def _encode_ratings(model: LanguageModel) -> tuple[list[int], list[int]]:
    """Return the tokens that all ratings begin with, such as a space, and the last token of each rating."""
    encoded = [model.encode(["", str(rating)])[1] for rating in RATINGS]
    space = encoded[0][:-1]
    if any(tokens[:-1] != space for tokens in encoded):
        raise ModelError("does not have one token for each rating.", where=model.name)
    return space, [tokens[-1] for tokens in encoded]


def _check_length(model: LanguageModel, length: int) -> None:
    """Raise an error if the model cannot read as many tokens at once."""
    if model.context_length is not None and length > model.context_length:
        raise ModelError(
            f"can read {model.context_length} tokens, and a part of the story with a question has {length}.",
            where=model.name,
            remedy="Choose a smaller window, or a model with a longer context.",
            option="window",
        )
