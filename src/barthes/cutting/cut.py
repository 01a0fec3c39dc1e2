"""Cut a story to a length: estimate what each sentence costs, ask readers, choose, and measure the result."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate

import numpy as np

from barthes.cache import Cache
from barthes.cutting.choice import ENDING, choose, find_broken, find_prices
from barthes.cutting.pieces import find_headings
from barthes.cutting.references import find_references
from barthes.cutting.shortened import Cut, Shortened, choose_payers, count_unit_words
from barthes.errors import BarthesError, NarrativeError
from barthes.marks import find_overlapping
from barthes.models.embedded import describe_language_limit
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.salience.measurement import RemovalLoss
from barthes.salience.method import Progress, silent
from barthes.salience.preview import Preview
from barthes.salience.profile import AGREED_SHARE, Profile
from barthes.scorer import Scorer, get_model, to_narrative
from barthes.units import regroup

_FEWEST = 3  # sentences


def cut(
    story: Narrative | str | Sequence[str],
    *,
    to: float | None = None,
    words: int | None = None,
    keep: Collection[int] = (),
    unit: str = "sentence",
    model: LanguageModel | str | None = None,
    window: int | None = None,
    cache: Cache | None = None,
    progress: Progress = silent,
) -> Shortened:
    """Shorten a story by sentences that are cheap for the rest and unimportant to readers.

    The last sentence is never cut, nor are passages between ``[[keep]]`` and ``[[/keep]]``. A sentence that
    a later one refers to is cut only together with it.

    Args:
        story: A narrative (see `barthes.read`), a text, or a list of sentences.
        to: The share of the words to keep at most, such as 0.9.
        words: The number of words to keep at most, instead of `to`.
        keep: The indices of sentences (or other units) that are not to be cut, counted from 0.
        unit: What to cut: ``sentence``, ``paragraph``, ``scene`` or ``chapter``.
        model: A language model or its name; by default the embedded one.
        window: Tokens that the model reads at once; by default the whole story if it fits.
        cache: Caches what the model computes; by default it is not cached.
        progress: Called with the work done and the total work.

    Raises:
        NarrativeError: The story has fewer than three sentences, or too much of it is to be kept.
        BarthesError: The target is not shorter than the story, or `keep` has an unknown index.
        TypeError: Both or neither of `to` and `words` are given, or the story has another type.

    >>> from barthes.models.counting import CountingModel
    >>> story = ["A wolf came.", "It rained.", "The wolf ate.", "It snowed hard.", "The wolf slept."]
    >>> short = cut(story, words=12, model=CountingModel([" ".join(story)]))
    >>> short.text, [each.sentence.index for each in short.cuts]
    ('A wolf came. The wolf ate. It snowed hard. The wolf slept.', [1])
    """
    if (to is None) == (words is None):
        raise TypeError("cut takes either to (a share of the words) or words (their number).")
    narrative = regroup(to_narrative(story), unit)
    protected = find_overlapping(narrative.spans, narrative.kept) | frozenset(keep)
    target = find_target(narrative, to=to, words=words)
    return cut_narrative(
        narrative,
        get_model(model),
        target,
        protected=protected,
        window=window,
        cache=cache,
        progress=progress,
    )


def find_target(narrative: Narrative, *, to: float | None = None, words: int | None = None) -> int:
    """Return the number of words to keep at most.

    Raises:
        BarthesError: It is not between 1 and the number of words of the story.
    """
    total = sum(count_unit_words(narrative))
    if to is not None and not 0 < to < 1:
        raise BarthesError(
            f"{100 * to:g} % of the words cannot be kept.",
            where=narrative.title or None,
            remedy="Choose a share between 0 and 100 %.",
            option="to",
        )
    target = int(to * total) if to is not None else words or 0
    if not 1 <= target < total:
        raise BarthesError(
            f"the story has {total:,} words and cannot be cut to {target:,}.",
            where=narrative.title or None,
            remedy=f"Choose a target from 1 to {total - 1:,} words.",
            option="to",
        )
    return target


def cut_narrative(
    narrative: Narrative,
    model: LanguageModel,
    target: int,
    *,
    protected: Collection[int] = (),
    window: int | None = None,
    cache: Cache | None = None,
    progress: Progress = silent,
) -> Shortened:
    """Cut a narrative to at most `target` words; headings of chapters and scenes stay.

    Raises:
        NarrativeError: It has fewer than three sentences, or too much of it is protected.
        BarthesError: There is no such sentence to protect.
    """
    words = count_unit_words(narrative)
    fixed = {*protected, *find_headings(narrative)}
    check_feasible(narrative, words, target, fixed)
    method = Preview(model, window=window)
    readers = Scorer("sd", model, unit=narrative.unit, cache=cache, importance="readers")
    importance = readers.score_importance(narrative)
    measurement = Scorer(method, cache=cache).measure(narrative, progress=progress)
    costs = [_total(loss) for loss in measurement.losses]
    prices = find_prices(costs, None if importance is None else importance.scores, words)
    references = find_references(narrative)
    gone = choose(prices, words, target, references, fixed=fixed)
    task = method.prepare(narrative)
    kept = [k for k in range(len(narrative)) if k not in set(gone)]
    ranks = (None,) * len(words) if importance is None else importance.ranks
    units = [
        Cut(
            narrative[k],
            words[k],
            costs[k],
            ranks[k],
            choose_payers(loss),
            tuple(sorted(references.all[k])),
            gone.index(k) + 1 if k in gone else None,
        )
        for k, loss in enumerate(measurement.losses)
    ]
    is_whole = task.window is None
    notes = [
        *narrative.notes,
        *measurement.notes,
        *_describe_text(narrative, model.name),
        *_warn(narrative, units, target, importance, find_broken(references, gone)),
    ]
    return Shortened(
        narrative,
        tuple(units),
        target,
        sum(len(task.tokens[k]) for k in kept),
        measure_cost(model, task.tokens, kept) if is_whole else sum(costs[k] for k in gone),
        tuple(sorted(protected)),
        model.name,
        model.precision,
        task.window,
        tuple(notes),
    )


def _total(loss: RemovalLoss) -> float:
    """Return what all later sentences lose, estimated, in nats."""
    return float((np.nan_to_num(loss.later) * loss.tokens).sum()) + loss.far


def measure_cost(model: LanguageModel, tokens: Sequence[Sequence[int]], kept: Sequence[int]) -> float:
    """Return what the kept sentences lose when the others are cut, in nats; the model reads both texts."""
    whole = model.read([model.start_token, *(token for ids in tokens for token in ids)]).log_probabilities
    short = model.read([model.start_token, *(token for k in kept for token in tokens[k])]).log_probabilities
    is_kept = np.repeat(np.isin(np.arange(len(tokens)), kept), list(map(len, tokens)))
    return float(whole[is_kept].sum() - short.sum())


def _describe_text(narrative: Narrative, model: str) -> Iterator[str]:
    """Yield notes on the language and the format of what is written."""
    if note := describe_language_limit(model, narrative.language):
        yield note
    if narrative.written_as == "fountain":
        yield "The text is written as Fountain; emphasis, notes and comments of the file are not kept."
    elif narrative.written_as == "md":
        yield "The text is written as Markdown; italics and other formatting of the file are not kept."


def _warn(
    narrative: Narrative,
    units: Sequence[Cut],
    target: int,
    importance: Profile | None,
    broken: Sequence[int],
) -> Iterator[str]:
    """Yield what an editor has to check: the length, the ending, turning points and references."""
    unit = narrative.unit
    cuts = [each for each in units if each.order is not None]
    total = sum(each.words for each in units)
    if (short := target - total + sum(each.words for each in cuts)) > 0.01 * total:
        yield f"The text is {short:,} words shorter than asked for: only whole {unit}s are cut."
    if importance is None:
        yield "Cut by cost alone: what is important to readers is not known for this text, unit or model."
    ends = list(accumulate(each.words for each in units))
    many = max(1, round(AGREED_SHARE * len(units)))
    costly = sorted(units, key=lambda each: -each.cost)[:many]
    to_check = {
        "in the ending": [each for each in cuts if ends[each.sentence.index] > (1 - ENDING) * total],
        "a turning point (in the top fifth by cost or for readers)": [
            each for each in cuts if each in costly or (each.importance_rank or total) <= many
        ],
    }
    for what, found in to_check.items():
        if found:
            numbers = ", ".join(str(each.sentence.index + 1) for each in found)
            yield f"Check {unit}{'s' * (len(found) > 1)} {numbers}, cut although {what}."
    if broken:
        numbers = ", ".join(str(k + 1) for k in broken)
        yield f"Check {unit}{'s' * (len(broken) > 1)} {numbers}: something they refer to was cut."


def check_feasible(
    narrative: Narrative, words: Sequence[int], target: int, protected: Collection[int]
) -> None:
    """Check before anything is computed that the target can be reached."""
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
