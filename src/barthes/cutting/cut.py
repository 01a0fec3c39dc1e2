"""Cut a story to a length: estimate costs and importance to readers, choose, and list what to check."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from barthes.cache import ScoreCache
from barthes.cutting.checks import check_feasible, describe_text, list_checks
from barthes.cutting.choice import choose, find_prices
from barthes.cutting.references import find_references
from barthes.cutting.shortened import Cut, Shortened, count_unit_words, find_most_affected
from barthes.errors import BarthesError
from barthes.marks import find_overlapping
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.reading.scene_breaks import is_scene_heading
from barthes.salience.measurement import RemovalLoss
from barthes.salience.method import Progress, silent
from barthes.scorer import Scorer, get_model, to_narrative
from barthes.units import regroup


def cut(
    story: Narrative | str | Sequence[str],
    *,
    to: float | None = None,
    words: int | None = None,
    keep: Collection[int] = (),
    unit: str = "sentence",
    model: LanguageModel | str | None = None,
    window: int | None = None,
    cache: ScoreCache | None = None,
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
    cache: ScoreCache | None = None,
    progress: Progress = silent,
) -> Shortened:
    """Cut a narrative to at most `target` words; headings of chapters and scenes stay.

    Raises:
        NarrativeError: It has fewer than three sentences, or too much of it is protected.
        BarthesError: There is no such sentence to protect.
    """
    words = count_unit_words(narrative)
    headings = {sentence.index for sentence in narrative if is_scene_heading(str(sentence))}
    fixed = {*protected, *headings}
    check_feasible(narrative, words, target, fixed)
    scorer = Scorer("preview", model, unit=narrative.unit, window=window, cache=cache, importance="readers")
    importance = scorer.score_importance(narrative)
    measurement = scorer.measure(narrative, progress=progress)
    costs = [_total(loss) for loss in measurement.losses]
    prices = find_prices(costs, None if importance is None else importance.scores, words)
    references = find_references(narrative)
    gone = choose(prices, words, target, references, fixed=fixed)
    ranks = (None,) * len(words) if importance is None else importance.ranks
    units = tuple(
        Cut(
            sentence,
            words[k],
            costs[k],
            ranks[k],
            find_most_affected(measurement.losses[k]),
            tuple(sorted(references.firm[k] | references.loose[k])),
            gone.index(k) + 1 if k in gone else None,
        )
        for k, sentence in enumerate(narrative)
    )
    notes = [
        *narrative.notes,
        *measurement.notes,
        *describe_text(narrative, model.name),
        *list_checks(narrative, units, target),
    ]
    return Shortened(
        narrative,
        units,
        target,
        tuple(sorted(protected)),
        model.name,
        model.precision,
        measurement.window,
        tuple(notes),
    )


def _total(loss: RemovalLoss) -> float:
    """Return what all later sentences lose, estimated, in nats."""
    return float((np.nan_to_num(loss.later) * loss.tokens).sum()) + loss.far
