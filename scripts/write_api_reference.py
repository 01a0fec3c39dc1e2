"""Write docs/reference/api.md from the docstrings of the public names.

    python scripts/write_api_reference.py

Run it after changing a public name or its docstring; a test fails while the page is out of date.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import barthes
from barthes.files import write_atomically

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "api.md"

INTRODUCTION = """\
# Python API

Every public name of `barthes`, generated from the source by `scripts/write_api_reference.py`.
[Python](python.md) is a shorter guide with examples.
"""

GROUPS = {
    "Read": "read read_chapters read_text Narrative Sentence",
    "Score": "score Scorer Profile EventProfile Stability cut",
    "Methods": """
        Method MethodInfo SentenceDeletion VerbAnonymization PredicateArgumentAnonymization EventSalience
        Combination RankSum TfIdf Words Centroid Similarity DocumentFrequencies Length Position Random
        annotate
    """,
    "Language models": "load_model LanguageModel CountingModel measure_perplexity finetune",
    "Evaluate": "evaluate bench",
    "Runs": "score_many load_run",
    "Errors and version": "BarthesError __version__",
}

_INDENTED = r"((?:[ ]{4}.*\n|\n(?=[ ]{4}))+)"
_SECTION = re.compile(rf"^(Args|Attributes|Raises|Returns|Yields):\n{_INDENTED}", re.MULTILINE)
_ITEM = re.compile(r"^(\S[^:\n]*): (.*(?:\n[ ]{4,}.*)*)", re.MULTILINE)
_DOCTEST = re.compile(r"^>>> .*\n(?:(?!\s*$).*\n)*", re.MULTILINE)
_DRAWING = re.compile(rf"::\n\n{_INDENTED}")


def render() -> str:
    """Return the page."""
    named = [name for names in GROUPS.values() for name in names.split()]
    if others := set(barthes.__all__) ^ set(named):
        raise SystemExit(f"GROUPS and barthes.__all__ differ: {', '.join(sorted(others))}")
    parts = [INTRODUCTION]
    for heading, names in GROUPS.items():
        parts += [f"## {heading}\n", *(describe(name) for name in names.split())]
    return "\n".join(parts)


def describe(name: str) -> str:
    """Return the section of a public name."""
    value = getattr(barthes, name)
    original = getattr(value, "__name__", name)
    if original != name:
        return f"### barthes.{name}\n\nThe same as `barthes.{original}`.\n"
    if isinstance(value, str):
        return f"### barthes.{name}\n\nThe version, such as `{value}`.\n"
    parts = [f"### barthes.{name}\n\n```python\n{sign(name, value)}\n```\n", explain(value)]
    if inspect.isclass(value):
        parts += [f"- `{called}`: {summary}" for called, summary in list_members(value)]
        parts.append("")
    return "\n".join(parts)


def sign(name: str, value: Any) -> str:
    """Return how a function or class is called, without types."""
    try:
        signature = inspect.signature(value)
    except ValueError:
        return f"{name}(...)"
    empty = inspect.Parameter.empty
    kept = [
        each.replace(annotation=empty, default=_show(each.default))
        for each in signature.parameters.values()
        if each.name != "self"
    ]
    return f"{name}{signature.replace(parameters=kept, return_annotation=empty)}"


class _Named:
    """A default value that is shown by its name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


def _show(default: Any) -> Any:
    is_function = inspect.isroutine(default)
    return _Named(default.__name__) if is_function else default


def list_members(value: type) -> Iterator[tuple[str, str]]:
    """Yield how the methods and properties of a class are called, and the first line of their docstrings."""
    for name, member in vars(value).items():
        is_property = isinstance(member, property | cached_property)
        if name.startswith("_") or not (is_property or inspect.isroutine(getattr(value, name))):
            continue
        summary = (inspect.getdoc(getattr(value, name)) or "").partition("\n\n")[0]
        called = name if is_property else sign(name, getattr(value, name))
        yield called, tidy(" ".join(summary.split()))


def explain(value: Any) -> str:
    """Return a docstring as Markdown."""
    text = (inspect.getdoc(value) or "") + "\n"
    text = _DRAWING.sub(lambda found: f"\n\n```\n{inspect.cleandoc(found[1])}\n```\n", text)
    text = _DOCTEST.sub(lambda found: f"```python\n{found[0].rstrip()}\n```\n", text)
    return tidy(_SECTION.sub(list_items, text))


def list_items(section: re.Match[str]) -> str:
    """Return a section such as ``Args:`` as a list, or as a paragraph if it has no names."""
    body = inspect.cleandoc(section[2])
    if section[1] in ("Returns", "Yields"):
        return f"**{section[1]}** {' '.join(body.split())}\n"
    items = [f"- `{name.strip('`')}`: {' '.join(text.split())}" for name, text in _ITEM.findall(body)]
    return "\n".join([f"**{section[1]}**\n", *items, ""])


def tidy(text: str) -> str:
    """Return text with the single backticks of Markdown."""
    return re.sub(r"(?<!`)``(?!`)", "`", text)


if __name__ == "__main__":
    write_atomically(PAGE, render())
