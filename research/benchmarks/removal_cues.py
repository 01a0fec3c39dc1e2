#!/usr/bin/env python3
"""Compare sentence deletion with controls: does the rest miss the events, or any sentence of that length?

    python benchmarks/removal_cues.py -c rocstories-salience=val.json
    python benchmarks/removal_cues.py -c tripod=synopses_dev.csv --horizon 64

The rows are evaluated like methods of `barthes bench` (up to --horizon later tokens):

    sd          delete the sentence, as published
    neutral     replace it by "Then something happened."
    foreign     replace it by a sentence of another story with about the same number of words
    shuffled    shuffle its words and keep its final punctuation
    residual    sd minus a linear fit on sentence length within the story
    content     sd as the mean over nouns, names, verbs, adjectives and adverbs only
    recurring   the same over those that occur in several sentences of the story

The last sentence has the loss of the end-of-text token in every row. Other sentences without later words of
the required kind have 0. The choice of foreign sentences and the shuffling are the same on every run.
"""

from __future__ import annotations

import functools
import random
import string
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from cues import NamedCue, print_figures, read_arguments, remember

import barthes
from barthes.annotation.pipeline import load_english
from barthes.evaluation.corpus import Corpus
from barthes.models.language_model import FloatArray
from barthes.removal.removal import Removal, Removed, delete_sentences
from barthes.salience.coherence_loss import CoherenceLoss
from barthes.salience.method import Method
from barthes.salience.passage import divide

NEUTRAL = "Then something happened."
CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV"})


def replace_all(make: Callable[[str, random.Random], str]) -> Removal:
    """Return a removal that replaces each sentence by the result of `make`."""

    def remove(narrative: barthes.Narrative) -> list[Removed]:
        dice = random.Random(narrative.text)
        return [Removed(sentence.index, make(str(sentence), dice)) for sentence in narrative]

    return remove


def shuffle(sentence: str, dice: random.Random) -> str:
    words = sentence.split()
    last = words[-1].rstrip(string.punctuation)
    stop = words[-1][len(last) :]
    before = [*words[:-1], last] if last else words[:-1]
    if len(set(before)) < 2:
        return sentence
    after = before
    while after == before:
        after = dice.sample(before, len(before))
    return " ".join(after) + stop


def take_from(corpus: Corpus) -> Removal:
    """Return a removal that replaces each sentence by one of another story, of similar length in words."""
    known: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for story in corpus:
        for sentence in story.narrative:
            known[len(str(sentence).split())].append((story.narrative.text, str(sentence)))

    def remove(narrative: barthes.Narrative) -> list[Removed]:
        def choose(sentence: str, dice: random.Random) -> str:
            length = len(sentence.split())
            for near in sorted(known, key=lambda other: (abs(other - length), other)):
                foreign = [other for text, other in known[near] if text != narrative.text]
                if foreign:
                    return dice.choice(foreign)
            raise SystemExit("a corpus of one story has no foreign sentences")

        return replace_all(choose)(narrative)

    return remove


@dataclass(frozen=True)
class Word:
    """A word of a sentence: its end, its lemma, and whether it is a content word."""

    end: int
    lemma: str
    is_content: bool


@dataclass(frozen=True)
class TokenLoss:
    """The loss of each rescored token after a deleted sentence.

    Attributes:
        first: The position in the story of the first token after the sentence.
        last: The end of the story; equal to `first` after the last sentence.
        lost: Losses in nats; that of the end-of-text token if no other follows.
    """

    first: int
    last: int
    lost: FloatArray

    def mean(self, marked: FloatArray) -> float:
        """Return the mean loss of the marked tokens; tokens that were not rescored count as 0."""
        if self.first == self.last:
            return float(self.lost[0])
        chosen = marked[self.first : self.last]
        return float(self.lost @ chosen[: len(self.lost)] / chosen.sum()) if chosen.any() else 0.0


Losses = dict[str, list[TokenLoss]]
"""The losses of each sentence, by removal."""


def read_losses(
    narrative: barthes.Narrative,
    model: barthes.LanguageModel,
    removals: Mapping[str, Removal],
    horizon: int | None,
) -> Losses:
    """Return the token losses of all removals, reading the story only once."""
    asked = [(removed, name) for name, removal in removals.items() for removed in removal(narrative)]
    asked.sort(key=lambda pair: pair[0].index)
    task = CoherenceLoss(model, horizon=horizon).prepare(narrative, [removed for removed, _ in asked])
    if task.window is not None:
        raise SystemExit(f"{narrative.title or 'a story'} does not fit the model's context")
    [passage] = divide(task.tokens, [removed.index for removed, _ in asked], None, horizon=horizon)
    reading = model.read(passage.tokens(task.tokens, model.start_token, model.end_token))
    pairs = zip(asked, task.replacements, strict=True)
    edits = [passage.edit(removed.index, replacement) for (removed, _), replacement in pairs]
    edges = list(accumulate(map(len, task.tokens), initial=0))
    found: Losses = {name: [] for name in removals}
    for (removed, name), edit, after in zip(asked, edits, reading.rescore(edits), strict=True):
        before = reading.log_probabilities[edit.stop - 1 :][: len(after)]
        same = list(edit.replacement) == task.tokens[removed.index]  # no loss, not even by rounding
        lost = (before - before if same else before - after)[: passage.reach(removed.index) or 1]
        found[name].append(TokenLoss(edges[removed.index + 1], edges[-1], lost))
    return found


@dataclass(frozen=True)
class Tokens:
    """The tokens of a story, without their losses, by a model's `encode`."""

    encode: Callable[[Sequence[str]], list[list[int]]]

    def lengths(self, narrative: barthes.Narrative) -> list[int]:
        """Return the number of tokens of each sentence."""
        return [len(ids) for ids in self.encode([str(sentence) for sentence in narrative])]

    def mark_all(self, narrative: barthes.Narrative) -> FloatArray:
        """Return 1 for each token."""
        return np.ones(sum(self.lengths(narrative)))

    def mark_words(self, narrative: barthes.Narrative, *, least: int) -> FloatArray:
        """Return 1 for each token of a content word that occurs in at least `least` sentences, else 0."""
        sentences = [find_words(str(sentence)) for sentence in narrative]
        counts = Counter(
            lemma for words in sentences for lemma in {word.lemma for word in words if word.is_content}
        )
        marks = []
        for sentence, words, length in zip(narrative, sentences, self.lengths(narrative), strict=True):
            marked = np.zeros(length)
            edges = [0, *self._count(str(sentence), words, first=sentence.index == 0)]
            for (start, stop), word in zip(pairwise(edges), words, strict=True):
                marked[start:stop] = word.is_content and counts[word.lemma] >= least
            marks.append(marked)
        return np.concatenate(marks)

    def subtract_length(self, narrative: barthes.Narrative, scores: FloatArray) -> FloatArray:
        """Subtract a linear fit on the lengths of sentences from scores."""
        lengths = np.array(self.lengths(narrative))
        if np.ptp(lengths) == 0:
            return scores
        residual: FloatArray = scores - np.polyval(np.polyfit(lengths, scores, 1), lengths)
        return residual

    def _count(self, sentence: str, words: Sequence[Word], *, first: bool) -> list[int]:
        """Return the number of tokens up to the end of each word."""
        starts = [sentence[: word.end] for word in words]
        return [len(self.encode([start] if first else ["", start])[-1]) for start in starts]


def find_words(sentence: str) -> list[Word]:
    """Return the words and punctuation marks of a sentence."""
    return [
        Word(token.idx + len(token), token.lemma_.lower(), token.pos_ in CONTENT)
        for token in load_english()(sentence)
    ]


def main() -> None:
    """Print a row for each control."""
    corpus, model, horizon = read_arguments(__doc__)
    removals: dict[str, Removal] = {
        "sd": delete_sentences,
        "neutral": replace_all(lambda sentence, dice: NEUTRAL),
        "foreign": take_from(corpus),
        "shuffled": replace_all(shuffle),
    }
    lose = remember(lambda narrative: read_losses(narrative, model, removals, horizon))
    tokens = Tokens(model.encode)

    def average(narrative: barthes.Narrative, *, removal: str = "sd", least: int = 0) -> FloatArray:
        marked = tokens.mark_words(narrative, least=least) if least else tokens.mark_all(narrative)
        return np.array([loss.mean(marked) for loss in lose(narrative)[removal]])

    methods: list[Method] = [
        *(NamedCue(name, functools.partial(average, removal=name)) for name in removals),
        NamedCue("residual", lambda story: tokens.subtract_length(story, average(story))),
        NamedCue("content", functools.partial(average, least=1)),
        NamedCue("recurring", functools.partial(average, least=2)),
    ]
    print_figures(methods, corpus)


if __name__ == "__main__":
    main()
