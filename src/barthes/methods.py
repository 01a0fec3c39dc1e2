"""Methods by name: parse ``sd``, ``sd+tfidf``, ``ranks:words+position`` or ``fast``.

Single methods are plugins of the group `barthes.methods`, those of Barthes included.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from barthes.errors import BarthesError, UnknownNameError
from barthes.narrative import SPAN_UNITS
from barthes.plugins import METHODS, Plugin, find_plugins, load_plugins, warn_once
from barthes.salience.combination import Combination, PlacedSum, RankSum
from barthes.salience.method import Method, MethodOptions, wrong_model
from barthes.salience.method_info import MethodInfo
from barthes.salience.removal_method import EVENT_METHODS

if TYPE_CHECKING:
    from barthes.annotation.annotator import Annotator
    from barthes.baselines.frequencies import DocumentFrequencies
    from barthes.baselines.words import Tokenize
    from barthes.models.language_model import LanguageModel

PRESETS: dict[str, str] = {"fast": "placed:centroid+similarity"}
"""Short names for sums: the one that does best without a language model (docs/explanation/methods.md)."""

_KINDS: dict[str, type[Combination]] = {"ranks": RankSum, "placed": PlacedSum}


def find_methods() -> dict[str, type[Method]]:
    """Return every single method by its name; a plugin that is not a method is left out with a warning."""
    origins = find_plugins(METHODS)
    return {
        name: method for name, method in load_plugins(METHODS).items() if _is_method(method, origins[name])
    }


def _is_method(method: Any, plugin: Plugin) -> bool:
    problem = None
    if not (isinstance(method, type) and issubclass(method, Method)):
        problem = "it is not a subclass of barthes.Method"
    elif not isinstance(method.info, MethodInfo):
        problem = "it has no class attribute info = barthes.MethodInfo(…)"
    elif method.info.name != plugin.name or plugin.name != plugin.name.lower():
        problem = f"its info has the name {method.info.name!r}; both must be equal and in lower case"
    if problem is not None:
        warn_once(f"the method {plugin.name!r} of {plugin.origin} cannot be used: {problem}.")
    return problem is None


def _find_info(name: str) -> MethodInfo:
    info: MethodInfo = find_methods()[name].info  # type: ignore[assignment] # checked by _is_method
    return info


@dataclass(frozen=True)
class Formula:
    """A parsed method name.

    Attributes:
        parts: The names of the single methods, in lower case.
        kind: How they are added up: scores scaled to [0, 1] (""), ``ranks``, or ``placed``.

    >>> str(Formula(("words", "position"), kind="ranks"))
    'ranks:words+position'
    """

    parts: tuple[str, ...]
    kind: Literal["", "ranks", "placed"] = ""

    def __str__(self) -> str:
        return (f"{self.kind}:" if self.kind else "") + "+".join(self.parts)

    def assemble(self, methods: Sequence[Method]) -> Method:
        """Return the combination of the methods, one for each of `parts`, or the single method itself."""
        if self.kind:
            return _KINDS[self.kind](*methods)
        return methods[0] if len(methods) == 1 else Combination(*methods)


def parse_method(
    text: str,
    *,
    model: Callable[[], LanguageModel],
    unit: str = "sentence",
    window: int | None = None,
    seed: int = 0,
    frequencies: DocumentFrequencies | None = None,
    tokenize: Tokenize | None = None,
    annotate: Annotator | None = None,
    exact_top: int = 0,
) -> Method:
    """Return the method of that name, or the combination of several; see `parse_formula`.

    Args:
        text: Such as ``sd``, ``tfidf``, ``sd+tfidf+position``, ``ranks:words+position`` or ``fast``.
        model: Loads the language model; called at most once, only if a method needs it.
        unit: What to score: ``event`` for the events in a narrative, else its sentences or longer units.
        window: How many tokens the model reads at once; None leaves it to the method.
        seed: For ``random``.
        frequencies: For methods that weigh words: the document frequencies of the story's corpus, if any.
        tokenize: The tokenizer that `frequencies` were counted with; by default Barthes' own.
        annotate: For ``va``, ``paa`` and events: returns tokens, tags and events; by default spaCy's.
        exact_top: For ``preview``: how many of the sentences with the highest estimates are scored exactly.

    Raises:
        UnknownNameError: There is no method of that name.
        BarthesError: The method cannot score events.

    >>> from barthes.models.counting import CountingModel
    >>> parse_method("position+tfidf", model=lambda: CountingModel([])).name
    'position+tfidf'
    """
    check_method(text, unit=unit)
    formula = parse_formula(text)
    options = MethodOptions(
        functools.cache(model), unit, window, seed, frequencies, tokenize, annotate, exact_top
    )
    return formula.assemble([find_methods()[name].build(options) for name in formula.parts])


def parse_formula(text: str) -> Formula:
    """Parse a name: one method, ``a+b+c``, ``ranks:a+b+c``, ``placed:a+b+c`` or one of `PRESETS`.

    Upper case and spaces do not matter.

    Raises:
        UnknownNameError: There is no method of that name.
        BarthesError: The sum has too few methods, is nested, or contains a preset.

    >>> parse_formula("Ranks: words + position")
    Formula(parts=('words', 'position'), kind='ranks')
    >>> str(parse_formula("fast"))
    'placed:centroid+similarity'
    """
    text = PRESETS.get(text.strip().lower(), text)
    prefix, colon, rest = text.partition(":")
    kind = prefix.strip().lower() if colon else ""
    if kind not in ("ranks", "placed"):
        return Formula(_split(text))
    if not rest.strip() or rest.partition(":")[0].strip().lower() in _KINDS:
        raise BarthesError(
            f"the method {text!r} does not name single methods to add up.",
            remedy=f"Give single methods, such as {kind}:words+position; kinds of sums cannot be nested.",
        )
    names = _split(rest)
    if kind == "ranks" and len(names) < 2:
        raise BarthesError(
            f"the method {text!r} adds up the ranks of one method, which does not change its order.",
            remedy=f"Give two methods or more, such as ranks:{names[0]}+position, or {names[0]} alone.",
        )
    return Formula(names, "ranks" if kind == "ranks" else "placed")


def describe_method(text: str) -> MethodInfo:
    """Return the description of a method by its name; errors as for `parse_formula`.

    >>> describe_method("ranks:sd+tfidf").label
    'ranks by sentence deletion + TF-IDF'
    >>> describe_method("fast").needs_model
    False
    """
    formula = parse_formula(text)
    parts = [_find_info(name) for name in formula.parts]
    if len(parts) == 1 and not formula.kind:
        return parts[0]
    return MethodInfo.combine(formula.kind or "sum", parts)


def describe_stored_method(name: str, *, has_model: bool, unit: str = "sentence") -> MethodInfo:
    """Return the description of the method of a stored profile, known to Barthes or not.

    >>> describe_stored_method("ranks:sd+my-own", has_model=True).parts[1].label
    'my-own'
    """
    if unit == "event" and name in EVENT_METHODS:
        return EVENT_METHODS[name]
    prefix, _, rest = name.rpartition(":")
    kind = _KINDS[prefix].kind if prefix in _KINDS else "sum"
    parts = [
        _describe_part(part, has_model=False) for part in (rest if prefix in _KINDS else name).split("+")
    ]
    if has_model and not any(part.needs_model for part in parts):  # so an unknown method must use it
        parts = [_describe_part(part.name, has_model=True) for part in parts]
    return parts[0] if len(parts) == 1 and kind == "sum" else MethodInfo.combine(kind, parts)


def _describe_part(name: str, *, has_model: bool) -> MethodInfo:
    return _find_info(name) if name in find_methods() else MethodInfo(name, needs_model=has_model)


def check_method(text: str, *, unit: str = "sentence", model: str | None = None) -> None:
    """Check that a method exists and can score a unit with a model, before anything is read or loaded.

    Raises:
        UnknownNameError: There is no method of that name.
        BarthesError: The method cannot score events or use the model, or as for `parse_formula`.
    """
    info = describe_method(text)
    if info.only_model and model not in (None, info.only_model):
        raise wrong_model(text, info.only_model, str(model))
    if unit not in (*SPAN_UNITS, "event"):
        raise UnknownNameError("unit", unit, (*SPAN_UNITS, "event"))
    if unit not in info.units:
        *most, last = (name for name in find_methods() if unit in _find_info(name).units)
        raise BarthesError(
            f"{unit}s are scored by {', '.join(most)} or {last}, not by {text}.",
            remedy="Choose one of them, or score sentences.",
            option="unit",
        )


def _split(text: str) -> tuple[str, ...]:
    """Return the names in ``a+b+c``, in lower case."""
    names = tuple(name.strip().lower() for name in text.split("+"))
    for name in names:
        if name in PRESETS:
            raise BarthesError(
                f"the preset {name!r} cannot be part of a sum.",
                remedy=f"Use the method that it stands for: {PRESETS[name]}.",
            )
        if name not in find_methods():
            raise UnknownNameError("method", name, (*find_methods(), *PRESETS))
    return names
