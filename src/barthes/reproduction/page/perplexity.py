"""Perplexity of the language models on the corpus, and whether a better one finds salience better."""

from __future__ import annotations

from typing import Any

from barthes.reproduction.page.document import Cell, Column, Row, Section, Table
from barthes.reproduction.page.numerals import as_number, format_count, format_number
from barthes.reproduction.page.wording import NOT_RUN, name_fine_tuning, name_method, name_status

__all__ = ["describe_perplexity"]

_MODELS = (Column("fine-tuning"), Column("model"), Column("perplexity (ours)", True), Column("tokens", True))
_CORRELATIONS = (Column("method"), Column("paper", True), Column("ours", True))


def describe_perplexity(plain: dict[str, Any]) -> Section:
    """Two tables: the perplexities, and their rank correlation with MAP."""
    models = tuple(_perplexity(row) for row in plain["rows"])
    correlations = tuple(_correlation(method, values) for method, values in plain["spearman"].items())
    remark = (
        "Spearman’s ρ is over the three settings of fine-tuning, so it needs all three models; it is "
        "undefined where all three have the same MAP."
    )
    return Section(
        "perplexity",
        "Perplexity and its correlation with MAP",
        ("The paper does not print the perplexities, only their correlation with MAP.",),
        blocks=(
            Table("Perplexity on the corpus, per token of the model", _MODELS, models),
            Table("Spearman’s ρ between MAP and perplexity", _CORRELATIONS, correlations, remarks=(remark,)),
        ),
    )


def _perplexity(row: dict[str, Any]) -> Row:
    return Row(
        (
            Cell(name_fine_tuning(row["fine_tuning"])),
            Cell(row["model"]) if row["model"] else Cell("not given", "muted"),
            _measured(row["perplexity"], 2),
            Cell(format_count(row["tokens"])),
        )
    )


def _correlation(method: str, values: dict[str, Any]) -> Row:
    ours = _measured(values["ours"], 1, otherwise=name_status(values))
    return Row((Cell(name_method(method)), Cell(format_number(values["paper"], 1)), ours))


def _measured(value: Any, digits: int, *, otherwise: str = NOT_RUN) -> Cell:
    if as_number(value) is None:
        return Cell(otherwise, "muted")
    return Cell(format_number(value, digits))
