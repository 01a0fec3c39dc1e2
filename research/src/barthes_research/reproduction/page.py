"""Render a reproduction as Markdown and as a self-contained HTML page, with the paper's figures beside ours.

Both are rendered from the dict that is written as JSON; the same dict gives the same bytes.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from barthes.report.escaping import escape_markdown, load_templates, pipe_table
from barthes.report.numerals import MISSING
from barthes_research.reproduction.document import (
    Cell,
    ReportDocument,
    Section,
    Table,
    clean,
    name_fine_tuning,
)
from barthes_research.reproduction.figures import draw_all
from barthes_research.reproduction.main_results_page import describe_positions, describe_tales
from barthes_research.reproduction.reproduce import EXPERIMENTS

FIGURES_REMEDY = "The figures need matplotlib: pip install matplotlib, then run the command again."

_MODES = {
    "paper": "as in the authors’ release: tokens in Penn Treebank style joined by spaces, and the release’s "
    "windows and first sentence where they differ from the formula",
    "published-formula": "the formula as published: natural text and contiguous windows",
}
_EMPHASIS = {"": "", "bold": "**", "bold italic": "***", "muted": "*"}


def render_markdown(plain: dict[str, Any]) -> str:
    """Return a reproduction as Markdown with GitHub's tables."""
    document = compose(clean(plain))
    blocks = [f"# {escape_markdown(document.title)}", *map(escape_markdown, document.introduction)]
    for section in document.sections:
        blocks += [f"## {escape_markdown(section.heading)}", *map(escape_markdown, section.paragraphs)]
        if section.items:
            blocks.append("\n".join(f"- {escape_markdown(item)}" for item in section.items))
        for block in section.blocks:
            if isinstance(block, Table):
                remarks = map(escape_markdown, block.remarks)
                blocks += [f"**{escape_markdown(block.caption)}**", _to_markdown(block), *remarks]
    return "\n\n".join(blocks) + "\n"


def render_html(plain: dict[str, Any]) -> str:
    """Return a reproduction as an HTML page without scripts; without matplotlib it has no figures."""
    plain = clean(plain)
    can_draw = find_spec("matplotlib") is not None
    template = load_templates("barthes_research.reproduction").get_template("page.html")
    return template.render(
        document=compose(plain),
        drawings={drawing.key: drawing for drawing in draw_all(plain)} if can_draw else {},
        remedy=None if can_draw else FIGURES_REMEDY,
    )


def compose(plain: dict[str, Any]) -> ReportDocument:
    """Return the document of a cleaned plain dict: every experiment in the paper's order, run or not."""
    notes = list(plain["notes"])
    sections: list[Section] = []
    for name, experiment in EXPERIMENTS.items():
        figures = plain.get(name)
        if figures is None:
            sections.append(_describe_missing(name, experiment.heading, notes))
        else:
            sections.append(experiment.describe(figures))
        if name == "table2":
            tales = describe_tales(figures) if figures else None
            positions = describe_positions(plain["scores"]) if plain.get("scores") else None
            sections += [section for section in (tales, positions) if section is not None]
    mode = plain["mode"]
    introduction = (
        "Our figures beside those of Otake et al. (2020), Modeling Event Salience in Narratives via "
        "Barthes’ Cardinal Functions. A dash means that there is no figure.",
        f"Mode “{mode}”"
        + (f": {_MODES[mode]}. " if mode in _MODES else ". ")
        + f"Labels: “{plain['settings'].get('labels', MISSING)}”.",
    )
    last = Section("notes", "Notes", () if notes else ("None.",), items=tuple(notes))
    return ReportDocument(
        "Reproduction of the paper", introduction, (*sections, _describe_provenance(plain), last)
    )


def _describe_missing(key: str, heading: str, notes: list[str]) -> Section:
    """Return the section of an experiment that was not run, with the notes that concern it."""
    names = (key, heading, heading.partition(": ")[0], heading.partition(": ")[2] or heading)
    own = tuple(note for note in notes if note.casefold().startswith(tuple(map(str.casefold, names))))
    return Section(key, heading, ("Not run.",) if own else ("Not run; see the notes below.",), own)


def _describe_provenance(plain: dict[str, Any]) -> Section:
    """Return the section of models, settings and versions."""
    settings = {"mode": plain["mode"]} | dict(plain["settings"])
    versions = {"barthes": plain["barthes"]} | dict(plain.get("versions") or {})
    model_columns = ("fine-tuning", "model", "number format", "device", "fingerprint")
    tables = [Table("Language models", model_columns, (), [_show_model(*m) for m in plain["models"].items()])]
    for caption, values in (("Settings", settings), ("Versions", versions)):
        rows = [(name.replace("_", " "), _show(value)) for name, value in values.items()]
        tables.append(Table(caption, ("", "value"), (), rows))
    return Section("provenance", "Models, settings, versions", blocks=tables)


def _show_model(fine_tuning: str, model: dict[str, Any] | None) -> tuple[Cell | str, ...]:
    name = name_fine_tuning(fine_tuning)
    if model is None:
        return (name, Cell("not given", "muted"), MISSING, MISSING, MISSING)
    return (name, *(_show(model.get(key)) for key in ("name", "dtype", "device", "fingerprint")))


def _show(value: Any) -> str:
    """Format a setting for people.

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


def _to_markdown(table: Table) -> str:
    header, *rows = (
        [_show_cell(cell) for cell in row] for row in ((*table.words, *table.numbers), *table.rows)
    )
    return pipe_table(header, rows, words=header[: len(table.words)])


def _show_cell(cell: Cell | str) -> str:
    if isinstance(cell, str):
        return escape_markdown(cell)
    stars = _EMPHASIS[cell.emphasis]
    return f"{stars}{escape_markdown(cell.text)}{stars}{cell.mark}"
