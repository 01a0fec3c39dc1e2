"""Render a reproduction as Markdown, with the paper's figures beside ours.

The page is made from the dict that is written as JSON; the same dict gives the same bytes.
"""

from __future__ import annotations

from typing import Any

from barthes.report.evaluation_tables import MISSING
from barthes_research.reproduction.document import clean, emphasize, mark_up, name_fine_tuning, tabulate
from barthes_research.reproduction.reproduce import EXPERIMENTS

TITLE = "Reproduction of the paper"

_MODES = {
    "paper": "as in the authors’ release: tokens in Penn Treebank style joined by spaces, and the release’s "
    "windows and first sentence where they differ from the formula",
    "published-formula": "the formula as published: natural text and contiguous windows",
}


def render_markdown(plain: dict[str, Any]) -> str:
    """Return a reproduction as Markdown with GitHub's tables, with settings and notes."""
    plain = clean(plain)
    notes = ["## Notes", _list(plain["notes"]) or "None."]
    blocks = [
        f"# {TITLE}",
        *_introduce(plain),
        *_describe_results(plain),
        *_describe_provenance(plain),
        *notes,
    ]
    return "\n\n".join(blocks) + "\n"


def render_results(plain: dict[str, Any]) -> str:
    """Return only the tables of the experiments."""
    return "\n\n".join(_describe_results(clean(plain))) + "\n"


def _describe_results(plain: dict[str, Any]) -> list[str]:
    """Return the sections of all experiments in the paper's order, run or not."""
    blocks: list[str] = []
    for name, experiment in EXPERIMENTS.items():
        figures = plain.get(name)
        blocks.append(f"## {mark_up(experiment.heading)}")
        blocks += _describe_missing(name, plain["notes"]) if figures is None else experiment.describe(figures)
    return blocks


def _introduce(plain: dict[str, Any]) -> list[str]:
    mode = plain["mode"]
    meaning = f": {_MODES[mode]}" if mode in _MODES else ""
    return [
        "Our figures beside those of Otake et al. (2020), Modeling Event Salience in Narratives via "
        "Barthes’ Cardinal Functions. A dash means that there is no figure.",
        mark_up(f"Mode “{mode}”{meaning}. Labels: “{plain['settings'].get('labels', MISSING)}”."),
    ]


def _describe_missing(name: str, notes: list[str]) -> list[str]:
    """Return the section of an experiment that was not run, with the notes that say why."""
    own = [note for note in notes if note.startswith(f"{name} ")]
    return ["Not run.", *([_list(own)] if own else [])]


def _list(items: list[str]) -> str:
    return "\n".join(f"- {mark_up(item)}" for item in items)


def _describe_provenance(plain: dict[str, Any]) -> list[str]:
    """Return the section of models, settings and versions."""
    model_columns = ("fine-tuning", "model", "number format", "device", "fingerprint")
    models = [_show_model(*each) for each in plain["models"].items()]
    blocks = ["## Models, settings, versions", *tabulate("Language models", model_columns, (), models)]
    settings = {"mode": plain["mode"]} | dict(plain["settings"])
    versions = {"barthes": plain["barthes"]} | dict(plain.get("versions") or {})
    for caption, values in (("Settings", settings), ("Versions", versions)):
        rows = [(name.replace("_", " "), _show(value)) for name, value in values.items()]
        blocks += tabulate(caption, ("", "value"), (), rows)
    return blocks


def _show_model(fine_tuning: str, model: dict[str, Any] | None) -> tuple[str, ...]:
    name = name_fine_tuning(fine_tuning)
    if model is None:
        return (name, emphasize("not given"), MISSING, MISSING, MISSING)
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
