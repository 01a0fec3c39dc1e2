"""Notes on the stories of an evaluated corpus: undefined or trivial figures, and stories left out."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

from barthes.evaluation.corpus import Corpus, CorpusProblem, Labelled

_SHOWN = 5  # names listed in a note
_FEWEST = 6  # stories with which Wilcoxon's two-sided test can give p < 0.05: 2 / 2**6
_WHOLE = ("file", "story")  # kinds of problems that leave out a whole story


def make_notes(corpus: Corpus, stories: Sequence[Labelled], *, unit: str = "sentence") -> list[str]:
    """Return notes on stories with an undefined or trivial figure, and on what the corpus left out."""
    notes = []
    if without := [story.name for story in stories if not any(story.labels)]:
        notes.append(f"{_count(without)} without a salient {unit}, left out of the means: {_list(without)}.")
    if trivial := [story.name for story in stories if all(story.labels)]:
        notes.append(
            f"{_count(trivial)} with salient {unit}s only, for which every ranking has an average "
            f"precision of 1: {_list(trivial)}."
        )
    measured = len(stories) - len(without)
    if measured == 1:
        notes.append("A single story: no interval, and no difference can be significant.")
    elif len(telling := [story.name for story in stories if len(set(story.grades)) > 1]) < _FEWEST:
        where = "" if len(telling) == measured else " in which methods can differ"
        notes.append(
            f"{_count(telling)} only{where}: intervals are rough, and no difference can have p < 0.05 by"
            f" Wilcoxon's test, which takes {_FEWEST}."
        )
    if corpus.problems:
        notes.append(describe_problems(corpus.problems))
    return notes


def describe_problems(problems: Sequence[CorpusProblem], *, of: str = "the corpus") -> str:
    """Describe the stories that were left out and the malformed items, with the first of each.

    >>> empty = CorpusProblem("a.sty", "", "file", "is empty")
    >>> describe_problems([empty, CorpusProblem("b.sty", "7", "tree", "is odd")])
    '1 story of the corpus left out: a.sty (file: is empty). 1 item of the corpus is malformed; the first: \
b.sty 7: tree: is odd.'
    """
    out = [problem for problem in problems if problem.kind in _WHOLE]
    rest = [problem for problem in problems if problem.kind not in _WHOLE]
    sentences = []
    if out:
        names = list(dict.fromkeys(f"{problem.file} {problem.item}".strip() for problem in out))
        first = f"{out[0].kind}: {out[0].what}"
        why = f"({first})" if len(names) == 1 else f"(the first: {first})"
        sentences.append(f"{_count(names)} of {of} left out: {_list(names)} {why}.")
    if rest:
        items = f"1 item of {of} is" if len(rest) == 1 else f"{len(rest)} items of {of} are"
        sentences.append(f"{items} malformed; the first: {rest[0]}.")
    return " ".join(sentences)


def join_notes(notes: Iterable[tuple[str, Mapping[str, Sequence[str]]]], *, stories: int) -> list[str]:
    """Return each note once, with the number of stories and the methods; given as (method, notes by story).

    >>> notes = {"wolf": ["It is long."], "king": []}
    >>> join_notes([("sd", notes), ("va", notes)], stories=2)
    ['1 of 2 stories (sd, va): It is long.']
    """
    methods: dict[tuple[str, tuple[str, ...]], list[str]] = {}  # by note and stories
    for method, by_story in notes:
        for note in dict.fromkeys(itertools.chain.from_iterable(by_story.values())):
            names = tuple(story for story, found in by_story.items() if note in found)
            methods.setdefault((note, names), []).append(method)
    return [
        f"{len(names)} of {stories} stories ({', '.join(dict.fromkeys(found))}): {note}"
        for (note, names), found in methods.items()
    ]


def _count(names: Sequence[str]) -> str:
    return "1 story" if len(names) == 1 else f"{len(names)} stories"


def _list(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (" …" if len(names) > _SHOWN else "")
