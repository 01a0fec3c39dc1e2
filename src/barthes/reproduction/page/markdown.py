"""A reproduction as Markdown (GitHub's tables), for documentation and for reading in a terminal."""

from __future__ import annotations

from typing import Any

from barthes.report.escaping import escape_markdown
from barthes.reproduction.page.contents import compose
from barthes.reproduction.page.document import Cell, Section, Table
from barthes.reproduction.page.wording import clean

__all__ = ["render_markdown"]

_STRESS = {"": "", "bold": "**", "bold italic": "***", "muted": "*"}


def render_markdown(plain: dict[str, Any]) -> str:
    """The whole reproduction; the same dict gives the same text on every run."""
    document = compose(clean(plain))
    blocks = [f"# {escape_markdown(document.title)}", *map(escape_markdown, document.introduction)]
    for section in document.sections:
        blocks += _section(section)
    return "\n\n".join(blocks) + "\n"


def _section(section: Section) -> list[str]:
    blocks = [f"## {escape_markdown(section.heading)}", *map(escape_markdown, section.paragraphs)]
    if section.items:
        blocks.append("\n".join(f"- {escape_markdown(item)}" for item in section.items))
    for table in section.blocks:
        if isinstance(table, Table):
            blocks += [
                f"**{escape_markdown(table.caption)}**",
                _table(table),
                *map(escape_markdown, table.remarks),
            ]
    return blocks


def _table(table: Table) -> str:
    lines = [
        [escape_markdown(column.heading) for column in table.columns],
        ["---:" if column.numeric else "---" for column in table.columns],
        *([_cell(cell) for cell in row.cells] for row in table.rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(cell: Cell) -> str:
    stress = _STRESS[cell.emphasis]
    return f"{stress}{escape_markdown(cell.text)}{stress}{cell.mark}"
