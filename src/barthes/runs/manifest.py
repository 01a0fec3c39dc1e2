"""What a run is: its texts with their hashes, its settings, the model and the versions.

::

    RUN/
      manifest.json                settings, circumstances, versions, and the name of the list of inputs
      inputs-1f0c….jsonl           one line a text: id, source, SHA-256, size, time of change
      results/                     see `barthes.runs.store`

The list of inputs is written first, under the name of its hash, and the manifest last: whenever a start is
interrupted, the manifest names a list that is whole.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from barthes.errors import OutputError, ReadingError
from barthes.files import reading
from barthes.runs.folder import Folder
from barthes.runs.inputs import UNREADABLE, Input

__all__ = ["MANIFEST", "Manifest", "load_manifest"]

MANIFEST = "manifest.json"
_FORM = 1
_LARGEST = 1 << 20  # bytes of a manifest: one that somebody has put there must not fill the memory
_LONGEST = 1 << 18  # bytes of a line in the list of inputs
_LIST = re.compile(r"inputs-[0-9a-f]{16}\.jsonl")
_KINDS = ([str, str, str, int, int], [str, str, str, int, type(None)])  # of the fields of an input
_LISTED = 3  # texts that are named in an explanation
_REMEDY = (
    "Results of both are not mixed: start it as before, or give another folder to --out; what is computed "
    "already and still the same comes from the cache."
)
_MENDED = "Texts that failed may be mended: --retry-failed takes them as they are now."
_WORDS = {
    "model": "the model",
    "fingerprint": "the model's weights",
    "precision": "the precision",
    "window": "the window",
    "methods": "the methods",
    "unit": "the unit",
    "language": "the language",
    "sentences": "--sentences",
    "threads": "the threads of each worker",
    "device": "the kind of device",
    "parser": "the parser",
    "seed": "the seed",
    "revision": "the revision of the computation",
}


@dataclass(frozen=True)
class Manifest:
    """A run, without its results.

    Attributes:
        settings: What was asked for and where it is computed, as far as it decides the answers.
        versions: Of the programs.
        inputs: The texts, in order.
    """

    settings: Mapping[str, Any]
    versions: Mapping[str, str]
    inputs: Sequence[Input]

    @property
    def by_id(self) -> dict[str, Input]:
        """The texts by their ids."""
        return {each.id: each for each in self.inputs}

    def find_changed(self, new: Manifest) -> list[str]:
        """The ids of texts that are in both, and are not the same."""
        now = new.by_id
        return [each.id for each in self.inputs if each.id in now and _differ(each, now[each.id])]

    def check(
        self, new: Manifest, *, where: str, failed: Collection[str] = (), retry_failed: bool = False
    ) -> None:
        """Refuse to go on with a run under another manifest, unless all that is new are more texts.

        Args:
            new: The manifest of this start.
            where: What to call the run.
            failed: Texts that are recorded as failed, at least those that have changed.
            retry_failed: Whether these may have been mended.

        Raises:
            OutputError: It names what differs.
        """
        changed, now = self.find_changed(new), new.by_id
        wrong = [each for each in changed if each not in failed] if retry_failed else changed
        differences = [
            *_compare(self.settings, new.settings),
            *_compare(self.versions, new.versions),
            *_tell_inputs([each.id for each in self.inputs if each.id not in now], wrong),
        ]
        if differences:
            mended = [each for each in changed if each in failed]
            raise OutputError(
                f"was started otherwise: {'; '.join(differences)}.",
                where=where,
                remedy=f"{_MENDED} {_REMEDY}" if mended and not retry_failed else _REMEDY,
            )

    def save(self, folder: Folder) -> None:
        """Write it, the list of inputs first; an older list goes last, where nobody else can need it.

        Raises:
            OutputError: It cannot be written.
        """
        lines = b"".join(_format_input(each) for each in self.inputs)
        digest = hashlib.sha256(lines).hexdigest()
        name = f"inputs-{digest[:16]}.jsonl"
        content = {
            "form": _FORM,
            "settings": self.settings,
            "versions": self.versions,
            "inputs": {"file": name, "count": len(self.inputs), "sha256": digest},
        }
        folder.write(name, lines)
        folder.write(MANIFEST, (json.dumps(content, indent=2, ensure_ascii=True) + "\n").encode())
        if not folder.has_locks:  # it may be another's, whose manifest is written next
            return
        for older in folder.names():
            if older.startswith("inputs-") and older != name:
                folder.remove(older)


def load_manifest(folder: Folder) -> Manifest | None:
    """The manifest of a run; None where there is no run.

    Raises:
        ReadingError: It cannot be read, or is damaged.
    """
    try:
        return _load(folder)
    except ReadingError:  # another process may have put a new list in place of the one that was named
        return _load(folder)


def _load(folder: Folder) -> Manifest | None:
    if MANIFEST not in folder.names():
        return None
    with reading(f"{folder.where}/{MANIFEST}"), folder.open(MANIFEST) as file:
        data = file.read(_LARGEST)
    try:
        content = json.loads(data)
        if content["form"] != _FORM:
            raise _damaged(folder, MANIFEST, "it was written by another version of Barthes")
        settings, versions, listed = content["settings"], content["versions"], content["inputs"]
        if not (_are_settings(settings) and _are_versions(versions) and _LIST.fullmatch(listed["file"])):
            raise _damaged(folder, MANIFEST, "it is damaged")
        return Manifest(settings, versions, _read_inputs(folder, listed))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _damaged(folder, MANIFEST, "it is damaged") from error


def _read_inputs(folder: Folder, listed: Mapping[str, Any]) -> list[Input]:
    inputs, digest, name = [], hashlib.sha256(), listed["file"]
    with reading(f"{folder.where}/{name}"), folder.open(name) as file:
        while line := file.readline(_LONGEST):
            digest.update(line)
            if (each := _parse_input(line)) is None:
                break
            inputs.append(each)
    if line or digest.hexdigest() != listed["sha256"]:
        raise _damaged(folder, name, "the list of texts is not what was written")
    return inputs


def _parse_input(line: bytes) -> Input | None:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, list) or [type(value) for value in values] not in _KINDS:
        return None
    return Input(*values)


def _are_settings(found: Any) -> bool:
    """Whether those are there on which a reader relies, and of their kinds."""
    if not isinstance(found, dict) or found.get("unit") not in ("sentence", "event"):
        return False
    methods, about = found.get("methods"), [found.get("model", 0), found.get("precision", 0)]
    if not isinstance(methods, list) or not all(isinstance(each, str) for each in methods):
        return False
    return all(each is None or isinstance(each, str) for each in about)


def _are_versions(found: Any) -> bool:
    return isinstance(found, dict) and all(isinstance(each, str) for each in found.values())


def _format_input(each: Input) -> bytes:
    """A line of the list; ASCII, so that any name of a file survives."""
    return (json.dumps([each.id, each.source, each.sha256, each.size, each.changed]) + "\n").encode()


def _compare(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterable[str]:
    for name in dict.fromkeys([*old, *new]):
        if old.get(name) != new.get(name):
            yield f"{_WORDS.get(name, name)}: {_show(old.get(name))} then, {_show(new.get(name))} now"


def _show(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    text = str(value)
    return f"{text[:12]}…" if len(text) == 64 else text


def _tell_inputs(missing: Sequence[str], changed: Sequence[str]) -> Iterable[str]:
    if missing:
        yield f"{_count(missing)} not among those given now ({_list(missing)})"
    if changed:
        before = "it was" if len(changed) == 1 else "they were"
        yield f"{_count(changed)} not what {before} ({_list(changed)})"


def _differ(old: Input, new: Input) -> bool:
    return UNREADABLE not in (old.sha256, new.sha256) and old.sha256 != new.sha256


def _count(ids: Sequence[str]) -> str:
    return "1 of its texts is" if len(ids) == 1 else f"{len(ids):,} of its texts are"


def _list(ids: Sequence[str]) -> str:
    return ", ".join(ids[:_LISTED]) + (" …" if len(ids) > _LISTED else "")


def _damaged(folder: Folder, name: str, problem: str) -> ReadingError:
    return ReadingError(
        f"{problem}.",
        where=f"{folder.where}/{name}",
        remedy="Put it back from a copy, or give another folder to --out.",
    )
