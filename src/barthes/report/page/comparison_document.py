"""Describe a comparison as a plain dict for the page's template."""

from __future__ import annotations

import difflib
import re
from typing import Any

from barthes.report.comparison import Comparison, Kind, Pair
from barthes.report.escaping import clean
from barthes.report.scale import Scale, scale_of, scale_profile
from barthes.report.wording import count, describe_settings, name_story, name_title, name_unit

_MOST = 8
_DIGITS = 3
_TOKEN = re.compile(r"\s+|\w+|[^\w\s]")


def describe_comparison(comparison: Comparison) -> dict[str, Any]:
    """Return everything that the page shows as plain lists, dicts, texts and numbers."""
    sizes = [None if pair.change is None else abs(pair.change) for pair in comparison.pairs]
    scales = (scale_profile(comparison.before), scale_profile(comparison.after))
    changes = scale_of(sizes, from_zero=True)
    rows = []
    for place, (pair, size) in enumerate(zip(comparison.pairs, sizes, strict=True), start=1):
        change = pair.change
        before, after = _sides(pair, scales)
        rows.append(
            {
                "key": f"row-{place}",
                "kind": pair.kind.value,
                "before": before,
                "after": after,
                "change": "" if change is None else _format(change),
                "direction": ("gain" if change > 0 else "loss") if change and pair.is_clear else "",
                "level": changes.level(size),
                "cut": changes.cuts(size),
                "reason": pair.reason,
            }
        )
    by_pair = dict(zip(map(id, comparison.pairs), rows, strict=True))
    heading, *heads = name_sides(comparison)
    return {
        "title": heading,
        "heads": heads,
        "language": comparison.after.narrative.language,
        "unit": comparison.after.unit,
        "measure": "salience" if comparison.comparable else "standing",
        "summary": _summarize(comparison),
        "spearman": format_spearman(comparison),
        "counts": [(kind.value, comparison.count(kind)) for kind in Kind if comparison.count(kind)],
        "gained": [by_pair[id(pair)] for pair in comparison.gained(_MOST)],
        "lost": [by_pair[id(pair)] for pair in comparison.lost(_MOST)],
        "rows": rows,
        "footnotes": list(dict.fromkeys(row["reason"] for row in rows if row["reason"])),
        "settings": [describe_settings(comparison.before), describe_settings(comparison.after)],
    }


def name_sides(comparison: Comparison) -> tuple[str, str, str]:
    """Return a title and a name for each side: the stories or, if they are the same, what differs."""
    before, after = comparison.before, comparison.after
    left, right = name_story(before.narrative), name_story(after.narrative)
    if left != right:
        return f"{left} and {right}", left, right
    drafts = name_title(before.narrative.title), name_title(after.narrative.title)
    first, second = next(
        (
            pair
            for pair in (drafts, (before.method, after.method), (before.model, after.model))
            if pair[0] != pair[1]
        ),
        ("first draft", "second draft"),
    )
    names = clean(first or "no model"), clean(second or "no model")
    return f"{left}: {names[0]} and {names[1]}", *names


def format_spearman(comparison: Comparison) -> str | None:
    """Return Spearman's ρ between the scores of both sides; None where it is not defined."""
    rho = comparison.spearman
    return None if rho is None else f"{rho:.2f}".replace("-", "−")


def _summarize(comparison: Comparison) -> str:
    before, after = comparison.before, comparison.after
    left, right = (count(len(profile.scores), profile.unit) for profile in (before, after))
    sizes = f"{left} on the left, {right} on the right."
    if comparison.comparable:
        means = ", ".join(filter(None, [clean(after.info.label), name_unit(after)]))
        return f"{sizes} Changes in salience ({means})."
    return (
        f"{sizes} The methods or models differ, so {before.unit}s are compared by standing: 1 for the most "
        "salient of its story, 0 for the least."
    )


def _sides(pair: Pair, scales: tuple[Scale, Scale]) -> list[dict[str, Any] | None]:
    """Describe the sentence before and after; if its wording changed, the differences are marked."""
    units = (pair.before, pair.after)
    texts = ["" if unit is None else clean(unit.sentence.text) for unit in units]
    marked = _mark_words(*texts) if pair.kind is Kind.CHANGED else [[(text, False)] for text in texts]
    return [
        None
        if unit is None
        else {
            "number": unit.index + 1,
            "rank": unit.rank,
            "salience": _format(unit.salience),
            "level": 0 if unit.rank is None else scale.level(unit.salience),
            "parts": parts,
        }
        for unit, scale, parts in zip(units, scales, marked, strict=True)
    ]


def _format(value: float) -> str:
    """Format a number with its sign and as many decimals as in the terminal.

    >>> _format(-0.019), _format(2.25), _format(-0.0001), _format(0.0)
    ('−0.019', '+2.250', '−0.000', '0.000')
    """
    return f"{'−' if value < 0 else '+' if value > 0 else ''}{abs(value):.{_DIGITS}f}"


def _mark_words(before: str, after: str) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
    """Split both texts into pieces, each with whether it is missing in the other.

    >>> _mark_words("A wolf came.", "A wolf left.")
    ([('A wolf ', False), ('came', True), ('.', False)], [('A wolf ', False), ('left', True), ('.', False)])
    """
    first, second = _TOKEN.findall(before), _TOKEN.findall(after)
    left, right = [], []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if a < b:
            left.append(("".join(first[a:b]), tag != "equal"))
        if c < d:
            right.append(("".join(second[c:d]), tag != "equal"))
    return left, right
