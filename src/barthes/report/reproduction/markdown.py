"""A reproduction as Markdown (GitHub's tables), for documentation and for reading in a terminal."""

from __future__ import annotations

import re
from typing import Any

from barthes.report.reproduction.contents import compose
from barthes.report.reproduction.document import Cell, Section, Table
from barthes.report.reproduction.wording import clean

__all__ = ["escape", "render_markdown"]

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~$&])")
_LIST_START = re.compile(r"^(\d*)([-+=.)])(?=\s|$)")
_STRESS = {"": "", "bold": "**", "bold italic": "***", "muted": "*"}


def render_markdown(plain: dict[str, Any]) -> str:
    """The whole reproduction; the same dict gives the same text on every run."""
    document = compose(clean(plain))
    blocks = [f"# {escape(document.title)}", *map(escape, document.introduction)]
    for section in document.sections:
        blocks += _section(section)
    return "\n\n".join(blocks) + "\n"


def escape(text: str) -> str:
    """A text that Markdown shows as it is.

    >>> print(escape("a|b *c* <d>"))
    a\\|b \\*c\\* \\<d\\>
    >>> print(escape("1. x"), escape("- x"))
    1\\. x \\- x
    """
    return _LIST_START.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", text))


def _section(section: Section) -> list[str]:
    blocks = [f"## {escape(section.heading)}", *map(escape, section.paragraphs)]
    if section.items:
        blocks.append("\n".join(f"- {escape(item)}" for item in section.items))
    for table in section.blocks:
        if isinstance(table, Table):
            blocks += [f"**{escape(table.caption)}**", _table(table), *map(escape, table.remarks)]
    return blocks


def _table(table: Table) -> str:
    lines = [
        [escape(column.heading) for column in table.columns],
        ["---:" if column.numeric else "---" for column in table.columns],
        *([_cell(cell) for cell in row.cells] for row in table.rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(cell: Cell) -> str:
    stress = _STRESS[cell.emphasis]
    return f"{stress}{escape(cell.text)}{stress}{cell.mark}"
