"""Save and load profiles as JSON with the text of the story."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from barthes.errors import ReadingError
from barthes.files import write_atomically
from barthes.narrative import Narrative
from barthes.version import __version__

T = TypeVar("T")

_NONE = type(None)
_TEXTS = dict.fromkeys(("text", "story", "heading", "author", "language", "method", "unit"), (str,))
_KINDS: dict[str, tuple[type, ...]] = {
    **_TEXTS,
    **dict.fromkeys(("model", "precision"), (str, _NONE)),
    "window": (int, _NONE),
    "looks_ahead": (bool,),
    **dict.fromkeys(("notes", "source_notes"), (list,)),
}


def save_json(content: dict[str, Any], narrative: Narrative, path: Path) -> None:
    """Write a profile's plain content and its narrative (atomically)."""
    source = {
        "barthes": __version__,
        "text": narrative.text,
        "spans": [list(span) for span in narrative.spans],
        "language": narrative.language,
        "source_notes": list(narrative.notes),
        "chapter_starts": [list(chapter) for chapter in narrative.chapters],
        **({"left_out": [list(span) for span in narrative.left_out]} if narrative.left_out else {}),
        **{name: known for name in ("heading", "author") if (known := getattr(narrative, name))},
        **({"passages": [list(each) for each in narrative.passages]} if narrative.passages else {}),
    }
    write_atomically(path, json.dumps(content | source, ensure_ascii=False, allow_nan=False) + "\n")


def load_json(path: Path, build: Callable[[Any], T]) -> T:
    """Read a file of `save_json` and build a profile.

    Raises:
        ReadingError: The file cannot be read or is not a saved profile.
    """
    content: Any = None
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return build(content)
    except OSError as error:
        raise ReadingError(f"cannot be read ({error.strerror}).", where=path) from error
    except (ValueError, LookupError, TypeError, OverflowError, RecursionError) as error:
        raise _refuse(content, path) from error


def check_kinds(content: Any) -> None:
    """Raise TypeError if a field of a profile has the wrong type."""
    if not isinstance(content, dict):
        raise TypeError(f"it is {content!r:.50}")
    for key, kinds in _KINDS.items():
        if key in content and not isinstance(content[key], kinds):
            raise TypeError(f"{key} is {content[key]!r:.50}")
    for key in ("notes", "source_notes"):
        if not all(isinstance(note, str) for note in content.get(key, ())):
            raise TypeError(f"{key} are {content[key]!r:.50}")


def _refuse(content: object, path: Path) -> ReadingError:
    """Return the error for a file that is not a saved profile; output of `barthes score` is recognised."""
    story = content[0] if isinstance(content, list) and content else content
    if not isinstance(story, dict) or "text" in story or not {"story", "method", "notes"} <= story.keys():
        remedy = "`load` reads files of `save`."
        return ReadingError("is not a saved profile of this kind.", where=path, remedy=remedy)
    problem = "is not a saved profile but the JSON of `barthes score`, without the story's text."
    remedy = "`load` reads files of `profile.save`."
    if "sentences" in story:
        reader = f"barthes.report.saved_results.load_result(Path({str(path)!r}))"
        remedy = f"`barthes plot` and `barthes compare` read it, and in Python {reader}; {remedy}"
    return ReadingError(problem, where=path, remedy=remedy)
