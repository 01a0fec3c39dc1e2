#!/usr/bin/env python3
"""Sentence deletion under control: is it the events that the rest misses, or any sentence of that length?

    python benchmarks/removal_cues.py -c rocstories-salience=val.json
    python benchmarks/removal_cues.py -c tripod=synopses_dev.csv --horizon 64

Rows, each measured as `barthes bench` measures methods, with --horizon as far as so many tokens tell it:

    sd          the sentence is deleted, as published
    neutral     "Then something happened." stands in its place
    foreign     a sentence of another story stands there, as long as it in words
    shuffled    its own words stand there, in another order: what their mere presence tells is kept
    residual    sd less what its length predicts (a straight line fitted within the story)
    content     sd, as the mean over nouns, names, verbs, adjectives and adverbs of the rest only
    recurring   the same over those of them that come in several sentences of the story

Nothing is random but the choice among foreign sentences and the order of shuffled words, which are the same
on every run.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
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
    return " ".join(dice.sample(words, len(words)))


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


class LossOfWords(Method):
    """Sentence deletion, as the mean over some tokens of the rest; 0 where there are none."""

    def __init__(self, model: barthes.LanguageModel, *, name: str, least: int, horizon: int | None) -> None:
        self._model = model
        self._name = name
        self._least = least
        self._horizon = horizon

    @property
    def name(self) -> str:
        return self._name

    def score(self, narrative: barthes.Narrative, *, progress: Progress = silent) -> Profile:
        task = CoherenceLoss(self._model, horizon=self._horizon).prepare(
            narrative, delete_sentences(narrative)
        )
        marked = np.concatenate(self._mark(narrative, task.tokens))
        edges = list(accumulate(map(len, task.tokens), initial=0))
        scores = [
            mean_where(lost, marked[edges[k + 1] :][: len(lost)]) if k + 1 < len(narrative) else lost.mean()
            for k, lost in self._measure(task.tokens, task.window)
        ]
        return Profile(narrative, tuple(map(float, scores)), method=self.name)

    def _measure(
        self, tokens: Sequence[Sequence[int]], window: int | None
    ) -> Iterator[tuple[int, FloatArray]]:
        """Each sentence, and what the tokens after it lost that were read again: after the last, the end."""
        model = self._model
        for passage in divide(tokens, range(len(tokens)), window, horizon=self._horizon):
            reading = model.read(passage.tokens(tokens, model.start_token, model.end_token))
            edits = [passage.edit(k, ()) for k in passage.targets]
            for k, edit, after in zip(passage.targets, edits, reading.rescore(edits), strict=True):
                told = reading.log_probabilities[edit.stop - 1 :][: len(after)]
                yield k, (told - after)[: passage.reach(k) or 1]

    def _mark(self, narrative: barthes.Narrative, tokens: Sequence[Sequence[int]]) -> list[FloatArray]:
        """For each sentence, which of its tokens end in a word that counts, or are part of it."""
        sentences = [find_words(str(sentence)) for sentence in narrative]
        told = Counter(lemma for words in sentences for lemma in {lemma for _, lemma, _ in words})
        return [
            self._mark_sentence(str(sentence), words, told, len(ids), first=sentence.index == 0)
            for sentence, words, ids in zip(narrative, sentences, tokens, strict=True)
        ]

    def _mark_sentence(
        self,
        text: str,
        words: Sequence[tuple[int, str, bool]],
        told: Counter[str],
        length: int,
        *,
        first: bool,
    ) -> FloatArray:
        encode = self._model.encode
        prefixes = [text[:end] for end, _, _ in words]
        edges = [len(encode([text])[0] if first else encode(["", text])[1]) for text in prefixes]
        marked = np.zeros(length)
        for (start, stop), (_, lemma, is_content) in zip(pairwise([0, *edges]), words, strict=True):
            marked[start:stop] = is_content and told[lemma] >= self._least
        return marked


def find_words(sentence: str) -> list[tuple[int, str, bool]]:
    """Where each word ends, its lemma, and whether it is a content word."""
    return [
        (token.idx + len(token), token.lemma_.lower(), token.pos_ in CONTENT)
        for token in load_english()(sentence)
    ]


def mean_where(values: FloatArray, marked: FloatArray) -> float:
    return float(values @ marked / marked.sum()) if marked.any() else 0.0


def main() -> None:
    """Print a row a control."""
    corpus, model, horizon = read_arguments(__doc__)
    removals: dict[str, Removal] = {
        "neutral": replace_all(lambda sentence, dice: NEUTRAL),
        "foreign": take_from(corpus),
        "shuffled": replace_all(shuffle),
    }
    deleted = remember(RemovalMethod(model, delete_sentences, name="sd", horizon=horizon))
    methods: list[Method] = [
        InfluenceCue("sd", lambda profile, losses: np.array(profile.scores), deleted),
        *(RemovalMethod(model, removal, name=name, horizon=horizon) for name, removal in removals.items()),
        InfluenceCue("residual", take_length_away(model), deleted),
        LossOfWords(model, name="content", least=1, horizon=horizon),
        LossOfWords(model, name="recurring", least=2, horizon=horizon),
    ]
    print_figures(methods, corpus)


if __name__ == "__main__":
    main()
