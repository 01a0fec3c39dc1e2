"""Notes on the stories of an evaluated corpus: undefined or trivial figures, and stories left out."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from barthes.errors import BarthesError
from barthes.evaluation.corpus import Corpus, CorpusProblem, Labelled
from barthes.evaluation.metrics import handle_undefined

_SHOWN = 5  # names listed in a note
_FEWEST = 6  # stories with which Wilcoxon's two-sided test can give p < 0.05: 2 / 2**6
_WHOLE = ("file", "story")  # kinds of problems that leave out a whole story


def check_stories(
    stories: Sequence[Labelled], *, corpus: Corpus, undefined: str = "skip", unit: str = "sentence"
) -> None:
    """Check that the stories of a corpus can be evaluated.

    Raises:
        BarthesError: Nothing is salient, two stories share a name, or nothing in a story is salient and the
            policy is ``error``.
        UnknownNameError: There is no such policy.
    """
    where = str(getattr(corpus, "path", None) or corpus.name)
    if not any(any(story.labels) for story in stories):
        raise BarthesError(
            f"no {unit} is labelled as salient, so there is nothing to find.",
            where=where,
            remedy="Check its labels.",
        )
    twice = [name for name, count in Counter(story.name for story in stories).items() if count > 1]
    if twice:
        raise BarthesError(
            f"{len(twice)} of its names stand for more than one story: {_list(twice)}.",
            where=where,
            remedy="Give every story a name of its own.",
        )
    salient = {story.name: 1.0 if any(story.labels) else math.nan for story in stories}
    handle_undefined(salient, undefined=undefined, where=where)


def count_stories(stories: Sequence[Labelled], *, unit: str = "sentence") -> dict[str, int]:
    """Return the numbers of stories, sentences (or events) and salient ones."""
    return {
        "stories": len(stories),
        f"{unit}s": sum(len(story.labels) for story in stories),
        "salient": sum(sum(story.labels) for story in stories),
    }


def make_notes(
    corpus: Corpus, stories: Sequence[Labelled], *, undefined: str, unit: str = "sentence"
) -> tuple[str, ...]:
    """Return notes on stories with an undefined or trivial figure, and on what the corpus left out."""
    notes = []
    if without := [story.name for story in stories if not any(story.labels)]:
        fate = {"skip": "left out of the means", "zero": "counted as 0"}[undefined]
        notes.append(f"{_count(without)} without a salient {unit}, {fate}: {_list(without)}.")
    if trivial := [story.name for story in stories if all(story.labels)]:
        notes.append(
            f"{_count(trivial)} with salient {unit}s only, for which every ranking has an average "
            f"precision of 1: {_list(trivial)}."
        )
    measured = len(stories) - (len(without) if undefined == "skip" else 0)
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
    return tuple(notes)


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


def join_notes(notes: Iterable[tuple[str, Mapping[str, Sequence[str]]]], *, stories: int) -> tuple[str, ...]:
    """Return each note once, with the number of stories and the methods; given as (method, notes by story).

    >>> notes = {"wolf": ["It is long."], "king": []}
    >>> join_notes([("sd", notes), ("va", notes)], stories=2)
    ('1 of 2 stories (sd, va): It is long.',)
    """
    methods: dict[tuple[str, tuple[str, ...]], list[str]] = {}  # by note and stories
    for method, by_story in notes:
        for note in dict.fromkeys(itertools.chain.from_iterable(by_story.values())):
            names = tuple(story for story, found in by_story.items() if note in found)
            methods.setdefault((note, names), []).append(method)
    return tuple(
        f"{len(names)} of {stories} stories ({', '.join(dict.fromkeys(found))}): {note}"
        for (note, names), found in methods.items()
    )


def _count(names: Sequence[str]) -> str:
    return "1 story" if len(names) == 1 else f"{len(names)} stories"


def _list(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (" …" if len(names) > _SHOWN else "")
