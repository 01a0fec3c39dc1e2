"""The manifest of a run: its settings, model and versions, and its texts with their hashes.

It is a file of JSON lines: settings and versions on the first, then one line per text. It is written before
anything is computed, and again when texts are added.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from barthes.errors import OutputError, ReadingError
from barthes.narrative import SPAN_UNITS
from barthes.runs.inputs import UNREADABLE, Input
from barthes.runs.storage import Storage

MANIFEST = "manifest.jsonl"
_EARLIER = "manifest.json"  # of unreleased versions
_FORMAT = 2
_INPUT_TYPES = ([str, str, str, int, int], [str, str, str, int, type(None)])
_SHOWN_TEXTS = 3  # in messages
_REMEDY = (
    "Results are not mixed: use the same settings and texts as before, or choose another folder; scores that "
    "are still valid come from the cache."
)
_CORRECTED = "If you have corrected texts that failed, retry the failed texts."
_LABELS = {
    "fingerprint": "the model's weights",
    "sentences": "one sentence per line",
    "with_speakers": "speakers of plays",
    "threads": "the threads of each worker",
    "device": "the kind of device",
}


@dataclass(frozen=True)
class RunManifest:
    """A run, without its results."""

    settings: Mapping[str, Any]  # with the model and the device, as far as they affect scores
    versions: Mapping[str, str]  # of Barthes and the libraries that it computes with
    inputs: Sequence[Input]

    @property
    def by_id(self) -> dict[str, Input]:
        """The texts by their ids."""
        return {each.id: each for each in self.inputs}

    def find_changed(self, new: RunManifest) -> list[str]:
        """Return the ids of the texts that differ in another manifest."""
        now = new.by_id
        both = [(each, now[each.id]) for each in self.inputs if each.id in now]
        return [a.id for a, b in both if UNREADABLE not in (a.sha256, b.sha256) and a.sha256 != b.sha256]

    def check(
        self, new: RunManifest, *, where: str, failed: Collection[str] = (), retry_failed: bool = False
    ) -> None:
        """Refuse to continue a run under another manifest, unless it only has more texts.

        Args:
            new: The manifest of this start.
            where: The run's name in errors.
            failed: The ids of changed texts that are recorded as failed.
            retry_failed: Whether these may have been corrected.

        Raises:
            OutputError: It names what differs.
        """
        changed, now = self.find_changed(new), new.by_id
        refused = [each for each in changed if not (retry_failed and each in failed)]
        missing = [each.id for each in self.inputs if each.id not in now]
        labels = {name: _LABELS.get(name, f"the {name}") for name in [*self.settings, *new.settings]}
        differences = [
            *_compare(self.settings, new.settings, labels),
            *_compare(self.versions, new.versions, {"revision": "the revision of the computation"}),
            *_list_texts("missing", missing),
            *_list_texts("changed", refused),
        ]
        if differences:
            correctable = not retry_failed and any(each in failed for each in changed)
            raise OutputError(
                f"was started with other settings or texts: {'; '.join(differences)}.",
                where=where,
                remedy=f"{_CORRECTED} {_REMEDY}" if correctable else _REMEDY,
            )

    def save(self, storage: Storage) -> None:
        """Write it; raise an `OutputError` if that fails."""
        lines = b"".join(_format_line(astuple(each)) for each in self.inputs)
        digest = hashlib.sha256(lines).hexdigest()
        header = {"format": _FORMAT, "settings": self.settings, "versions": self.versions, "sha256": digest}
        storage.write(MANIFEST, _format_line(header) + lines)


def load_manifest(storage: Storage) -> RunManifest | None:
    """Return the manifest of a run, or None if there is no run.

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
        content = json.loads(header)
        if content["format"] != _FORMAT:
            raise _unusable(storage, MANIFEST, "it was written by another version of Barthes")
        settings, versions = content["settings"], content["versions"]
        if hashlib.sha256(lines).hexdigest() == content["sha256"] and _are_valid(settings, versions):
            return RunManifest(settings, versions, list(map(_parse_input, lines.splitlines())))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    raise _unusable(storage, MANIFEST, "it is damaged")


def _format_line(content: Any) -> bytes:
    """Return a line of JSON in ASCII, which can hold any file name."""
    return (json.dumps(content) + "\n").encode()


def _parse_input(line: bytes) -> Input:
    values = json.loads(line)
    if not isinstance(values, list) or [type(value) for value in values] not in _INPUT_TYPES:
        raise ValueError("not an input")
    return Input(*values)


def _are_valid(settings: Any, versions: Any) -> bool:
    """Return whether settings that are used elsewhere exist, and all values have the right type."""
    return (
        isinstance(settings, dict)
        and settings.get("unit") in (*SPAN_UNITS, "event")
        and isinstance(settings.get("methods"), list)
        and all(isinstance(each, str) for each in [*settings["methods"], *versions.values()])
        and all(isinstance(settings.get(name, 0), str | None) for name in ("model", "precision"))
    )


def _compare(old: Mapping[str, Any], new: Mapping[str, Any], labels: Mapping[str, str]) -> Iterable[str]:
    for name in dict.fromkeys([*old, *new]):
        if old.get(name) != new.get(name):
            yield f"{labels.get(name, name)}: {_show(old.get(name))} then, {_show(new.get(name))} now"


def _show(value: Any) -> str:
    if value is None:
        return "none"
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"{text[:12]}…" if len(text) == 64 else text


def _list_texts(problem: str, ids: Sequence[str]) -> Iterable[str]:
    if ids:
        shown = ", ".join(ids[:_SHOWN_TEXTS]) + (" …" if len(ids) > _SHOWN_TEXTS else "")
        yield f"{len(ids):,} {problem} {'text' if len(ids) == 1 else 'texts'} ({shown})"


def _unusable(storage: Storage, name: str, problem: str) -> ReadingError:
    remedy = "Restore it from a copy, or choose another folder for the run."
    return ReadingError(f"{problem}.", where=f"{storage.where}/{name}", remedy=remedy)
