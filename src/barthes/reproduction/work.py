"""Pieces of work for a language model: each is done once, kept, and found again by the next run.

An experiment is planned as a list of them before anything is computed, so that the whole can be
measured; then they are settled one by one, and each is kept the moment it is finished. Work that takes long
is divided into parts that are kept as well. Whatever ends the process, only the piece under way is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from barthes.errors import BarthesError, ModelError, NarrativeError
from barthes.evaluation.identity import Identity
from barthes.evaluation.store import ScoreStore
from barthes.evaluation.whole_progress import WholeProgress
from barthes.salience.method import Progress, silent

__all__ = ["Ledger", "Plans", "Work", "estimate_tokens", "settle", "settle_each"]

_CHARACTERS_A_TOKEN = 4.2  # English tales, SmolLM2 and GPT-2; only the progress bar rests on it


@dataclass(frozen=True)
class Work:
    """Something that takes a language model's time.

    Attributes:
        identities: What is to be known afterwards; one piece of work can give several results.
        tokens: About how many tokens go through the model, for its parts too.
        compute: Gives one value an identity, as JSON can hold it; it is told where to report progress, and
            the value of each part.
        check: Whether a value that was found can be one that was kept.
        parts: Smaller work with one result each, settled first and only if the whole is not known.
    """

    identities: tuple[Identity, ...]
    tokens: int
    compute: Callable[..., Sequence[Any]] = field(repr=False)
    check: Callable[[Any], bool] = field(repr=False)
    parts: tuple[Work, ...] = ()


Plans = Mapping[str | None, Sequence[Work]]
"""The work of each model, by its setting (None, ``domain``, ``transductive``)."""


class Ledger:
    """A store whose results are looked up once a run, however often they are asked for.

    Args:
        store: The results on disk.
    """

    def __init__(self, store: ScoreStore) -> None:
        self.store = store
        self._known: dict[str, Any] = {}

    def value(self, identity: Identity) -> Any:
        """The result of work that has been settled."""
        return self._known[identity.key]

    def keep(self, identity: Identity, value: Any) -> None:
        """Write a result to disk, and know it from now on."""
        self.store.keep(identity, value)
        self._known[identity.key] = value

    def lacks(self, work: Work) -> bool:
        """Whether some result of a piece of work is not known yet."""
        for identity in work.identities:
            if identity.key not in self._known:
                self._known[identity.key] = self.store.fetch(identity, check=work.check)
        return any(self._known[identity.key] is None for identity in work.identities)

    def outstanding(self, works: Iterable[Work]) -> int:
        """About how many tokens the model has yet to read for these; work that stands twice counts once."""
        waiting = {work.identities[0].key: self._left(work) for work in works if self.lacks(work)}
        return sum(waiting.values())

    def _left(self, work: Work) -> int:
        return self.outstanding(work.parts) if work.parts else work.tokens


def settle(works: Sequence[Work], ledger: Ledger, *, progress: Progress = silent) -> None:
    """Do what has not been done, in order, and keep each result at once."""
    total = ledger.outstanding(works)
    done = 0
    for work in works:
        if not ledger.lacks(work):
            continue
        left = ledger.outstanding([work])

        def report(part: int, whole: int, *, before: int = done, tokens: int = left) -> None:
            progress(before + (tokens * min(part, whole) // whole if whole > 0 else 0), total)

        report(0, 1)
        if work.parts:
            settle(work.parts, ledger, progress=report)
        found = [ledger.value(part.identities[0]) for part in work.parts]
        for identity, value in zip(work.identities, work.compute(report, *found), strict=True):
            ledger.keep(identity, value)
        done += left
    progress(total, total)


def settle_each(
    plans: Plans, ledger: Ledger, *, progress: Progress = silent
) -> dict[str | None, BarthesError]:
    """Settle one model's work after the other's; what one of them cannot do costs that one only.

    That is a tale that does not fit it, or a model that cannot be used: lack of memory, or numbers that are
    none.

    Returns:
        Why a setting could not be settled. What it had finished before is kept.
    """
    whole = WholeProgress(progress, [ledger.outstanding(works) for works in plans.values()])
    failed: dict[str | None, BarthesError] = {}
    for place, (setting, works) in enumerate(plans.items()):
        report = whole.part(place)
        try:
            settle(works, ledger, progress=report)
        except (NarrativeError, ModelError) as error:
            failed[setting] = error
            report(1, 1)  # there is nothing more to wait for
    return failed


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has, told by its length: no tokenizer has to be loaded for it."""
    return round(len(text) / _CHARACTERS_A_TOKEN) + 1
