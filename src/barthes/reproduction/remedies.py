"""What can be done about an error in a reproduction, whose windows are the experiment's and not an option."""

from __future__ import annotations

import copy

from barthes.errors import BarthesError, SentenceTooLongError

__all__ = ["advise"]

_LONGER = "Split the sentence, or take a model that reads more tokens at once."
_SMALLER = "Use a machine with more memory, or a smaller model."


def advise(error: BarthesError) -> BarthesError:
    """The same error with a remedy that `barthes reproduce` has: there is no ``--window``.

    >>> print(advise(BarthesError("it is too much.", remedy="Give a smaller --window, such as 512.")))
    it is too much. Use a machine with more memory, or a smaller model.
    """
    if "--window" not in (error.remedy or ""):
        return error
    advised = copy.copy(error)
    advised.remedy = _LONGER if isinstance(error, SentenceTooLongError) else _SMALLER
    return advised
