"""Check a shortened story as far as rules can: what an editor should look at, and what cannot be cut."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate

from barthes.cutting.choice import ENDING
from barthes.cutting.shortened import Cut
from barthes.errors import BarthesError, NarrativeError
from barthes.models.embedded import describe_language_limit
from barthes.narrative import Narrative
from barthes.salience.profile import AGREED_SHARE

_FEWEST = 3  # sentences


def check_feasible(
    narrative: Narrative, words: Sequence[int], target: int, protected: Collection[int]
) -> None:
    """Check before anything is computed that the target can be reached.

    Raises:
        NarrativeError: The story has fewer than three sentences, or too much of it is protected.
        BarthesError: There is no such sentence to protect.
    """
    where, count, unit = narrative.title or None, len(narrative), narrative.unit
    if count < _FEWEST:
        raise NarrativeError(
            f"a story of {count} {unit}{'' if count == 1 else 's'} is too short to cut.",
            where=where,
            remedy=f"Give a story of at least {_FEWEST} {unit}s.",
        )
    if unknown := sorted(index for index in protected if not 0 <= index < count):
        raise BarthesError(
            f"there is no {unit} {unknown[0] + 1} to keep; the story has {count:,}.",
            where=where,
            remedy="Give the numbers of the table of scores.",
        )
    least = sum(words[index] for index in {*protected, count - 1})
    if least > target:
        raise NarrativeError(
            f"the {unit}s to keep, the last one among them, have {least:,} words, more than the target of "
            f"{target:,}.",
            where=where,
            remedy="Keep less, or choose a longer target.",
            option="protect",
        )


def describe_text(narrative: Narrative, model: str) -> Iterator[str]:
    """Yield notes on the language of a text, and on the format in which it is written."""
    if note := describe_language_limit(model, narrative.language):
        yield note
    if narrative.written_as == "fountain":
        yield "The text is written as Fountain; emphasis, notes and comments of the file are not kept."
    elif narrative.written_as == "md":
        yield "The text is written as Markdown; italics and other formatting of the file are not kept."


def list_checks(narrative: Narrative, units: Sequence[Cut], target: int) -> Iterator[str]:
    """Yield notes on what an editor has to check: the length, the ending, turning points and references."""
    unit = narrative.unit
    cuts = [each for each in units if each.order is not None]
    total = sum(each.words for each in units)
    if (short := target - total + sum(each.words for each in cuts)) > 0.01 * total:
        yield f"The text is {short:,} words shorter than asked for: only whole {unit}s are cut."
    if all(each.importance_rank is None for each in units):
        yield "Cut by cost alone: what is important to readers is not known for this text, unit or model."
    ends = list(accumulate(each.words for each in units))
    last = [each for each in cuts if ends[each.sentence.index] > (1 - ENDING) * total]
    many = max(1, round(AGREED_SHARE * len(units)))
    costly = sorted(units, key=lambda each: -each.cost)[:many]
    turns = [each for each in cuts if each in costly or (each.importance_rank or total) <= many]
    if last:
        yield f"Check {_list_numbers(last, unit)}, cut although in the ending."
    if turns:
        yield f"Check {_list_numbers(turns, unit)}, cut although among the top fifth by cost or for readers."
    referring = {k for each in cuts for k in each.referred}
    if broken := [each for each in units if each.order is None and each.sentence.index in referring]:
        yield f"Check {_list_numbers(broken, unit)}, which may refer to what was cut."


def _list_numbers(found: Sequence[Cut], unit: str) -> str:
    numbers = ", ".join(str(each.sentence.index + 1) for each in found)
    return f"{unit}{'s' * (len(found) > 1)} {numbers}"
