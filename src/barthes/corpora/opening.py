"""Corpora by name: what ``--corpus propplearner=PATH`` means."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from barthes.errors import BarthesError, UnknownNameError
from barthes.files import expand_home

if TYPE_CHECKING:
    from barthes.corpora.corpus import Corpus

__all__ = ["CORPUS_NAMES", "check_corpus", "open_corpus"]

CORPUS_NAMES: dict[str, str] = {
    "propplearner": "Russian folktales with Propp's functions: a folder of .sty files, or the zip archive",
    "rocstories-salience": "short stories with votes for the most important sentence: a JSON file",
    "tripod": "synopses of films with turning points: a CSV file, or a folder of them",
    "labelled": "one's own stories: a TSV, CSV or JSON Lines file of story, sentence and label",
}
"""Every kind of corpus that `open_corpus` knows, with one line about it."""

_FORM = "Give it as KIND=PATH, such as propplearner=tales/."
_KINDS = f"{_FORM} Kinds are: {', '.join(CORPUS_NAMES)}."


def open_corpus(text: str, *, labels: str = "paper") -> Corpus:
    """The corpus that ``KIND=PATH`` names.

    Args:
        text: Such as ``propplearner=ProppLearner.zip`` or ``labelled=mine.tsv``.
        labels: For ProppLearner the rule of its labels, ``paper`` or ``corrected``; the other corpora have
            only one labelling, and know no ``corrected`` one.

    Raises:
        UnknownNameError: There is no such kind of corpus, or no such rule.
        ReadingError: Nothing is there, or it is no such corpus.
        BarthesError: It is not ``KIND=PATH``, or this corpus has no such labels.
    """
    kind, path = check_corpus(text, labels=labels)
    return _openers(labels)[kind](path)


def check_corpus(text: str, *, labels: str = "paper") -> tuple[str, Path]:
    """The kind and the path in ``KIND=PATH``, before anything is read.

    Raises:
        UnknownNameError: There is no such kind of corpus, or no such rule.
        BarthesError: It is not ``KIND=PATH``, or this corpus has no such labels.

    >>> kind, path = check_corpus("Labelled=mine.tsv")
    >>> kind, path.name
    ('labelled', 'mine.tsv')
    """
    from barthes.corpora.labels import RULES  # with it come Propp's functions

    name, equals, path = text.partition("=")
    kind = name.strip().lower()
    if not equals and kind not in CORPUS_NAMES:
        raise BarthesError(f"the corpus {text!r} does not say of which kind it is.", remedy=_KINDS)
    if kind not in CORPUS_NAMES:
        raise UnknownNameError("kind of corpus", name.strip(), CORPUS_NAMES)
    if not path.strip():
        raise BarthesError(f"the corpus {text!r} does not say where it is.", remedy=_FORM)
    if labels not in RULES:
        raise UnknownNameError("label rule", labels, RULES)
    if labels != RULES[0] and kind != "propplearner":
        raise BarthesError(
            f"the corpus {kind} has one labelling only, and no {labels!r} labels.",
            remedy="Leave the choice of labels out: it is for propplearner.",
        )
    # No shell makes a home folder of the ~ in KIND=~/tales.
    return kind, expand_home(path)


def _openers(labels: str) -> dict[str, Callable[[Path], Corpus]]:
    # Imported here: the names of the corpora alone must not cost the command line its quick answer.
    from barthes.corpora.labelled_file import LabelledFile
    from barthes.corpora.propplearner import ProppLearner
    from barthes.corpora.rocstories_salience import RocStoriesSalience
    from barthes.corpora.tripod import Tripod

    return {
        "propplearner": lambda path: ProppLearner(path, rule=labels),
        "rocstories-salience": RocStoriesSalience,
        "tripod": Tripod,
        "labelled": LabelledFile,
    }
