"""What a stored result depends on: if any of it changes, the result is computed again."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import PurePath, PurePosixPath
from typing import Any

from barthes.hashing import hash_content
from barthes.narrative import Narrative
from barthes.version import __version__

__all__ = [
    "REVISION",
    "SALIENCE",
    "Identity",
    "hash_story",
    "safe_name",
]

REVISION = 1
"""Of the computation. To be raised with every change by which figures change between two versions."""

SALIENCE = "salience"
"""The kind of a stored result that is one score a sentence."""

_LONGEST = 80  # characters of a file's name: short enough for every file system, with room for the rest
_UNSAFE = re.compile(r"[^\w.+-]+", re.ASCII)
_HASHED = re.compile(r"-[0-9a-f]{8}\Z")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?![^.])", re.IGNORECASE)  # devices of Windows
_VERSIONED = re.compile(r"\b[0-9a-f]{64}\b|\b\d[\w.]*")
_USUAL_PRECISION = "float32"


@dataclass(frozen=True)
class Identity:
    """Everything that decides a result of one story, and by it the place where the result is kept.

    Attributes:
        corpus: The corpus's name.
        story: The story's name in it.
        text: `hash_story` of its narrative.
        method: The single method's name, such as ``sd``.
        kind: What the result is: salience, or another name of the experiment's choice.
        variant: In which way it was computed, where there is more than one.
        model: The language model's name; None for methods without one.
        fingerprint: The model's fingerprint.
        window: Tokens that were read at once; None where that was left to the method.
        annotation: The hash of an annotation, or the parser's name and version; None without annotation.
        part: Which part of the story's result, where it is kept in parts.
        settings: Whatever else decides it, as JSON can hold it (seeds, numbers of permutations).
        version: The version of Barthes that computed it.
        precision: What the model computed in, such as ``float32``; None without a model.
        revision: The `REVISION` of the computation.

    Alternatives that somebody may want side by side (windows, precisions, gold and predicted annotation,
    settings) have paths of their own. What replaces what was there before (another version, other weights,
    another text, a newer parser) has the same path, so that the store can tell what has become of it.
    """

    corpus: str
    story: str
    text: str
    method: str
    kind: str = SALIENCE
    variant: str = "published-formula"
    model: str | None = None
    fingerprint: str | None = None
    window: int | None = None
    annotation: str | None = None
    part: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    version: str = __version__
    precision: str | None = None
    revision: int = REVISION

    @property
    def path(self) -> PurePosixPath:
        """``corpus/variant/model/method/story.json``: readable, and apart from others of the same story.

        >>> Identity("tales", "story1", "…", "sd", model="gpt2", window=512).path.as_posix()
        'tales/published-formula/gpt2/sd-window512/story1.json'
        """
        method = self.method if self.kind == SALIENCE else f"{self.kind}-{self.method}"
        window = "" if self.window is None else f"-window{self.window}"
        precision = "" if self.precision in (None, _USUAL_PRECISION) else f"-{self.precision}"
        part = f"-{self.part}" if self.part else ""
        folders = [safe_name(each) for each in (self.corpus, self.variant, self.model or "no-model")]
        folders.append(safe_name(method + window + precision) + self._alternative)
        return PurePosixPath(*folders, f"{safe_name(self.story + part)}.json")

    @property
    def _alternative(self) -> str:
        """A hash of the settings, and of the annotation if it is not the corpus's own.

        Of the annotation without its versions and hashes: a newer one takes the place of an older one.
        """
        annotation = _VERSIONED.sub("", self.annotation or "")
        if not annotation and not self.settings:
            return ""
        return f"-{hash_content([annotation, self.settings])[:8]}"

    @cached_property
    def key(self) -> str:
        """A hash of all of it, unlike the path, which leaves out what a stored result is checked for."""
        return hash_content(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """The identity as JSON holds it."""
        content: dict[str, Any] = json.loads(json.dumps(asdict(self), allow_nan=False))
        return content


def hash_story(narrative: Narrative) -> str:
    """SHA-256 of a narrative's text and of where its sentences stand in it.

    >>> story = Narrative.from_sentences(["A wolf came.", "It rained."])
    >>> hash_story(story) == hash_story(Narrative.from_sentences(["A wolf came. It", "rained."]))
    False
    """
    return hash_content([narrative.text, narrative.spans])


def safe_name(name: str) -> str:
    """The name of a file or folder on any system; names that might meet another one there get a hash.

    Those are names that had to be changed, names with capitals (Wolf and wolf are one file in many places),
    names that Windows keeps for itself, and names that look as if they had their hash already. Of a path
    the last part is shown.

    >>> safe_name("story1"), safe_name("../a wolf"), safe_name("ProppLearner")
    ('story1', 'a-wolf-9d36d27e', 'ProppLearner-a68a99d8')
    """
    shown = PurePath(name).name if PurePath(name).is_absolute() else name
    safe = _UNSAFE.sub("-", shown).strip(".-")[:_LONGEST]
    if reserved := _RESERVED.match(safe):
        safe = safe.replace(".", "-", 1)  # Windows looks at no more of a name than what is before the dot
    if safe and safe == name == name.lower() and not reserved and not _HASHED.search(name):
        return safe
    return f"{safe}-{hash_content(name)[:8]}".lstrip("-")
