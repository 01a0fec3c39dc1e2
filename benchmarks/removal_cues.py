#!/usr/bin/env python3
"""Sentence deletion under control: is it the events that the rest misses, or any sentence of that length?

    python benchmarks/removal_cues.py -c rocstories-salience=val.json
    python benchmarks/removal_cues.py -c tripod=synopses_dev.csv --horizon 64

Rows, each measured as `barthes bench` measures methods, with --horizon as far as so many tokens tell it:

    sd          the sentence is deleted, as published
    neutral     "Then something happened." stands in its place
    foreign     a sentence of another story stands there, as long as it in words
    shuffled    its own words stand there, in another order before the same full stop: what they tell by
                being there is kept
    residual    sd less what its length predicts (a straight line fitted within the story)
    content     sd, as the mean over nouns, names, verbs, adjectives and adverbs of the rest only
    recurring   the same over those of them that come in several sentences of the story

The last sentence has the loss of the end-of-text token in every row; others after which no word comes that
counts have 0. Nothing is random but the choice among foreign sentences and the order of shuffled words, which
are the same on every run.
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
from barthes.corpora.corpus import Corpus
from barthes.models.language_model import FloatArray
from barthes.removal.removal import Removal, Removed, delete_sentences
from barthes.salience.coherence_loss import CoherenceLoss
from barthes.salience.method import Method
from barthes.salience.passage import divide

NEUTRAL = "Then something happened."
CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV"})


def replace_all(make: Callable[[str, random.Random], str]) -> Removal:
    """Each sentence in turn becomes what is made of it."""

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
    """Each sentence in turn becomes one of another story, of the same number of words or nearly."""
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
    """A word of a sentence: where it ends, its lemma, and whether it is a content word."""

    end: int
    lemma: str
    counts: bool


@dataclass(frozen=True)
class TokenLoss:
    """What deleting a sentence cost each token after it that was read again, and how many follow in all.

    Attributes:
        first: The place in the story of the first token after it.
        last: One past the last token of what was read with it; equal to `first` after the last sentence.
        lost: Nats; of the end-of-text token where no other follows.
    """

    first: int
    last: int
    lost: FloatArray

    def mean(self, marked: FloatArray) -> float:
        """Over the tokens that are marked; what was not read again counts as if it had lost nothing."""
        if self.first == self.last:
            return float(self.lost[0])
        chosen = marked[self.first : self.last]
        return float(self.lost @ chosen[: len(self.lost)] / chosen.sum()) if chosen.any() else 0.0


Losses = dict[str, list[TokenLoss]]
"""By removal, what it costs in each sentence in turn."""


def read_losses(
    narrative: barthes.Narrative,
    model: barthes.LanguageModel,
    removals: Mapping[str, Removal],
    horizon: int | None,
) -> Losses:
    """The losses by every removal, token by token; the story itself is read once for all of them."""
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
        told = reading.log_probabilities[edit.stop - 1 :][: len(after)]
        same = list(edit.replacement) == task.tokens[removed.index]  # it costs nothing, not even by rounding
        lost = (told - told if same else told - after)[: passage.reach(removed.index) or 1]
        found[name].append(TokenLoss(edges[removed.index + 1], edges[-1], lost))
    return found


@dataclass(frozen=True)
class Tokens:
    """What is known of a story's tokens beside their losses.

    Attributes:
        encode: The model's.
    """

    encode: Callable[[Sequence[str]], list[list[int]]]

    def lengths(self, narrative: barthes.Narrative) -> list[int]:
        """Of each sentence."""
        return [len(ids) for ids in self.encode([str(sentence) for sentence in narrative])]

    def mark_all(self, narrative: barthes.Narrative) -> FloatArray:
        """1 for each."""
        return np.ones(sum(self.lengths(narrative)))

    def mark_words(self, narrative: barthes.Narrative, *, least: int) -> FloatArray:
        """1 for each that belongs to a content word in at least so many sentences of the story, else 0."""
        sentences = [find_words(str(sentence)) for sentence in narrative]
        told = Counter(
            lemma for words in sentences for lemma in {word.lemma for word in words if word.counts}
        )
        marks = []
        for sentence, words, length in zip(narrative, sentences, self.lengths(narrative), strict=True):
            marked = np.zeros(length)
            edges = [0, *self._count(str(sentence), words, first=sentence.index == 0)]
            for (start, stop), word in zip(pairwise(edges), words, strict=True):
                marked[start:stop] = word.counts and told[word.lemma] >= least
            marks.append(marked)
        return np.concatenate(marks)

    def take_length_away(self, narrative: barthes.Narrative, scores: FloatArray) -> FloatArray:
        """What is left of scores when a straight line over the sentences' lengths is subtracted."""
        lengths = np.array(self.lengths(narrative))
        if np.ptp(lengths) == 0:
            return scores
        residual: FloatArray = scores - np.polyval(np.polyfit(lengths, scores, 1), lengths)
        return residual

    def _count(self, sentence: str, words: Sequence[Word], *, first: bool) -> list[int]:
        """How many tokens the sentence has up to the end of each word."""
        starts = [sentence[: word.end] for word in words]
        return [len(self.encode([start] if first else ["", start])[-1]) for start in starts]


def find_words(sentence: str) -> list[Word]:
    """The words and marks of a sentence."""
    return [
        Word(token.idx + len(token), token.lemma_.lower(), token.pos_ in CONTENT)
        for token in load_english()(sentence)
    ]


def main() -> None:
    """Print a row a control."""
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
        NamedCue("residual", lambda story: tokens.take_length_away(story, average(story))),
        NamedCue("content", functools.partial(average, least=1)),
        NamedCue("recurring", functools.partial(average, least=2)),
    ]
    print_figures(methods, corpus)


if __name__ == "__main__":
    main()
