"""Methods by name: what ``--method sd+tfidf`` means."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from barthes.errors import UnknownNameError

if TYPE_CHECKING:
    from barthes.annotation.annotator import Annotator
    from barthes.baselines.frequencies import DocumentFrequencies
    from barthes.baselines.words import Tokenize
    from barthes.models.language_model import LanguageModel
    from barthes.salience.method import Method

__all__ = ["METHOD_NAMES", "check_method", "needs_model", "parse_method", "split_method"]

METHOD_NAMES: dict[str, str] = {
    "sd": "sentence deletion: how much likelier the rest of the story is with the sentence",
    "va": "verb anonymization: the same, when its verbs become forms of do",
    "paa": "predicate and argument anonymization: the same, when its participants go too",
    "random": "a number in [0, 1) drawn for each sentence",
    "position": "later sentences score higher",
    "position-asc": "another name for position",
    "position-desc": "earlier sentences score higher",
    "length": "the number of words in the sentence",
    "tfidf": "words that are frequent in this story and rare in others",
}
"""Every name that `parse_method` knows, with one line about it."""

_WITH_MODEL = frozenset({"sd", "va", "paa"})


def parse_method(
    text: str,
    *,
    model: Callable[[], LanguageModel],
    window: int | None = None,
    seed: int = 0,
    frequencies: DocumentFrequencies | None = None,
    tokenize: Tokenize | None = None,
    annotate: Annotator | None = None,
) -> Method:
    """The method of that name, or the combination of several joined by ``+``; capitals do not matter.

    Args:
        text: Such as ``sd``, ``tfidf`` or ``sd+tfidf+position``.
        model: Loads the language model; called once, and only if one of the methods needs it.
        window: How many tokens the model sees at once; None leaves it to the method.
        seed: For ``random``.
        frequencies: For ``tfidf``: those of the corpus at hand; None takes the bundled table.
        tokenize: For ``tfidf``: the words that `frequencies` were counted with; None takes Barthes' own.
        annotate: For ``va`` and ``paa``: where tokens, tags and events come from; None asks spaCy.

    Raises:
        UnknownNameError: There is no method of that name.

    >>> from barthes.models.counting import CountingModel
    >>> parse_method("position+tfidf", model=lambda: CountingModel([])).name
    'position+tfidf'
    """
    from barthes.salience.combination import Combination

    build = functools.partial(
        _build,
        model=functools.cache(model),
        window=window,
        seed=seed,
        frequencies=frequencies,
        tokenize=tokenize,
        annotate=annotate,
    )
    methods = [build(name) for name in split_method(text)]
    return methods[0] if len(methods) == 1 else Combination(*methods)


def check_method(text: str) -> None:
    """Say at once if a name in ``a+b+c`` is wrong, before anything is read or loaded.

    Raises:
        UnknownNameError: There is no method of that name.
    """
    split_method(text)


def needs_model(text: str) -> bool:
    """Does any of the methods in ``a+b+c`` ask a language model?

    >>> needs_model("sd+tfidf"), needs_model("position")
    (True, False)
    """
    return not _WITH_MODEL.isdisjoint(split_method(text))


def split_method(text: str) -> list[str]:
    """The names in ``a+b+c``, in lower case.

    Raises:
        UnknownNameError: There is no method of that name.

    >>> split_method("SD + tfidf")
    ['sd', 'tfidf']
    """
    names = [name.strip().lower() for name in text.split("+")]
    for name in names:
        if name not in METHOD_NAMES:
            raise UnknownNameError("method", name, METHOD_NAMES)
    return names


def _build(
    name: str,
    *,
    model: Callable[[], LanguageModel],
    window: int | None,
    seed: int,
    frequencies: DocumentFrequencies | None,
    tokenize: Tokenize | None,
    annotate: Annotator | None,
) -> Method:
    # Imported here: the names alone must not cost the command line its quick answer.
    from barthes.baselines import Length, Position, Random, TfIdf
    from barthes.baselines.words import split_narrative
    from barthes.salience.predicate_argument_anonymization import PredicateArgumentAnonymization
    from barthes.salience.sentence_deletion import SentenceDeletion
    from barthes.salience.verb_anonymization import VerbAnonymization

    builders: dict[str, Callable[[], Method]] = {
        "sd": lambda: SentenceDeletion(model(), window=window),
        "va": lambda: VerbAnonymization(model(), window=window, annotate=annotate),
        "paa": lambda: PredicateArgumentAnonymization(model(), window=window, annotate=annotate),
        "random": lambda: Random(seed=seed),
        "position": Position,
        "position-asc": Position,
        "position-desc": lambda: Position(descending=True),
        "length": Length,
        "tfidf": lambda: TfIdf(frequencies, tokenize=tokenize or split_narrative),
    }
    return builders[name]()
