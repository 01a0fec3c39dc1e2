"""Events of interactive stories, graded by how many readers recalled them (Li et al., preprint).

::

    adventure.tsv            story    sentence                          label
                             adv11    You awake, head reeling. …        1.0000
    adventure_causal.json    {"adv11": {"raters": 1, "links": [[8, 9, 1]]}}

A row of a table is an event, often of several sentences, with the share of readers who recalled it. A link
says how many raters called the first event a cause of the second; events are counted from 1. The corpus
itself ("Agency personalizes episodic memories") is not part of Barthes.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from barthes.errors import ReadingError
from barthes.evaluation.corpus import CorpusKind, LabelledNarrative, StoryCollection
from barthes.evaluation.labelled_file import LabelledFile
from barthes.reading.rows import parse_json, read_corpus_text

_REMEDY = "Give the folder with the tables NAME.tsv."


class Recall(StoryCollection):
    """Courses of interactive stories with the share of readers who recalled each event.

    The courses of one story tell many of the same events, so they are one group: what was learned from some
    of them says nothing about other stories when it is tested on the rest.

    Args:
        path: A folder of tables with the columns story, sentence and label, one table per story.

    Raises:
        ReadingError: There is no such folder, or it has no table; or as for `LabelledFile`.
    """

    name = "Recalled events"
    labelling = "recalled by half"

    def __init__(self, path: str | Path) -> None:
        path = Path(path)
        if not path.is_dir():
            what = "it is not a folder." if path.exists() else "there is no such folder."
            raise ReadingError(what, where=path, remedy=_REMEDY)
        tables = [LabelledFile(file) for file in sorted(path.glob("*.tsv"))]
        stories: list[LabelledNarrative] = []
        for table in tables:
            stories += [replace(story, group=table.name) for story in table]
        super().__init__(stories, (), where=path, remedy=_REMEDY)

    def read_links(self) -> dict[str, list[tuple[int, int]]]:
        """Return the pairs of events that raters called cause and effect, by story; counted from 0.

        Raises:
            ReadingError: A file of links cannot be read.
        """
        found: dict[str, list[tuple[int, int]]] = {}
        for file in sorted(self.path.glob("*_causal.json")):
            content = parse_json(read_corpus_text(file, remedy=_REMEDY))
            for story, row in content.items():
                found[story] = [(cause - 1, effect - 1) for cause, effect, _ in row["links"]]
        return found


KIND = CorpusKind(Recall)
