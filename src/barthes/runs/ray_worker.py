"""An actor of Ray: a scorer on some machine, which keeps its model loaded."""

from __future__ import annotations

import os
import socket
from dataclasses import replace
from typing import Any

from barthes.annotation.pipeline import describe_parser
from barthes.errors import BarthesError, ModelError
from barthes.runs.cache import cache_file
from barthes.runs.engine import THREADS, Item, Workplace
from barthes.runs.scorer import Scorer
from barthes.runs.settings import Circumstances

__all__ = ["RayWorker"]


class RayWorker:
    """Does items, one at a time, and tells meanwhile how many tokens went through its model.

    Args:
        workplace: How texts are scored. Scores are cached in this machine's own cache.
        device: Where the model computes.
    """

    def __init__(self, workplace: Workplace, device: str) -> None:
        os.environ.update(dict.fromkeys(THREADS, str(workplace.settings.threads)))  # torch comes later
        self._workplace = workplace
        self._tokens = 0
        cache = None if workplace.cache is None else cache_file()
        self._scorer = Scorer(replace(workplace, cache=cache), device=device, tell=self._note)

    def settle(self) -> tuple[str, BarthesError | None]:
        """The name of the machine, and what is wrong with it."""
        identity = self._workplace.identity
        expected = identity.get("versions", {})
        found = Circumstances.versions() if expected else {}
        other = [f"{name} {found[name]}" for name in found if found[name] != expected.get(name)]
        if (parser := identity.get("parser")) is not None and parser != (own := describe_parser()):
            other.append(f"the parser {own}")
        if not other:
            return socket.gethostname(), None
        return socket.gethostname(), ModelError(
            f"has other versions than the machine that began the run: {', '.join(other)}.",
            where="Ray",
            remedy="Install the same ones on every machine: others may round differently.",
        )

    def work(self, item: Item) -> tuple[str, Any, tuple[Any, ...], int]:
        """The kind, content and parts of an outcome, and the tokens so far; ``broken`` without a model."""
        try:
            outcome = self._scorer.work(item)
        except BarthesError as error:
            return "broken", error, (), self._tokens
        return outcome.kind, outcome.content, outcome.parts, self._tokens

    def count(self) -> int:
        """Tokens so far; it answers while an item is being done."""
        return self._tokens

    def _note(self, tokens: int) -> None:
        self._tokens += tokens
