"""ROCStories with votes for the most important sentence (Sterner, Lascarides and Keller 2026).

::

    {"an id": {"storytitle": "Poster", "story": ["…", "…", …], "most_important": ["5", "4", "5"]}, …}

There is one vote per annotator: the number of a sentence, counted from 1. The corpus itself is not part of
Barthes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from barthes.errors import ReadingError
from barthes.evaluation.corpus import (
    CorpusKind,
    CorpusProblem,
    LabelledNarrative,
    StoryCollection,
    join_sentences,
)
from barthes.reading.rows import JsonObject, MalformedError, check_object, parse_json
from barthes_research.corpora.corpus_files import read_corpus_texts

_REMEDY = 'Give its JSON file: {id: {"storytitle": …, "story": [sentences], "most_important": [votes]}}.'
_VOTE = re.compile(r"[1-9]\d{0,8}", re.ASCII)


class RocStoriesSalience(StoryCollection):
    """Short stories with the share of votes of each sentence.

    The grade of a sentence is its share of the votes; the sentences with the most votes are salient. The
    name of a story is its id, because titles are not unique.

    Args:
        path: A JSON file, or a folder of them.

    Raises:
        ReadingError: Nothing is there, or nothing in it can be read as such a corpus.
    """

    name = "ROCStories salience"
    labelling = "most votes"

    def __init__(self, path: str | Path) -> None:
        stories: dict[str, LabelledNarrative] = {}
        problems: list[CorpusProblem] = []
        for file, text in read_corpus_texts(path, suffix=".json", remedy=_REMEDY):
            for identity, content in _read_entries(text, where=Path(path), file=file, problems=problems):
                try:
                    if identity in stories:
                        raise MalformedError("another file has a story of that id")
                    stories[identity] = _read_story(identity, content)
                except MalformedError as error:
                    problems.append(CorpusProblem(file, identity, "story", str(error)))
        super().__init__(list(stories.values()), problems, where=path, remedy=_REMEDY)


def _read_entries(
    text: str, *, where: Path, file: str, problems: list[CorpusProblem]
) -> Iterator[tuple[str, Any]]:
    """Yield the stories of a file by id; report an id that occurs twice and leave both stories out."""
    place = where / file if where.is_dir() else where
    try:
        content = parse_json(text)
    except MalformedError as error:
        raise ReadingError(f"{error}.", where=place, remedy=_REMEDY) from error
    if not isinstance(content, JsonObject):
        raise ReadingError("it is not a JSON object of stories.", where=place, remedy=_REMEDY)
    for identity, story in content.items():
        if identity in content.repeated:
            problems.append(CorpusProblem(file, identity, "story", "its id comes twice; neither is kept"))
        else:
            yield identity, story


def _read_story(identity: str, content: object) -> LabelledNarrative:
    fields = check_object(content)
    title = fields.get("storytitle", "")
    if not isinstance(title, str):
        raise MalformedError(f"its title is not text but {title!r:.50}")
    narrative = join_sentences(fields.get("story"), title=title)
    votes = _read_votes(fields.get("most_important"), sentences=len(narrative))
    counts = [sum(chosen) for chosen in votes]
    labels = tuple(count == max(counts) for count in counts)
    grades = tuple(count / sum(counts) for count in counts)
    return LabelledNarrative(identity, narrative, labels, grades, votes=votes)


def _read_votes(votes: object, *, sentences: int) -> tuple[tuple[bool, ...], ...]:
    """Return for each sentence whether each annotator chose it."""
    if not isinstance(votes, list) or not votes:
        raise MalformedError("it has no list of votes")
    chosen = [_parse_vote(vote, sentences) for vote in votes]
    return tuple(tuple(vote == number for vote in chosen) for number in range(1, sentences + 1))


def _parse_vote(vote: object, sentences: int) -> int:
    text = str(vote) if isinstance(vote, str | int) and not isinstance(vote, bool) else ""
    if not _VOTE.fullmatch(text.strip()):
        raise MalformedError(f"the vote {vote!r:.50} is not the number of a sentence")
    if int(text) > sentences:
        raise MalformedError(f"there is a vote for sentence {int(text)} of {sentences}")
    return int(text)


KIND = CorpusKind(RocStoriesSalience)
