"""ProppLearner (Finlayson 2015): fifteen Russian folktales in English with rich annotation.

The corpus itself is not part of Barthes: MIT DSpace 1721.1/100054. Table 1 of Otake et al. (2020) has its
statistics.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path

from barthes.annotation.events import Annotation, Span
from barthes.errors import NarrativeError, ReadingError
from barthes.evaluation.corpus import CorpusKind, CorpusProblem
from barthes.hashing import hash_bytes
from barthes.narrative import Narrative
from barthes_research.corpora.corpus_files import read_story_files
from barthes_research.corpora.functions import RULES
from barthes_research.corpora.tale import Tale, read_tale


class ProppLearner:
    """The tales of a folder of Story Workbench files, or of the distribution's zip archive.

    Args:
        path: The folder, the archive, or a single `.sty` file.
        rule: How sentences get their labels: ``paper`` or ``corrected``, see `barthes.corpora.functions`.

    Attributes:
        tales: The tales by story number.
        labelling: The rule.
        problems: What was malformed and left out, including files that cannot be read.
        path: Where the corpus is.
        sha256: The hash of each file, by its name.

    Raises:
        ReadingError: Nothing is there, or nothing in it can be read as a tale.
    """

    name = "ProppLearner"

    def __init__(self, path: str | Path, *, rule: str = "paper") -> None:
        tales: list[Tale] = []
        problems: list[CorpusProblem] = []
        hashes: dict[str, str] = {}
        for file, content in read_story_files(path):
            hashes[file] = hash_bytes(content)
            try:
                tale = read_tale(content, name=file, rule=rule)
            except ReadingError as error:
                problems.append(CorpusProblem(file, "", "file", error.problem))
            else:
                tales.append(tale)
                problems += tale.problems
        if not tales:
            what = f"none of its .sty files can be read; the first: {problems[0].file} {problems[0].what}"
            raise ReadingError(what, where=path, remedy="Give the ProppLearner corpus.")
        self.tales: tuple[Tale, ...] = tuple(tales)
        self.problems: tuple[CorpusProblem, ...] = tuple(problems)
        self.labelling = rule
        self.path: Path = Path(path)
        self.sha256 = hashes
        self._tales = {_key(tale.narrative): tale for tale in tales}

    def annotate(self, narrative: Narrative) -> Annotation:
        """Return the gold tokens, tags, predicates and roles of one of these tales.

        It is an `Annotator`: ``VerbAnonymization(model, annotate=corpus.annotate)``.

        Raises:
            NarrativeError: The narrative is not one of these tales, or is split into other sentences.
        """
        return self._find(narrative).annotation

    def tokenize(self, narrative: Narrative) -> tuple[tuple[str, ...], ...]:
        """Return each sentence's words as the annotators' tokenizer spells them; errors: see `annotate`."""
        return self._find(narrative).words

    def relabel(self, rule: str) -> ProppLearner:
        """Return the corpus with the labels of another rule, without reading it again."""
        relabelled = copy(self)
        relabelled.labelling, relabelled.tales = rule, tuple(replace(tale, rule=rule) for tale in self.tales)
        return relabelled

    def _find(self, narrative: Narrative) -> Tale:
        tale = self._tales.get(_key(narrative))
        if tale is None:
            raise NarrativeError(
                "it is not a tale of this corpus, or is cut into other sentences.",
                where=narrative.title or None,
                remedy="Give the narrative of a tale as it is; barthes.annotate reads any other.",
            )
        return tale

    def __iter__(self) -> Iterator[Tale]:
        return iter(self.tales)

    def __len__(self) -> int:
        return len(self.tales)

    def __getitem__(self, index: int) -> Tale:
        return self.tales[index]

    def __repr__(self) -> str:
        return f"ProppLearner({len(self)} tales, {len(self.problems)} problems)"


def _key(narrative: Narrative) -> tuple[str, tuple[Span, ...]]:
    """Return what offsets depend on; title and notes do not matter."""
    return narrative.text, narrative.spans


@dataclass(frozen=True, slots=True)
class Statistics:
    """Numbers of stories, sentences, words and functions (salient events).

    >>> TABLE_1.rows()[4:]
    [('sentences / story', 86.8), ('words / story', 1257.5), ('functions / story', 11.3)]
    """

    stories: int
    sentences: int
    words: int
    functions: int

    def rows(self) -> list[tuple[str, int | float]]:
        """Return the rows of the table; averages to one decimal."""
        counts = {"sentences": self.sentences, "words": self.words, "functions": self.functions}
        averages = [(f"{what} / story", round(n / self.stories, 1)) for what, n in counts.items()]
        return [("stories", self.stories), *counts.items(), *averages]


TABLE_1 = Statistics(stories=15, sentences=1302, words=18862, functions=170)
"""The figures that the paper prints."""


def describe(tales: Iterable[Tale]) -> Statistics:
    """Count stories, sentences, words and functions, the latter under each tale's own rule."""
    rows = [(len(t.narrative), count_words(t.narrative.text), len(t.salient_functions)) for t in tales]
    if not rows:
        raise ValueError("there are no tales to count")
    sentences, words, functions = (sum(column) for column in zip(*rows, strict=True))
    return Statistics(len(rows), sentences, words, functions)


def count_words(text: str) -> int:
    """Count words separated by white space.

    No way of counting that we tried gives the published 18862: tokens 23291, tokens with a letter or digit
    19088, this one 18878, the same without lone punctuation marks 18830. Ten of the tales give a word count
    in their headers; it differs from ours by up to 13 words.
    """
    return len(text.split())


def open_propplearner(path: Path, rule: str) -> ProppLearner:
    """Read the corpus with the labels of one rule."""
    return ProppLearner(path, rule=rule)


KIND = CorpusKind(open_propplearner, RULES)
