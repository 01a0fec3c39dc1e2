"""Cut a story to a length: measure what each sentence costs, search, and describe the result."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from barthes.cache import ScoreCache
from barthes.cutting.protection import find_headings
from barthes.cutting.search import HORIZON, CutSearch
from barthes.cutting.shortened import Cut, Shortened, choose_payers, count_unit_words
from barthes.errors import BarthesError, NarrativeError
from barthes.marks import find_sentences, remove_marks
from barthes.models.embedded import describe_language_limit
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.removal.removal import Removed
from barthes.salience.coherence_loss import CoherenceLoss
from barthes.salience.measurement import Measurement
from barthes.salience.method import Progress, silent
from barthes.salience.removal_loss import RemovalLoss
from barthes.salience.removal_method import SentenceDeletion
from barthes.salience.removal_task import RemovalTask
from barthes.scorer import Scorer, fetch_measurement, get_model, measurement_key, to_narrative
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
    cache: ScoreCache | None = None,
    progress: Progress = silent,
) -> Shortened:
    """Shorten a story by the sentences that the rest misses least.

    The last sentence is never cut. Passages between ``[[keep]]`` and ``[[/keep]]`` are not cut either.

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
    >>> story = ["A wolf came.", "It rained.", "The wolf ate.", "It rained.", "The wolf slept."]
    >>> short = cut(story, words=11, model=CountingModel([" ".join(story)]))
    >>> short.text, [each.sentence.index for each in short.cuts]
    ('A wolf came. The wolf ate. It rained. The wolf slept.', [1])
    """
    if (to is None) == (words is None):
        raise TypeError("cut takes either to (a share of the words) or words (their number).")
    narrative, marked = remove_marks(to_narrative(story))
    narrative = regroup(narrative, unit)
    method = SentenceDeletion(get_model(model), window=window)
    protected = find_sentences(narrative, marked) | frozenset(keep)
    target = find_target(narrative, to=to, words=words)
    return cut_narrative(narrative, method, target, protected=protected, cache=cache, progress=progress)


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
    method: SentenceDeletion,
    target: int,
    *,
    protected: Collection[int] = (),
    cache: ScoreCache | None = None,
    progress: Progress = silent,
) -> Shortened:
    """Cut a narrative to at most `target` words; headings of chapters and scenes stay.

    Half of `progress` is for measuring the sentences one by one, half for the cuts.

    Raises:
        NarrativeError: It has fewer than three sentences, or too much of it is protected.
        BarthesError: There is no such sentence to protect.
    """
    words = count_unit_words(narrative)
    fixed = {*protected, *find_headings(narrative)}
    check_feasible(narrative, words, target, fixed)
    measurement = Scorer(method, cache=cache).measure(
        narrative, progress=lambda done, total: progress(done, 2 * total)
    )
    task = method.prepare(narrative)
    measurer = Measurer(narrative, method, task, measurement, cache)
    lengths = list(map(len, task.tokens))
    search = CutSearch(words, lengths, measurer.measure, window=task.window)
    steps = search.search(
        target, protected=fixed, progress=lambda done, total: progress(total + done, 2 * total)
    )
    gone = {step.index for step in steps}
    cuts = [
        Cut(
            narrative[step.index],
            order,
            words[step.index],
            step.cost,
            step.alone,
            choose_payers(step.affected, gone),
        )
        for order, step in enumerate(steps, start=1)
    ]
    return Shortened(
        narrative,
        tuple(sorted(cuts, key=lambda each: each.sentence.index)),
        target,
        sum(size for index, size in enumerate(lengths) if index not in gone),
        tuple(sorted(protected)),
        method.model.name,
        method.model.precision,
        task.window,
        (
            *narrative.notes,
            *measurement.notes,
            *_explain(narrative, method.model.name, gone, lengths, target),
        ),
    )


def _explain(
    narrative: Narrative,
    model: str,
    gone: Collection[int],
    lengths: Sequence[int],
    target: int,
) -> Iterator[str]:
    """Yield notes on the language and format, a target that whole units miss, and cuts in the ending."""
    if note := describe_language_limit(model, narrative.language):
        yield note
    if narrative.written_as == "fountain":
        yield "The text is written as Fountain; emphasis, notes and comments of the file are not kept."
    elif narrative.written_as == "md":
        yield "The text is written as Markdown; italics and other formatting of the file are not kept."
    words = count_unit_words(narrative)
    left = sum(words) - sum(words[index] for index in gone)
    if (short := target - left) > 0.01 * sum(words):
        yield f"The text is {short:,} words shorter than asked for: only whole {narrative.unit}s are cut."
    few = min(HORIZON, sum(lengths) // 10)
    kept = [0 if index in gone else size for index, size in enumerate(lengths)]
    following = (sum(kept) - end for end in accumulate(kept))
    if late := [index + 1 for index, left in enumerate(following) if index in gone and left < few]:
        yield (
            f"Read the ending: {narrative.unit}{'s' * (len(late) > 1)} {', '.join(map(str, late))} "
            f"{'were' if len(late) > 1 else 'was'} cut, and too little text follows to tell whether readers "
            "would miss that."
        )


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
            option="keep",
        )


class Measurer:
    """Measures sentences in a shortened text, and caches what it finds.

    Args:
        narrative: The whole story.
        method: Sentence deletion with a language model.
        task: The story as prepared by the method.
        known: The measurement of every sentence in the whole story.
        cache: Where losses are looked up and stored; None for nowhere.
    """

    def __init__(
        self,
        narrative: Narrative,
        method: SentenceDeletion,
        task: RemovalTask,
        known: Measurement,
        cache: ScoreCache | None = None,
    ) -> None:
        self._method, self._task, self._known, self._cache = method, task, known, cache
        self._loss = CoherenceLoss(method.model)
        self._key = None if cache is None else measurement_key(narrative, method)

    def measure(
        self, kept: Sequence[int], targets: Sequence[int], horizon: int | None = None
    ) -> Sequence[RemovalLoss]:
        """Measure sentences in the text that consists of the kept ones; see `search.Measure`."""
        if len(kept) == len(self._task.tokens):
            return [self._known.losses[k] for k in targets]
        where = {"kept": list(kept), "targets": list(targets), "horizon": horizon}
        key = None if self._key is None else self._key | where
        if key is not None and self._cache is not None and (found := fetch_measurement(self._cache, key)):
            return found.losses
        # The tokens stay those of the original story, also of a sentence that is now the first.
        task = replace(
            self._task,
            tokens=[self._task.tokens[k] for k in kept],
            removals=[Removed(list(kept).index(k), "") for k in targets],
            replacements=[()] * len(targets),
            horizon=horizon,
        )
        measured = self._method.summarize(task, self._loss.measure(task))
        if key is not None and self._cache is not None:
            self._cache.store(key, measured.to_dict())
        return measured.losses
