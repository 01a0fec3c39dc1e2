"""The languages that stories can be split in: those that spaCy knows, by their ISO codes."""

from __future__ import annotations

import functools
import importlib.util
import pkgutil
from pathlib import Path

from barthes.errors import UnknownNameError

__all__ = ["known_languages", "resolve_language"]


@functools.cache
def known_languages() -> frozenset[str]:
    """The ISO codes of spaCy's languages (``xx`` is any other), listed without importing spaCy."""
    spec = importlib.util.find_spec("spacy")
    if spec is None or spec.origin is None:
        return frozenset({"en"})
    folder = Path(spec.origin).parent / "lang"
    return frozenset(module.name for module in pkgutil.iter_modules([str(folder)]) if module.ispkg)


def resolve_language(name: str) -> str:
    """The code of a language as spaCy writes it; regions are left out.

    Raises:
        UnknownNameError: spaCy has no such language.

    >>> resolve_language("en-GB"), resolve_language("DE")
    ('en', 'de')
    """
    code = name.strip().lower().replace("_", "-").split("-")[0]
    if code not in known_languages():
        raise UnknownNameError("language", name, known_languages())
    return code
