"""Workers that die at their work: whose fault it is, and what becomes of the item."""

from __future__ import annotations

from dataclasses import dataclass, field

from barthes.errors import ModelError
from barthes.runs.engine import Item, Outcome

__all__ = ["Casualties"]


@dataclass
class Casualties:
    """The items on which workers have died: a first death costs another try, a second one the text.

    Attributes:
        limit: Deaths one after another, with no item finished in between, that are not the texts' fault.
    """

    limit: int = 10
    _tried: set[tuple[str, str]] = field(default_factory=set)
    _deaths: int = 0

    def bury(self, item: Item | None, cause: str) -> Outcome | None:
        """Note the death of a worker.

        Args:
            item: What it was working on.
            cause: Why it died.

        Returns:
            The outcome of an item on which a worker has died before; None where it is to be done again.

        Raises:
            ModelError: Workers do nothing but die.
        """
        self._deaths += 1
        if self._deaths >= self.limit:
            raise ModelError(
                f"workers end one after another ({cause}), whatever the text.",
                remedy="Take fewer --workers, or a smaller model or window.",
            )
        if item is None:
            return None
        name = (item.input.id, "" if item.part is None else item.part.label)
        if name not in self._tried:
            self._tried.add(name)
            return None
        reason = (
            f"{item.input.id}: the process that scored it ended twice ({cause}). "
            "Memory is the likeliest cause: take fewer --workers, then --retry-failed."
        )
        return Outcome(item, "failed", {"reason": reason})

    def forget(self) -> None:
        """A worker has lived to finish an item."""
        self._deaths = 0
