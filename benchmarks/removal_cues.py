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

Nothing is random but the choice among foreign sentences and the order of shuffled words, which are the same
on every run.
"""

from __future__ import annotations

import functools
import random
import string
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from influence_cues import Cue, InfluenceCue, print_figures, read_arguments, remember

import barthes
from barthes.annotation.pipeline import load_english
from barthes.corpora.corpus import Corpus
from barthes.models.language_model import FloatArray
from barthes.removal.removal import Removal, Removed
from barthes.removal.sentence_deletion import delete_sentences
from barthes.salience.coherence_loss import CoherenceLoss
from barthes.salience.method import Method, Progress, silent
from barthes.salience.passage import divide
from barthes.salience.profile import Profile
from barthes.salience.removal_method import RemovalMethod

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


def take_length_away(model: barthes.LanguageModel) -> Cue:
    """What is left of the scores when a straight line over the sentences' lengths is subtracted."""

    def cue(profile: Profile, losses: FloatArray) -> FloatArray:
        scores = np.array(profile.scores)
        lengths = np.array([len(ids) for ids in model.encode([str(each) for each in profile.narrative])])
        if np.ptp(lengths) == 0:
            return scores
        return scores - np.polyval(np.polyfit(lengths, scores, 1), lengths)

    return cue


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


def read_losses(
    narrative: barthes.Narrative, model: barthes.LanguageModel, horizon: int | None
) -> list[TokenLoss]:
    """The losses by sentence deletion, token by token."""
    task = CoherenceLoss(model, horizon=horizon).prepare(narrative, delete_sentences(narrative))
    edges = list(accumulate(map(len, task.tokens), initial=0))
    found = []
    for passage in divide(task.tokens, range(len(task.tokens)), task.window, horizon=horizon):
        reading = model.read(passage.tokens(task.tokens, model.start_token, model.end_token))
        edits = [passage.edit(k, ()) for k in passage.targets]
        for k, edit, after in zip(passage.targets, edits, reading.rescore(edits), strict=True):
            told = reading.log_probabilities[edit.stop - 1 :][: len(after)]
            lost = (told - after)[: passage.reach(k) or 1]
            found.append(TokenLoss(edges[k + 1], edges[passage.last], lost))
    return found


class LossOfWords(Method):
    """Sentence deletion, as the mean over content words of the rest; 0 where there are none.

    Args:
        losses: Gives what `read_losses` gives.
        encode: The model's.
        name: The method's name.
        least: In how many sentences of the story a word must occur to count.
    """

    def __init__(
        self,
        losses: Callable[[barthes.Narrative], list[TokenLoss]],
        encode: Callable[[Sequence[str]], list[list[int]]],
        *,
        name: str,
        least: int,
    ) -> None:
        self._losses = losses
        self._encode = encode
        self._name = name
        self._least = least

    @property
    def name(self) -> str:
        return self._name

    def score(self, narrative: barthes.Narrative, *, progress: Progress = silent) -> Profile:
        marked = self._mark(narrative)
        scores = tuple(loss.mean(marked) for loss in self._losses(narrative))
        return Profile(narrative, scores, method=self.name)

    def _mark(self, narrative: barthes.Narrative) -> FloatArray:
        """1 for each token of the story that belongs to a word that counts, else 0."""
        sentences = [find_words(str(sentence)) for sentence in narrative]
        told = Counter(
            lemma for words in sentences for lemma in {word.lemma for word in words if word.counts}
        )
        lengths = map(len, self._encode([str(sentence) for sentence in narrative]))
        marks = []
        for sentence, words, length in zip(narrative, sentences, lengths, strict=True):
            marked = np.zeros(length)
            edges = [0, *self._count_tokens(str(sentence), words, first=sentence.index == 0)]
            for (start, stop), word in zip(pairwise(edges), words, strict=True):
                marked[start:stop] = word.counts and told[word.lemma] >= self._least
            marks.append(marked)
        return np.concatenate(marks)

    def _count_tokens(self, sentence: str, words: Sequence[Word], *, first: bool) -> list[int]:
        """How many tokens the sentence has up to the end of each word."""
        starts = [sentence[: word.end] for word in words]
        return [len(self._encode([start] if first else ["", start])[-1]) for start in starts]


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
        "neutral": replace_all(lambda sentence, dice: NEUTRAL),
        "foreign": take_from(corpus),
        "shuffled": replace_all(shuffle),
    }
    losses = functools.cache(lambda narrative: read_losses(narrative, model, horizon))
    deleted = remember(RemovalMethod(model, delete_sentences, name="sd", horizon=horizon))
    methods: list[Method] = [
        InfluenceCue("sd", lambda profile, losses: np.array(profile.scores), deleted),
        *(RemovalMethod(model, removal, name=name, horizon=horizon) for name, removal in removals.items()),
        InfluenceCue("residual", take_length_away(model), deleted),
        LossOfWords(losses, model.encode, name="content", least=1),
        LossOfWords(losses, model.encode, name="recurring", least=2),
    ]
    print_figures(methods, corpus)


if __name__ == "__main__":
    main()
