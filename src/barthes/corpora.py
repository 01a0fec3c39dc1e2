"""Labelled corpora; reading them needs no language model.

Your own labelled stories (`LabelledFile`) are read by Barthes itself, the published corpora by
``barthes-research``. `open_corpus` opens them by name, such as ``labelled=mine.tsv``.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from barthes import lab
from barthes.errors import BarthesError, UnknownNameError
from barthes.files import expand_home
from barthes.plugins import CORPORA, find_plugins, load_plugin

if TYPE_CHECKING:
    from barthes.evaluation.corpus import Corpus, CorpusKind

_OWN = {
    "Corpus": "corpus",
    "Labelled": "corpus",
    "LabelledFile": "labelled_file",
    "LabelledNarrative": "corpus",
}
_RESEARCH = (
    "Hippocorpus",
    "ProppLearner",
    "RocStories",
    "RocStoriesSalience",
    "Tale",
    "Telegraphic",
    "Tripod",
)

_FORM = "Give it as KIND=PATH, such as labelled=mine.tsv."

__all__ = [*_OWN, *_RESEARCH, "open_corpus"]


def __getattr__(name: str) -> Any:
    if name in _OWN:
        return getattr(import_module(f"barthes.evaluation.{_OWN[name]}"), name)
    if name in _RESEARCH:
        return getattr(lab.import_from_lab("corpora"), name)
    raise AttributeError(f"module 'barthes.corpora' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


def list_kinds() -> list[str]:
    """Return the names of the kinds of corpora that are installed."""
    return sorted(find_plugins(CORPORA))


def find_kind(name: str) -> CorpusKind:
    """Return a kind of corpora by its name.

    Raises:
        UnknownNameError: There is no such kind.
        BarthesError: It is in a package that is not installed.
    """
    plugins = find_plugins(CORPORA)
    if name not in plugins and name in lab.CORPORA:
        raise lab.explain_missing(f"the corpus {name}")
    if name not in plugins:
        raise UnknownNameError("kind of corpus", name, plugins)
    kind: CorpusKind = load_plugin(plugins[name])
    return kind


def open_corpus(text: str, *, labels: str | None = None) -> Corpus:
    """Open the corpus that ``KIND=PATH`` names.

    Args:
        text: Such as ``labelled=mine.tsv``.
        labels: The rule of labelling, for corpora that have several; by default the first.

    Raises:
        UnknownNameError: There is no such kind of corpus, or no such rule.
        ReadingError: Nothing is there, or it is not a corpus of this kind.
        BarthesError: It is not ``KIND=PATH``, or this corpus has no such labels.
    """
    name, path = check_corpus(text, labels=labels)
    kind = find_kind(name)
    return kind.open(path, labels or kind.labels[0]) if kind.labels else kind.open(path)


def check_corpus(text: str, *, labels: str | None = None) -> tuple[str, Path]:
    """Return the kind and the path in ``KIND=PATH`` without reading anything.

    Raises:
        UnknownNameError: There is no such kind of corpus, or no such rule.
        BarthesError: It is not ``KIND=PATH``, or this corpus has no such labels.

    >>> kind, path = check_corpus("Labelled=mine.tsv")
    >>> kind, path.name
    ('labelled', 'mine.tsv')
    """
    name, equals, path = text.partition("=")
    name = name.strip().lower()
    if not equals and name not in list_kinds():
        kinds = f"Kinds are: {', '.join(list_kinds())}."
        raise BarthesError(
            f"the corpus {text!r} does not say of which kind it is.", remedy=f"{_FORM} {kinds}"
        )
    kind = find_kind(name)
    if not path.strip():
        raise BarthesError(f"the corpus {text!r} does not say where it is.", remedy=_FORM)
    if labels is not None and not kind.labels:
        raise BarthesError(
            f"the corpus {name} has one labelling only, and no {labels!r} labels.",
            remedy="Leave the choice of labels out.",
            option="labels",
        )
    if labels is not None and labels not in kind.labels:
        raise UnknownNameError("label rule", labels, kind.labels)
    # The shell does not expand the ~ in KIND=~/tales.
    return name, expand_home(path)
