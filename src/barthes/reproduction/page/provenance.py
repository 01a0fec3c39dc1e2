"""What the figures were made with: models, settings, versions, and what the reader should know."""

from __future__ import annotations

from typing import Any

from barthes.reproduction.page.document import Cell, Column, Row, Section, Table, text_row
from barthes.reproduction.page.numerals import MISSING
from barthes.reproduction.page.wording import name_fine_tuning

__all__ = ["describe_notes", "describe_provenance"]

_MODELS = (
    Column("fine-tuning"),
    Column("model"),
    Column("number format"),
    Column("device"),
    Column("fingerprint"),
)
_VALUES = (Column(""), Column("value"))


def describe_provenance(plain: dict[str, Any]) -> Section:
    """Models, settings and versions."""
    versions = {"barthes": plain["barthes"]} | dict(plain.get("versions") or {})
    tables = (
        Table("Language models", _MODELS, tuple(_model(*item) for item in plain["models"].items())),
        Table("Settings", _VALUES, _values({"mode": plain["mode"]} | dict(plain["settings"]))),
        Table("Versions", _VALUES, _values(versions)),
    )
    return Section("provenance", "Models, settings, versions", blocks=tables)


def describe_notes(notes: list[str]) -> Section:
    """Every note, in order."""
    return Section("notes", "Notes", () if notes else ("There are none.",), items=tuple(notes))


def _model(fine_tuning: str, model: dict[str, Any] | None) -> Row:
    name = Cell(name_fine_tuning(fine_tuning))
    if model is None:
        return Row((name, Cell("not given", "muted"), *[Cell(MISSING)] * 3))
    return Row((name, *(Cell(_show(model.get(key))) for key in ("name", "dtype", "device", "fingerprint"))))


def _values(settings: dict[str, Any]) -> tuple[Row, ...]:
    return tuple(text_row(name.replace("_", " "), _show(value)) for name, value in settings.items())


def _show(value: Any) -> str:
    """A setting as a person would write it.

    >>> _show([0, 1]), _show(None), _show(True), _show({"seed": 0})
    ('0, 1', '–', 'yes', 'seed: 0')
    """
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_show(content)}" for name, content in value.items())
    if isinstance(value, list):
        return ", ".join(map(_show, value)) or MISSING
    return str(value)
