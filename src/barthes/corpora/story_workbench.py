"""Story Workbench files (`.sty`): a text and layers of stand-off descriptions over it.

::

    <story>
      <rep id="edu.mit.parsing.token">                    a layer
        <desc id="7" off="350" len="6">dragon</desc>      a description: characters 350:356 of the text
        …

The parser is the standard library's expat, which never opens a file or a connection of its own accord. A
document type declaration is refused as soon as it begins, so there are no entities to expand: real
Story Workbench files have neither.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from barthes.corpora.problems import Problem
from barthes.errors import ReadingError

__all__ = ["Description", "StoryFile", "parse_story"]

_TEXT = "edu.mit.story.char"


@dataclass(frozen=True, slots=True)
class Description:
    """One item of a layer.

    Attributes:
        id: Its number in the file.
        start: Offset of the first character that it describes, in the file's text.
        end: Offset one past the last.
        text: What it says, in its layer's own notation.
    """

    id: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class StoryFile:
    """What a `.sty` file holds, not yet interpreted.

    Attributes:
        name: The file's name, for reports.
        text: The raw text, comment header included; offsets count its characters.
        layers: The descriptions by layer id, without the prefix ``edu.mit.``.
        problems: What was malformed and is not in the layers.
    """

    name: str
    text: str
    layers: Mapping[str, tuple[Description, ...]]
    problems: tuple[Problem, ...]

    def layer(self, name: str) -> tuple[Description, ...]:
        """The descriptions of a layer; none where the file lacks it."""
        return self.layers.get(name, ())


def parse_story(content: bytes, *, name: str) -> StoryFile:
    """Parse the bytes of a `.sty` file.

    Raises:
        ReadingError: It is not XML, declares a document type or entities, is no story, or has no text.
    """
    builder = _Builder(name)
    builder.parse(content)
    layers, problems = _unite(builder.layers, name)
    problems = [*builder.problems, *problems]
    raw = layers.pop(_TEXT, [])
    if len(raw) != 1:
        _refuse(name, f"has {len(raw)} texts ({_TEXT}), not one.")
    text = raw[0].text
    # the Workbench sets the text off by one line break at each end, which is not part of it
    text = text[1:-1] if len(text) > 1 and text[0] == text[-1] == "\n" else text
    if len(text) != raw[0].end - raw[0].start:
        what = f"it has {len(text)} characters and says {raw[0].end - raw[0].start}"
        problems.append(Problem(name, raw[0].id, "text", what))
    short = {layer.removeprefix("edu.mit."): tuple(found) for layer, found in layers.items()}
    return StoryFile(name, text, short, tuple(problems))


@dataclass
class _Builder:
    """Collects the layers of a file while expat goes through it."""

    name: str
    layers: list[tuple[str, list[Description]]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    _root: str | None = None
    _open: dict[str, str] | None = None
    _characters: list[str] = field(default_factory=list)

    def parse(self, content: bytes) -> None:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._doctype
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._read
        try:
            parser.Parse(content, True)
        except expat.ExpatError as error:
            what = (
                f"line {error.lineno}: {expat.ErrorString(error.code)}" if content.strip() else "it is empty"
            )
            _refuse(self.name, f"is not XML ({what}).")
        except (LookupError, ValueError) as error:  # an encoding that Python does not know
            _refuse(self.name, f"is not XML ({error}).")

    def _doctype(self, *_: object) -> None:
        raise ReadingError(
            "declares a document type; entities are not expanded, for safety.",
            where=self.name,
            remedy="Remove the <!DOCTYPE …> declaration; Story Workbench files have none.",
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if self._root is None:
            self._root = tag
            if tag != "story":
                _refuse(self.name, f"is XML, but its root is <{tag[:80]}>, not <story>.")
        elif tag == "rep":
            self.layers.append((attributes.get("id", ""), []))
        elif tag == "desc" and self.layers:
            self._open, self._characters = attributes, []

    def _read(self, characters: str) -> None:
        if self._open is not None:
            self._characters.append(characters)

    def _end(self, tag: str) -> None:
        if tag != "desc" or self._open is None:
            return
        attributes, self._open = self._open, None
        try:
            start, length = int(attributes["off"]), int(attributes["len"])
            identity = attributes["id"]
            if start < 0 or length < 0:
                raise ValueError
        except (KeyError, ValueError):
            shown = " ".join(f'{key}="{value}"' for key, value in attributes.items())
            what = f"a description needs id, off and len, not <desc {shown}>"
            self.problems.append(Problem(self.name, attributes.get("id", ""), "layer", what))
            return
        text = "".join(self._characters)
        self.layers[-1][1].append(Description(identity, start, start + length, text))


def _unite(
    layers: list[tuple[str, list[Description]]], name: str
) -> tuple[dict[str, list[Description]], list[Problem]]:
    """Join layers of the same id: the same description twice counts once, an id with two meanings none."""
    found: dict[str, dict[Description, None]] = {}
    problems = []
    for layer, descriptions in layers:
        if layer in found:
            again = len(found[layer]) == len(descriptions) and list(found[layer]) == descriptions
            what = "the same again" if again else "with other content"
            problems.append(Problem(name, "", "layer", f"{layer} is there twice, {what}"))
        found.setdefault(layer, {}).update(dict.fromkeys(descriptions))
    united = {layer: list(descriptions) for layer, descriptions in found.items()}
    for layer, descriptions in united.items():
        ids = Counter(description.id for description in descriptions)
        twice = {identity for identity, count in ids.items() if count > 1}
        for identity in sorted(twice):
            what = f"{ids[identity]} descriptions of {layer} have this id; none is read"
            problems.append(Problem(name, identity, "layer", what))
        united[layer] = [each for each in descriptions if each.id not in twice]
    return united, problems


def _refuse(name: str, problem: str) -> NoReturn:
    raise ReadingError(problem, where=name, remedy="Give Story Workbench files (.sty).")
