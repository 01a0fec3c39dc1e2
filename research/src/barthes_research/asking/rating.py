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
from itertools import takewhile

import numpy as np

from barthes.errors import ModelError
from barthes.models.language_model import Edit, FloatArray, LanguageModel, check_finite
from barthes_research.asking.prompt import RATINGS, write_story

QUESTION = "Importance of sentence {k}, from 1 to 5:"


def rate(model: LanguageModel, sentences: Sequence[str]) -> Iterator[float]:
    """Yield the expected rating of each sentence of a story that the model reads at once."""
    questions = [QUESTION.format(k=k) for k in range(1, len(sentences) + 1)]
    story, *asked = model.encode([write_story(sentences).rstrip() + "\n\n", *questions])
    shared, ratings = _encode_ratings(model)
    asked = [[*question, *shared] for question in asked]
    tokens = [model.start_token, *story]
    start, stop = len(tokens), len(tokens) + len(asked[0])
    edits = [
        Edit(start, stop + i, tuple(question), until=stop + i + 1)
        for question in asked
        for i in range(len(ratings))
    ]
    found = model.read([*tokens, *asked[0], *ratings]).rescore(edits)
    for _ in asked:
        values: FloatArray = np.array([float(next(found)[0]) for _ in ratings])
        check_finite(values, model)
        yield float(np.average(RATINGS, weights=np.exp(values - values.max())))


def count_tokens(model: LanguageModel, sentences: Sequence[str]) -> int:
    """Return how many tokens the model reads for `rate`."""
    story, question = model.encode([write_story(sentences), QUESTION.format(k=len(sentences))])
    return len(story) + len(sentences) * len(RATINGS) * (len(question) + 1)


def _encode_ratings(model: LanguageModel) -> tuple[list[int], list[int]]:
    """Return the tokens that all ratings begin with, such as a space, and the token of each rating."""
    encoded = [model.encode(["", str(rating)])[1] for rating in RATINGS]
    shared = [
        column[0] for column in takewhile(lambda column: len(set(column)) == 1, zip(*encoded, strict=False))
    ]
    rest = [tokens[len(shared) :] for tokens in encoded]
    if any(len(tokens) != 1 for tokens in rest):
        raise ModelError("does not have one token for each rating.", where=model.name)
    return shared, [token for [token] in rest]
