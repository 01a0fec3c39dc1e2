"""Methods by name: what ``--method sd+tfidf``, ``ranks:words+position`` and ``best`` mean."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from barthes.errors import BarthesError, UnknownNameError

if TYPE_CHECKING:
    from barthes.annotation.annotator import Annotator
    from barthes.baselines.frequencies import DocumentFrequencies
    from barthes.baselines.word_weighing import WordWeighing
    from barthes.baselines.words import Tokenize
    from barthes.models.language_model import LanguageModel
    from barthes.salience.method import Method

__all__ = [
    "LOOKING_AHEAD",
    "METHOD_NAMES",
    "PRESETS",
    "UNITS",
    "Formula",
    "check_method",
    "needs_model",
    "parse_formula",
    "parse_method",
    "preview_method",
    "split_method",
    "weighs_words",
]

METHOD_NAMES: dict[str, str] = {
    "sd": "sentence deletion: how much likelier the rest of the story is with the sentence",
    "va": "verb anonymization: the same, when its verbs become forms of do",
    "paa": "predicate and argument anonymization: the same, when its participants go too",
    "preview": "sentence deletion, estimated from what comes right after the sentence: a first picture",
    "pmi": "how much likelier the sentence is after the story before it than alone",
    "embedding": "how near the sentence is to the whole story in the model's own terms",
    "random": "a number in [0, 1) drawn for each sentence",
    "position": "later sentences score higher",
    "position-asc": "another name for position",
    "position-desc": "earlier sentences score higher",
    "length": "the number of words in the sentence",
    "tfidf": "words that are frequent in this story and rare in others",
    "words": "distinct words, the more the rarer they are in other stories",
    "centroid": "how much the sentence says of what the whole story says",
    "similarity": "how far it speaks of the same things as the whole story, whatever its length",
}
"""Every name that `parse_method` knows, with one line about it."""

PRESETS: dict[str, str] = {
    "paper": "sd",
    "fast": "placed:centroid+similarity",
    "best": "placed:centroid+similarity+embedding",
}
"""Names for what they stand for: as published; good without a model; the highest mean on development data of
those that were tried (docs/explanation/beyond-the-paper.md)."""

LOOKING_AHEAD = frozenset({"sd", "va", "paa", "preview"})
"""Methods that ask a language model what the rest of the story loses; their unit is nats per token."""

UNITS: dict[str, str] = {
    **dict.fromkeys(LOOKING_AHEAD, "nats per token"),
    "pmi": "nats",
    "embedding": "cosine",
    "tfidf": "sum of TF-IDF weights",
    "length": "words",
    "words": "sum of the weights of distinct words",
    "similarity": "cosine",
}
"""What scores are measured in; methods that are not there have no unit."""

_WITH_MODEL = LOOKING_AHEAD | {"pmi", "embedding"}
_RANKS, _PLACED = "ranks", "placed"
_SAME = {"position-asc": "position"}


@dataclass(frozen=True)
class Formula:
    """What a method's name says.

    Attributes:
        parts: The names of the single methods, in lower case; of two names for one method the shorter.
        kind: How they are added up: as scores brought to [0, 1] (""), as ``ranks``, or ``placed``.

    >>> str(Formula(("words", "position"), kind="ranks"))
    'ranks:words+position'
    """

    parts: tuple[str, ...]
    kind: str = ""

    def __str__(self) -> str:
        return (f"{self.kind}:" if self.kind else "") + "+".join(self.parts)

    def assemble(self, methods: Sequence[Method]) -> Method:
        """The sum of the methods, one for each of `parts`; a single one stays as it is."""
        from barthes.salience.combination import Combination
        from barthes.salience.placed_sum import PlacedSum
        from barthes.salience.rank_sum import RankSum

        if self.kind:
            return {_RANKS: RankSum, _PLACED: PlacedSum}[self.kind](*methods)
        return methods[0] if len(methods) == 1 else Combination(*methods)


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
    """The method of that name, or the sum of several; see `parse_formula`.

    Args:
        text: Such as ``sd``, ``tfidf``, ``sd+tfidf+position``, ``ranks:words+position`` or ``best``.
        model: Loads the language model; called once, and only if one of the methods needs it.
        window: How many tokens the model sees at once; None leaves it to the method.
        seed: For ``random``.
        frequencies: For methods that weigh words: those of the corpus at hand; None for a story by itself.
        tokenize: For the same: the words that `frequencies` were counted with; None takes Barthes' own.
        annotate: For ``va`` and ``paa``: where tokens, tags and events come from; None asks spaCy.

    Raises:
        UnknownNameError: There is no method of that name.

    >>> from barthes.models.counting import CountingModel
    >>> parse_method("position+tfidf", model=lambda: CountingModel([])).name
    'position+tfidf'
    """
    build = functools.partial(
        _build,
        model=functools.cache(model),
        window=window,
        seed=seed,
        frequencies=frequencies,
        tokenize=tokenize,
        annotate=annotate,
    )
    formula = parse_formula(text)
    return formula.assemble([build(name) for name in formula.parts])


def parse_formula(text: str) -> Formula:
    """What a name says: one method, ``a+b+c``, ``ranks:a+b+c``, ``placed:a+b+c`` or one of `PRESETS`.

    Capitals and spaces do not matter.

    Raises:
        UnknownNameError: There is no method of that name.
        BarthesError: There are not two methods whose ranks could be added up, or none at all; or a preset is
            to be part of a sum.

    >>> parse_formula("Ranks: words + position")
    Formula(parts=('words', 'position'), kind='ranks')
    >>> str(parse_formula("fast"))
    'placed:centroid+similarity'
    """
    text = PRESETS.get(text.strip().lower(), text)
    prefix, colon, rest = text.partition(":")
    kind = prefix.strip().lower() if colon else ""
    if kind not in (_RANKS, _PLACED):
        return Formula(tuple(_SAME.get(name, name) for name in split_method(text)))
    if not rest.strip() or rest.partition(":")[0].strip().lower() in (_RANKS, _PLACED):
        raise BarthesError(
            f"the method {text!r} does not say what to add up.",
            remedy=f"Give single methods, such as {kind}:words+position; kinds of sums cannot be nested.",
        )
    names = tuple(_SAME.get(name, name) for name in split_method(rest))
    if kind == _RANKS and len(names) < 2:
        raise BarthesError(
            f"the method {text!r} adds up the ranks of one method, which has the order that it had.",
            remedy=f"Give two methods or more, such as {_RANKS}:{names[0]}+position, or {names[0]} alone.",
        )
    return Formula(names, kind)


def preview_method(text: str) -> str:
    """The same with `preview` in the place of ``sd``: a first picture of it.

    Raises:
        BarthesError: There is no ``sd`` in it.

    >>> preview_method("sd"), preview_method("ranks:sd+tfidf")
    ('preview', 'ranks:preview+tfidf')
    """
    formula = parse_formula(text)
    if "sd" not in formula.parts:
        raise BarthesError(
            f"the method {text!r} has no preview: there is one of sd only.",
            remedy="Leave out --preview, or give --method sd or a sum with it.",
        )
    return str(replace(formula, parts=tuple("preview" if name == "sd" else name for name in formula.parts)))


def check_method(text: str) -> None:
    """Say at once if a name is wrong, before anything is read or loaded.

    Raises:
        UnknownNameError: There is no method of that name.
        BarthesError: There are not two methods whose ranks could be added up.
    """
    parse_formula(text)


def needs_model(text: str) -> bool:
    """Does any of the methods in a name ask a language model?

    >>> needs_model("ranks:sd+tfidf"), needs_model("position")
    (True, False)
    """
    return not _WITH_MODEL.isdisjoint(parse_formula(text).parts)


def weighs_words(text: str) -> bool:
    """Does any of the methods in a name look at how many stories know a word?

    Their scores depend on the other stories at hand: several of them should be counted together.

    >>> weighs_words("sd+TFIDF"), weighs_words("ranks:sd+position")
    (True, False)
    """
    return not _word_methods().keys().isdisjoint(parse_formula(text).parts)


def split_method(text: str) -> list[str]:
    """The names in ``a+b+c``, in lower case; not for rank sums, which are more than their names.

    Raises:
        UnknownNameError: There is no method of that name.
        BarthesError: One of `PRESETS` is among them.

    >>> split_method("SD + tfidf")
    ['sd', 'tfidf']
    """
    names = [name.strip().lower() for name in text.split("+")]
    for name in names:
        if name in PRESETS:
            raise BarthesError(
                f"the method {name!r} stands alone, and cannot be part of a sum.",
                remedy=f"Write what it stands for: {PRESETS[name]}.",
            )
        if name not in METHOD_NAMES:
            raise UnknownNameError("method", name, (*METHOD_NAMES, *PRESETS))
    return names


def _word_methods() -> dict[str, type[WordWeighing]]:
    from barthes.baselines import Centroid, Similarity, TfIdf, Words

    return {method.name: method for method in (Centroid, Similarity, TfIdf, Words)}


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
    from barthes.baselines import Length, Position, Random
    from barthes.baselines.words import split_narrative
    from barthes.salience.embedding_similarity import EmbeddingSimilarity
    from barthes.salience.mutual_information import MutualInformation
    from barthes.salience.predicate_argument_anonymization import PredicateArgumentAnonymization
    from barthes.salience.preview import Preview
    from barthes.salience.sentence_deletion import SentenceDeletion
    from barthes.salience.verb_anonymization import VerbAnonymization

    if name in (word_methods := _word_methods()):
        return word_methods[name](frequencies, tokenize=tokenize or split_narrative)
    builders: dict[str, Callable[[], Method]] = {
        "sd": lambda: SentenceDeletion(model(), window=window),
        "va": lambda: VerbAnonymization(model(), window=window, annotate=annotate),
        "paa": lambda: PredicateArgumentAnonymization(model(), window=window, annotate=annotate),
        "preview": lambda: Preview(model(), window=window),
        "pmi": lambda: MutualInformation(model()),
        "embedding": lambda: EmbeddingSimilarity(model()),
        "random": lambda: Random(seed=seed),
        "position": Position,
        "position-asc": Position,
        "position-desc": lambda: Position(descending=True),
        "length": Length,
    }
    return builders[name]()
