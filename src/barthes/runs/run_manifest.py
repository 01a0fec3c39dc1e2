"""What a run is: its settings, the model and versions behind it, and its texts with their hashes.

It is one file of JSON lines: settings and versions on the first, then a line for each text. It is written
before anything is computed, and again when texts are added.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from barthes.errors import OutputError, ReadingError
from barthes.runs.inputs import UNREADABLE, Input
from barthes.runs.storage import Storage

MANIFEST = "manifest.jsonl"
_EARLIER = "manifest.json"  # of versions before 0.2
_FORMAT = 2
_KINDS = ([str, str, str, int, int], [str, str, str, int, type(None)])  # of the fields of an input
_NAMED = 3  # texts that are named in a message
_REMEDY = (
    "Results of both are not mixed: start it as before, or choose another folder; what is computed already "
    "and still the same comes from the cache."
)
_CORRECTED = "Texts that failed may have been corrected: retry the failed texts to take them as they are now."
_WORDS = {
    "model": "the model",
    "fingerprint": "the model's weights",
    "precision": "the precision",
    "window": "the window",
    "methods": "the methods",
    "unit": "the unit",
    "language": "the language",
    "sentences": "one sentence per line",
    "threads": "the threads of each worker",
    "device": "the kind of device",
    "parser": "the parser",
    "seed": "the seed",
    "revision": "the revision of the computation",
}


@dataclass(frozen=True)
class RunManifest:
    """A run, without its results.

    Attributes:
        settings: What was asked for and where it is computed, as far as it decides the scores.
        versions: Of Barthes and the libraries that it computes with.
        inputs: The texts, in order.
    """

    settings: Mapping[str, Any]
    versions: Mapping[str, str]
    inputs: Sequence[Input]

    @property
    def by_id(self) -> dict[str, Input]:
        """The texts by their ids."""
        return {each.id: each for each in self.inputs}

    def find_changed(self, new: RunManifest) -> list[Input]:
        """Return the texts, as they were, that have changed since."""
        now = new.by_id
        return [each for each in self.inputs if each.id in now and _has_changed(each, now[each.id])]

    def check(
        self, new: RunManifest, *, where: str, failed: Collection[str] = (), retry_failed: bool = False
    ) -> None:
        """Refuse to go on with a run under another manifest, unless there are only more texts.

        Args:
            new: The manifest of this start.
            where: What to call the run.
            failed: The ids of changed texts that are recorded as failed.
            retry_failed: Whether these may have been corrected.

        Raises:
            OutputError: It names what differs.
        """
        changed, now = [each.id for each in self.find_changed(new)], new.by_id
        refused = [each for each in changed if not (retry_failed and each in failed)]
        differences = [
            *_compare(self.settings, new.settings),
            *_compare(self.versions, new.versions),
            *_describe_texts([each.id for each in self.inputs if each.id not in now], refused),
        ]
        if differences:
            correctable = not retry_failed and any(each in failed for each in changed)
            raise OutputError(
                f"was started with other settings or texts: {'; '.join(differences)}.",
                where=where,
                remedy=f"{_CORRECTED} {_REMEDY}" if correctable else _REMEDY,
            )

    def save(self, storage: Storage) -> None:
        """Write it.

        Raises:
            OutputError: It cannot be written.
        """
        lines = b"".join(_line(astuple(each)) for each in self.inputs)
        digest = hashlib.sha256(lines).hexdigest()
        about = {"settings": self.settings, "versions": self.versions}
        storage.write(MANIFEST, _line({"format": _FORMAT, **about, "sha256": digest}) + lines)


def load_manifest(storage: Storage) -> RunManifest | None:
    """Return the manifest of a run; None where there is no run.

    Raises:
        ReadingError: It cannot be read, is damaged, or was written by another version.
    """
    names = storage.names()
    if MANIFEST not in names:
        if _EARLIER in names:
            raise _unusable(storage, _EARLIER, "the run was written by an earlier version of Barthes")
        return None
    header, _, lines = storage.read(MANIFEST).partition(b"\n")
    try:
        about = json.loads(header)
        if about["format"] != _FORMAT:
            raise _unusable(storage, MANIFEST, "it was written by another version of Barthes")
        settings, versions = about["settings"], about["versions"]
        if hashlib.sha256(lines).hexdigest() == about["sha256"] and _are_usable(settings, versions):
            return RunManifest(settings, versions, list(map(_parse_input, lines.splitlines())))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    raise _unusable(storage, MANIFEST, "it is damaged")


def _line(content: Any) -> bytes:
    """Return a line of JSON in ASCII, so that any file name survives."""
    return (json.dumps(content) + "\n").encode()


def _parse_input(line: bytes) -> Input:
    values = json.loads(line)
    if not isinstance(values, list) or [type(value) for value in values] not in _KINDS:
        raise ValueError("not an input")
    return Input(*values)


def _are_usable(settings: Any, versions: Any) -> bool:
    """Return whether the settings that readers rely on are there, and all is of the right type."""
    return (
        isinstance(settings, dict)
        and settings.get("unit") in ("sentence", "event")
        and isinstance(settings.get("methods"), list)
        and all(isinstance(each, str) for each in [*settings["methods"], *versions.values()])
        and all(isinstance(settings.get(name, 0), str | None) for name in ("model", "precision"))
    )


def _compare(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterable[str]:
    for name in dict.fromkeys([*old, *new]):
        if old.get(name) != new.get(name):
            yield f"{_WORDS.get(name, name)}: {_show(old.get(name))} then, {_show(new.get(name))} now"


def _show(value: Any) -> str:
    if value is None:
        return "none"
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"{text[:12]}…" if len(text) == 64 else text


def _describe_texts(missing: Sequence[str], changed: Sequence[str]) -> Iterable[str]:
    if missing:
        yield f"{_count(missing)} not among those given now ({_list(missing)})"
    if changed:
        before = "it was" if len(changed) == 1 else "they were"
        yield f"{_count(changed)} not what {before} ({_list(changed)})"


def _has_changed(old: Input, new: Input) -> bool:
    return UNREADABLE not in (old.sha256, new.sha256) and old.sha256 != new.sha256


def _count(ids: Sequence[str]) -> str:
    return "1 of its texts is" if len(ids) == 1 else f"{len(ids):,} of its texts are"


def _list(ids: Sequence[str]) -> str:
    return ", ".join(ids[:_NAMED]) + (" …" if len(ids) > _NAMED else "")


def _unusable(storage: Storage, name: str, problem: str) -> ReadingError:
    return ReadingError(
        f"{problem}.",
        where=f"{storage.where}/{name}",
        remedy="Restore it from a copy, or choose another folder for the run.",
    )
