"""Parse Story Workbench files (`.sty`): a text and layers of stand-off descriptions of it.

::

    <story>
      <rep id="edu.mit.parsing.token">                    a layer
        <desc id="7" off="350" len="6">dragon</desc>      a description: characters 350:356 of the text
        …

Files that declare entities are refused, so there are none to expand; real Story Workbench files have none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from barthes.annotation.events import Span
from barthes.errors import ReadingError
from barthes.evaluation.corpus import CorpusProblem
from barthes.reading.rows import MalformedError
from barthes.reading.sty import read_comment, trim_text
from barthes.reading.xml_parsing import parse_xml

Item = TypeVar("Item")

_TEXT = "edu.mit.story.char"


@dataclass(frozen=True, slots=True)
class Description:
    """One item of a layer: its number, the span of the file's text that it describes, and its content."""

    id: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Header:
    """The comment at the beginning of a ProppLearner text: its length with white space, and the title."""

    length: int
    title: str


@dataclass(frozen=True, slots=True)
class StoryFile:
    """The content of a `.sty` file before its layers are interpreted."""

    name: str
    text: str  # with the header; offsets count its characters
    header: Header
    layers: Mapping[str, tuple[Description, ...]]  # by id, without the prefix ``edu.mit.``
    problems: tuple[CorpusProblem, ...]  # what was malformed and is not in the layers

    def layer(self, name: str) -> tuple[Description, ...]:
        """Return the descriptions of a layer; none if the file lacks it."""
        return self.layers.get(name, ())

    def locate(self, description: Description) -> Span:
        """Return the span of a description in the story, which begins after the header."""
        return (description.start - self.header.length, description.end - self.header.length)

    def problem(self, description: Description, kind: str, what: str) -> CorpusProblem:
        """Return the report of a malformed description."""
        return CorpusProblem(self.name, description.id, kind, what)

    def parse_layer(
        self, name: str, kind: str, parse: Callable[[Description], Item], problems: list[CorpusProblem]
    ) -> list[Item]:
        """Parse the descriptions of a layer; add those that are malformed to `problems`."""
        items = []
        for description in self.layer(name):
            try:
                items.append(parse(description))
            except MalformedError as error:
                problems.append(self.problem(description, kind, str(error)))
        return items


def parse_story(content: bytes, *, name: str) -> StoryFile:
    """Parse the bytes of a `.sty` file.

    Raises:
        ReadingError: It is not XML, declares entities, is not a story, or has no text.
    """
    root = parse_xml(content, where=name)
    if root.tag != "story":
        raise _refuse(name, f"is XML, but its root is <{str(root.tag)[:80]}>, not <story>.")
    problems: list[CorpusProblem] = []
    found = [(layer.get("id", ""), _read_layer(layer, name, problems)) for layer in root.iter("rep")]
    layers = _merge_layers(found, name, problems)
    raw = layers.pop(_TEXT, [])
    if len(raw) != 1:
        raise _refuse(name, f"has {len(raw)} texts ({_TEXT}), not one.")
    text = trim_text(raw[0].text)
    if len(text) != raw[0].end - raw[0].start:
        what = f"it has {len(text)} characters and says {raw[0].end - raw[0].start}"
        problems.append(CorpusProblem(name, raw[0].id, "text", what))
    short = {layer.removeprefix("edu.mit."): tuple(found) for layer, found in layers.items()}
    return StoryFile(name, text, _read_header(text), short, tuple(problems))


def _read_header(text: str) -> Header:
    length, found = read_comment(text)
    return Header(length, (found or {}).get("title", ""))


def _read_layer(layer: Any, name: str, problems: list[CorpusProblem]) -> list[Description]:
    """Return the descriptions of a <rep> element; add those without id or offsets to `problems`."""
    descriptions = []
    for element in layer.iter("desc"):
        try:
            identity, start = element.attrib["id"], int(element.attrib["off"])
            end = start + int(element.attrib["len"])
            if not 0 <= start <= end:
                raise ValueError
        except (KeyError, ValueError):
            shown = " ".join(f'{key}="{value}"' for key, value in element.attrib.items())
            what = f"a description needs id, off and len, not <desc {shown}>"
            problems.append(CorpusProblem(name, element.get("id", ""), "layer", what))
            continue
        descriptions.append(Description(identity, start, end, "".join(element.itertext())))
    return descriptions


def _merge_layers(
    layers: list[tuple[str, list[Description]]], name: str, problems: list[CorpusProblem]
) -> dict[str, list[Description]]:
    """Merge layers of the same id; drop repeated descriptions, and different ones with the same id."""
    found: dict[str, dict[Description, None]] = {}
    for layer, descriptions in layers:
        if layer in found:
            again = len(found[layer]) == len(descriptions) and list(found[layer]) == descriptions
            what = "the same again" if again else "with other content"
            problems.append(CorpusProblem(name, "", "layer", f"{layer} is there twice, {what}"))
        found.setdefault(layer, {}).update(dict.fromkeys(descriptions))
    merged: dict[str, list[Description]] = {}
    for layer, unique in found.items():
        counts = Counter(description.id for description in unique)
        for identity in sorted(identity for identity, count in counts.items() if count > 1):
            what = f"{counts[identity]} descriptions of {layer} have this id; none is read"
            problems.append(CorpusProblem(name, identity, "layer", what))
        merged[layer] = [each for each in unique if counts[each.id] == 1]
    return merged


def _refuse(name: str, problem: str) -> ReadingError:
    return ReadingError(problem, where=name, remedy="Give Story Workbench files (.sty).")
