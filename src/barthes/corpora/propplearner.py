"""ProppLearner (Finlayson 2015): fifteen Russian folktales in English, deeply annotated.

The corpus itself is not part of Barthes: MIT DSpace 1721.1/100054.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from barthes.annotation.events import Annotation, Span
from barthes.corpora.problems import Problem
from barthes.corpora.story_files import read_story_files
from barthes.corpora.tale import Tale, read_tale
from barthes.errors import NarrativeError, ReadingError
from barthes.hashing import hash_bytes
from barthes.narrative import Narrative

__all__ = ["ProppLearner"]


class ProppLearner:
    """The tales of a folder of Story Workbench files, or of the distribution's zip archive.

    Args:
        path: The folder, the archive, or a single `.sty` file.
        rule: How sentences get their labels: ``paper`` or ``corrected``, see `barthes.corpora.labels`.

    Attributes:
        tales: The tales by story number.
        labelling: The rule.
        problems: What was malformed and left out, a whole file that cannot be read included.
        path: Where it is.
        sha256: Of each file, by its name.

    Raises:
        ReadingError: Nothing is there, or nothing in it can be read as a tale.
    """

    name = "ProppLearner"

    def __init__(self, path: str | Path, *, rule: str = "paper") -> None:
        tales: list[Tale] = []
        problems: list[Problem] = []
        hashes: dict[str, str] = {}
        for file, content in read_story_files(path):
            hashes[file] = hash_bytes(content)
            try:
                tale = read_tale(content, name=file, rule=rule)
            except ReadingError as error:
                problems.append(Problem(file, "", "file", error.problem))
            else:
                tales.append(tale)
                problems += tale.problems
        if not tales:
            what = f"none of its .sty files can be read; the first: {problems[0].file} {problems[0].what}"
            raise ReadingError(what, where=path, remedy="Give the ProppLearner corpus.")
        self.tales = tuple(tales)
        self.problems = tuple(problems)
        self.labelling = rule
        self.path = Path(path)
        self.sha256 = hashes
        self._tales = {_key(tale.narrative): tale for tale in tales}

    def annotate(self, narrative: Narrative) -> Annotation:
        """The annotators' tokens, tags, predicates and roles for one of these tales.

        It is an `Annotator`: ``VerbAnonymization(model, annotate=corpus.annotate)``.

        Raises:
            NarrativeError: The narrative is none of these tales, or is cut into other sentences.
        """
        return self._find(narrative).annotation

    def tokenize(self, narrative: Narrative) -> tuple[tuple[str, ...], ...]:
        """The words of each sentence of one of these tales, as the annotators' tokenizer spells them.

        Raises:
            NarrativeError: The narrative is none of these tales, or is cut into other sentences.
        """
        return self._find(narrative).words

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
    """What offsets depend on: a title or a note makes no other text."""
    return narrative.text, narrative.spans
