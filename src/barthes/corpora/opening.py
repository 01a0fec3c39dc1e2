"""Open corpora by name, such as ``propplearner=PATH``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from barthes.errors import BarthesError, UnknownNameError
from barthes.files import expand_home

if TYPE_CHECKING:
    from barthes.corpora.corpus import Corpus

CORPUS_NAMES: dict[str, str] = {
    "propplearner": "Russian folktales with Propp's functions: a folder of .sty files, or the zip archive",
    "rocstories-salience": "short stories with votes for the most important sentence: a JSON file",
    "tripod": "synopses of films with turning points: a CSV file, or a folder of them",
    "hippocorpus": "personal stories with marked major events: a CSV file, or a folder of them",
    "telegraphic": "short stories with the phrases that carry the plot: a folder",
    "labelled": "one's own stories: a TSV, CSV or JSON Lines file of story, sentence and label",
}
"""The kinds of corpora that `open_corpus` knows, with one line about each."""

EVENT_CORPORA = ("telegraphic",)
"""The kinds of corpora whose events are labelled too."""

_FORM = "Give it as KIND=PATH, such as propplearner=tales/."
_KINDS = f"{_FORM} Kinds are: {', '.join(CORPUS_NAMES)}."


def open_corpus(text: str, *, labels: str = "paper") -> Corpus:
    """Open the corpus that ``KIND=PATH`` names.

    Args:
        text: Such as ``propplearner=ProppLearner.zip`` or ``labelled=mine.tsv``.
        labels: The label rule of ProppLearner, ``paper`` or ``corrected``. The other corpora have only one
            labelling and accept only the default.

    Raises:
        UnknownNameError: There is no such kind of corpus, or no such rule.
        ReadingError: Nothing is there, or it is not a corpus of this kind.
        BarthesError: It is not ``KIND=PATH``, or this corpus has no such labels.
    """
    kind, path = check_corpus(text, labels=labels)
    # Imported here: the command line needs the names of the corpora and must start quickly.
    from barthes.corpora.hippocorpus import Hippocorpus
    from barthes.corpora.labelled_file import LabelledFile
    from barthes.corpora.propplearner import ProppLearner
    from barthes.corpora.rocstories_salience import RocStoriesSalience
    from barthes.corpora.telegraphic import Telegraphic
    from barthes.corpora.tripod import Tripod

    if kind == "propplearner":
        return ProppLearner(path, rule=labels)
    readers = {
        "rocstories-salience": RocStoriesSalience,
        "tripod": Tripod,
        "hippocorpus": Hippocorpus,
        "telegraphic": Telegraphic,
        "labelled": LabelledFile,
    }
    return readers[kind](path)


def check_corpus(text: str, *, labels: str = "paper") -> tuple[str, Path]:
    """Return the kind and the path in ``KIND=PATH`` without reading anything.

    Raises:
        UnknownNameError: There is no such kind of corpus, or no such rule.
        BarthesError: It is not ``KIND=PATH``, or this corpus has no such labels.

    >>> kind, path = check_corpus("Labelled=mine.tsv")
    >>> kind, path.name
    ('labelled', 'mine.tsv')
    """
    from barthes.corpora.functions import RULES  # imports the annotation

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
    # The shell does not expand the ~ in KIND=~/tales.
    return kind, expand_home(path)
