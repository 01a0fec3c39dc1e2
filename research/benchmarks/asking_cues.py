#!/usr/bin/env python3
"""Evaluate other cues from a language model than the loss caused by deleting a sentence.

    python benchmarks/asking_cues.py -c rocstories-salience=val.json
    python benchmarks/asking_cues.py -c tripod=synopses_dev.csv --once

The rows are evaluated like methods of `barthes bench`, in nats per token; rows named `-all` are sums:

    surprise    negative log-probability of the sentence given the sentences before it
    named       gain in log-probability of the sentence after the story and "The most important event of the
                story:", compared with the beginning of a text
    divergence  Kullback-Leibler divergence of the next-token distributions with the sentence from those
                without it, over all later tokens (sd uses only the probability of the actual token)
    headline    gain in log-probability of the other sentences, in order, if the sentence comes first
    pairs       gain in log-probability of each other sentence directly after the sentence

The last two insert the sentence instead of deleting it: if others repeat its content, deleting it loses
nothing. "The beginning of a text" means after the start token, with the tokens of a sentence that is not the
first. --once evaluates only the first two, which need one to four passes per story; the others need a pass
per sentence and suit short stories.
"""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable
from itertools import accumulate, chain, pairwise

import numpy as np
import torch
from cues import NamedCue, print_figures, remember

import barthes
from barthes.evaluation.opening import open_corpus
from barthes.models.attention import AttentionPlan
from barthes.models.causal import CausalModel
from barthes.models.embedded import DEFAULT_MODEL
from barthes.models.forward_pass import ForwardPass
from barthes.models.language_model import Edit, FloatArray
from barthes.salience.method import Method

QUESTION = "The most important event of the story:"

Figures = tuple[FloatArray, FloatArray]
"""For each sentence, a sum in nats and the number of tokens it is divided by."""


def encode(model: CausalModel, narrative: barthes.Narrative) -> list[list[int]]:
    return model.encode([str(sentence) for sentence in narrative])


def encode_anywhere(model: CausalModel, narrative: barthes.Narrative) -> list[list[int]]:
    """Encode every sentence, including the first, as if it followed another one."""
    return model.encode(["", *(str(sentence) for sentence in narrative)])[1:]


def find_surprise(model: CausalModel, narrative: barthes.Narrative) -> Figures:
    sentences = encode(model, narrative)
    known = model.read([model.start_token, *chain(*sentences)]).log_probabilities
    edges = accumulate(map(len, sentences), initial=0)
    nats = [-float(known[start:stop].sum()) for start, stop in pairwise(edges)]
    return np.array(nats), np.array([len(ids) for ids in sentences])


def ask_for(model: CausalModel, narrative: barthes.Narrative) -> Figures:
    """Read the story, the question and all sentences once, then rescore each sentence as the only answer."""
    *story, question = model.encode([*(str(sentence) for sentence in narrative), QUESTION])
    answers = encode_anywhere(model, narrative)
    before = [model.start_token, *chain(*story), *question]
    edges = list(accumulate(map(len, answers), initial=len(before)))
    reading = model.read([*before, *chain(*answers)])
    edits = [Edit(len(before), start, until=stop) for start, stop in pairwise(edges)]
    asked = [float(each.sum()) for each in reading.rescore(edits)]
    alone = model.read_together([([model.start_token, *ids], 1) for ids in answers])
    nats = np.array(asked) - np.array([each.log_probabilities.sum() for each in alone])
    return nats, np.array([len(ids) for ids in answers])


@torch.inference_mode()
def find_divergence(model: CausalModel, narrative: barthes.Narrative) -> Figures:
    """For the last sentence, compare the distributions at the end-of-text token."""
    sentences = encode(model, narrative)
    whole = predict(model, list(chain(*sentences)))
    nats, tokens = [], []
    for k, (start, stop) in enumerate(pairwise(accumulate(map(len, sentences), initial=0))):
        without = predict(model, list(chain(*sentences[:k], *sentences[k + 1 :])))
        # Row i predicts token i. The end of the text counts only for the last sentence.
        last = len(whole) - 1 if k + 1 < len(sentences) else len(whole)
        with_it, without_it = whole[stop:last], without[start : last - (stop - start)]
        nats.append(float((with_it.exp() * (with_it - without_it)).sum()))
        tokens.append(len(with_it))
    return np.array(nats), np.array(tokens)


def predict(model: CausalModel, ids: list[int]) -> torch.Tensor:
    """Return the log-probabilities of the whole vocabulary at each token of a text and at its end."""
    given = torch.tensor([model.start_token, *ids], device=model.network.device)
    forward = ForwardPass(model.network, model.head, model.products)
    [hidden] = forward.hidden_states([given], AttentionPlan.of([given], [0]))
    logits: torch.Tensor = model.network.get_output_embeddings()(hidden)
    return logits.float().log_softmax(-1)


def read_headline(model: CausalModel, narrative: barthes.Narrative) -> Figures:
    """Score the story without a sentence, once after that sentence and once alone."""
    sentences = encode_anywhere(model, narrative)
    rests = [list(chain(*sentences[:k], *sentences[k + 1 :])) for k in range(len(sentences))]
    headed = [
        ([model.start_token, *ids, *rest], 1 + len(ids)) for ids, rest in zip(sentences, rests, strict=True)
    ]
    readings = zip(model.read_together(headed), sentences, strict=True)
    after = [reading.log_probabilities[len(ids) :].sum() for reading, ids in readings]
    return np.array(after) - delete_each(model, sentences), np.array([len(rest) for rest in rests])


def delete_each(model: CausalModel, sentences: list[list[int]]) -> FloatArray:
    """Return the log-probability of the story without each sentence in turn."""
    reading = model.read([model.start_token, *chain(*sentences)])
    edges = np.cumsum([0, *map(len, sentences)])
    edits = [Edit(int(a) + 1, int(b) + 1) for a, b in pairwise(edges) if b < edges[-1]]
    after = [*(float(each.sum()) for each in reading.rescore(edits)), 0.0]
    before = [float(reading.log_probabilities[:start].sum()) for start in edges[:-1]]
    return np.array(before) + np.array(after)


def read_pairs(model: CausalModel, narrative: barthes.Narrative) -> Figures:
    """Score each other sentence after a sentence, and alone."""
    sentences = encode_anywhere(model, narrative)
    alone = model.read_together([([model.start_token, *ids], 1) for ids in sentences])
    known = np.array([reading.log_probabilities.sum() for reading in alone])
    places = [(k, j) for k in range(len(sentences)) for j in range(len(sentences)) if j != k]
    texts = [([model.start_token, *sentences[k], *sentences[j]], 1 + len(sentences[k])) for k, j in places]
    nats, tokens = np.zeros(len(sentences)), np.zeros(len(sentences))
    for (k, j), reading in zip(places, model.read_together(texts), strict=True):
        nats[k] += reading.log_probabilities[len(sentences[k]) :].sum() - known[j]
        tokens[k] += len(sentences[j])
    return nats, tokens


def check_fits(model: CausalModel, narrative: barthes.Narrative) -> barthes.Narrative:
    """Exit if twice the story and the question do not fit the model's context."""
    room, length = model.context_length, 2 * sum(map(len, encode_anywhere(model, narrative)))
    if room is not None and length + len(QUESTION) > room:
        raise SystemExit(f"{narrative.title or 'a story'} does not fit the model's context twice")
    return narrative


def divide_by_tokens(
    find: Callable[[barthes.Narrative], Figures], narrative: barthes.Narrative
) -> FloatArray:
    nats, tokens = find(narrative)
    mean: FloatArray = nats / np.maximum(1, tokens)
    return mean


def main() -> None:
    """Print a row for each cue."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-c", "--corpus", required=True, metavar="KIND=PATH")
    parser.add_argument("--model", default=DEFAULT_MODEL)
    parser.add_argument("--once", action="store_true", help="skip cues that need a pass per sentence")
    chosen = parser.parse_args()
    model = barthes.load_model(chosen.model)
    if not model.shares_prefix:
        raise SystemExit(f"{chosen.model}: this benchmark needs a model that supports shared prefixes")
    asked = {"surprise": find_surprise, "named": ask_for}
    if not chosen.once:
        asked |= {"divergence": find_divergence, "headline": read_headline, "pairs": read_pairs}
    methods: list[Method] = []
    for name, find in asked.items():
        ask = remember(lambda story, find=find: find(model, check_fits(model, story)), what=f"{name}: ")
        methods += [
            NamedCue(name, functools.partial(divide_by_tokens, ask)),
            NamedCue(f"{name}-all", lambda narrative, ask=ask: ask(narrative)[0]),
        ]
    print_figures(methods, open_corpus(chosen.corpus))


if __name__ == "__main__":
    main()
