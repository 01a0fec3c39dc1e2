"""What the second distribution, ``barthes-research``, adds to Barthes, and what to say where it is missing.

Barthes works without it. Its commands, corpora and models are found as plugins (`barthes.plugins`); the few
names that ``import barthes`` offers for it are imported here, when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from barthes.errors import BarthesError

COMMANDS = ("bench", "corpus", "finetune", "perplexity", "reproduce")
CORPORA = (
    "fairytaleqa",
    "hippocorpus",
    "propplearner",
    "recall",
    "rocstories-salience",
    "telegraphic",
    "tripod",
)
MODELS = ("folktale",)

PACKAGE = "barthes_research"
HOMES = {
    "bench": f"{PACKAGE}.bench.bench",
    "finetune": f"{PACKAGE}.finetuning.training",
    "measure_perplexity": f"{PACKAGE}.perplexity",
}
"""The names in `barthes.__all__` that are defined there, with their modules."""


def import_from_lab(name: str) -> Any:
    """Return one of `HOMES`, or the package ``corpora``.

    Raises:
        BarthesError: ``barthes-research`` is not installed.
    """
    try:
        if name == "corpora":
            return import_module(f"{PACKAGE}.corpora")
        return getattr(import_module(HOMES[name]), name)
    except ModuleNotFoundError as error:
        if error.name != PACKAGE:
            raise
        raise explain_missing(f"barthes.{name}") from error


def explain_missing(what: str) -> BarthesError:
    """Return the error for something that is there only with ``barthes-research``.

    >>> print(explain_missing("the command reproduce"))
    the command reproduce needs barthes-research. Install it: pip install barthes-research
    """
    return BarthesError(f"{what} needs barthes-research.", remedy="Install it: pip install barthes-research")
