"""The section of the page for Table 2."""

from __future__ import annotations

from typing import Any

from barthes.report.evaluation_tables import MISSING, format_p
from barthes_research.reproduction.document import (
    NOT_RUN,
    emphasize,
    name_fine_tuning,
    name_method,
    tabulate,
)
from barthes_research.reproduction.numerals import (
    as_number,
    format_difference,
    format_interval,
    format_number,
)
from barthes_research.reproduction.published import PROPOSED

_WORDS = ("method", "+ TF-IDF", "fine-tuning")
_NUMBERS = ("paper", "ours", "difference", "95 % interval", "p against random", "p against expectation")


def describe_results(figures: dict[str, Any]) -> list[str]:
    """Return Table 2 with the paper's marks."""
    caption = f"Table 2: mean average precision (MAP), labels “{figures['labels']}”"
    return tabulate(caption, _WORDS, _NUMBERS, map(_show_row, figures["rows"]), *_remarks(figures))


def _show_row(row: dict[str, Any]) -> tuple[str, ...]:
    run = row["status"] == "run" and as_number(row["ours"]) is not None
    return (
        name_method(row["method"]),
        "✓" if row["tfidf"] else MISSING,
        name_fine_tuning(row["fine_tuning"]) if row["method"] in PROPOSED else MISSING,
        _show_map(row, "paper", prefix="paper_"),
        _show_map(row, "ours") if run else emphasize(NOT_RUN),
        format_difference(row["ours"], row["paper"]) if run else MISSING,
        format_interval(row["interval"]),
        format_p(row["p_vs_random"]),
        format_p(row["p_vs_expectation"]),
    )


def _show_map(row: dict[str, Any], whose: str, *, prefix: str = "") -> str:
    stars = "***" if row[f"{prefix}bold_italic"] else "**" if row[f"{prefix}bold"] else ""
    return emphasize(format_number(row[whose]), stars, "†" * bool(row[f"{prefix}dagger"]))


def _remarks(figures: dict[str, Any]) -> tuple[str, ...]:
    spread, best = figures["random_sd"], figures["best_combination_vs_tfidf"]
    remarks = (
        "† better than random by the Wilcoxon signed-rank test over the tales, p < 0.05. Bold: the best "
        "proposed method. Bold italic: the best combination with TF-IDF. "
        "Intervals are bootstrapped over the tales.",
        "p against random decides the daggers, as in the paper; it compares with the mean over the seeds and "
        "varies with them. p against expectation compares with the mean over all orders of a tale’s "
        "sentences and does not vary.",
        "SD: sentence deletion, VA: verb anonymization, PAA: predicate and argument anonymization. "
        "Fine-tuning in the paper: domain is BookCorpus, transductive is ProppLearner itself.",
        f"Standard deviation of random over its seeds: {format_number(spread['paper'])} in the paper, "
        f"{format_number(spread['ours'])} ours. Best combination against TF-IDF, Wilcoxon’s p: "
        f"{format_p(best['paper'])} in the paper, "
        + (f"{format_p(best['ours'])} ours." if as_number(best["ours"]) is not None else "not run by us."),
    )
    if as_number(figures.get("random_expected")) is None:
        return remarks
    expected = format_number(figures["random_expected"])
    varies = (
        f"Our random row is a mean over seeds and varies with them; the mean over all orders is {expected}."
    )
    return (varies, *remarks)
