"""The manifest of a run: everything that decides its scores, and its texts with their hashes.

It is a file of JSON lines, written before the first result::

    {"format": 3, "settings": {"methods": ["sd"], …}, "environment": {"fingerprint": …, "torch": …}}
    ["grimm/12.txt", "/home/me/tales/grimm/12.txt", "5c1d…", 8123, 1763500000000000000]
    …

The settings are what the user chose; the environment is what the first worker found: the model's weights and
precision, the device, versions. Both are the same at every start, or the run is not continued. Texts may be
added or changed: a result belongs to one version of its text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from typing import Any

from barthes.annotation.pipeline import describe_parser
from barthes.errors import BarthesError, OutputError, ReadingError
from barthes.methods import check_method, describe_method, parse_formula
from barthes.models.embedded import DEFAULT_MODEL
from barthes.models.language_model import LanguageModel
from barthes.narrative import SPAN_UNITS
from barthes.reading.document import check_kinds
from barthes.runs.inputs import Input
from barthes.runs.storage import Storage
from barthes.scorer import REVISION
from barthes.version import __version__, package_version

MANIFEST = "manifest.jsonl"

Environment = Mapping[str, str | None]
"""What scores depend on besides settings and texts: the model's weights, the device, versions."""

_FORMAT = 3
_SHOWN_TEXTS = 3  # in messages
_PACKAGES = ("numpy", "spacy", "tokenizers", "torch", "transformers")
_CHOSEN_PER_START = ("device", "dtype")  # the environment has the kind of device and the precision
_REMEDY = (
    "Results are not mixed: use the same settings and texts as before, or choose another folder; scores that "
    "are still valid come from the cache."
)
_LABELS = {"fingerprint": "the model's weights", "sentences": "one sentence per line"}


@dataclass(frozen=True)
class RunSettings:
    """How the texts of a run are scored.

    Attributes:
        methods: One or several, each as for `barthes.score`.
        unit: ``event``, or one of `barthes.narrative.SPAN_UNITS`.
        model: The language model's name.
        window: Tokens that the model reads at once; None for the method's default.
        language: Of the texts; None for the language of each file.
        encoding: Of text and HTML files; None to find it out.
        sentences: Whether the texts have one sentence per line.
        keep: The kinds of marked words that are scored too, such as ``speaker``.
        device: ``auto``, ``cpu``, ``cuda`` …
        dtype: The precision of matrix products.
    """

    methods: tuple[str, ...] = ("sd",)
    unit: str = "sentence"
    model: str = DEFAULT_MODEL
    window: int | None = None
    language: str | None = None
    encoding: str | None = None
    sentences: bool = False
    keep: tuple[str, ...] = ()
    device: str = "auto"
    dtype: str = "auto"

    def __post_init__(self) -> None:
        names = [str(parse_formula(method)) for method in self.methods]
        if not names or len(set(names)) < len(names):
            raise BarthesError("a run needs at least one method, and each of them once.")
        for name in names:
            check_method(name, unit=self.unit, model=self.model)
        check_kinds(self.keep)
        object.__setattr__(self, "methods", tuple(names))

    @property
    def needs_model(self) -> bool:
        """Whether any of the methods needs a language model."""
        return any(describe_method(method).needs_model for method in self.methods)

    @property
    def needs_parser(self) -> bool:
        """Whether events, or a method, need the texts to be parsed."""
        return self.unit == "event" or any(describe_method(each).uses_annotation for each in self.methods)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings for the manifest."""
        chosen = asdict(self) | {"methods": list(self.methods), "keep": list(self.keep)}
        chosen["model"] = self.model if self.needs_model else None
        return {name: value for name, value in chosen.items() if name not in _CHOSEN_PER_START}


def find_environment(settings: RunSettings, model: LanguageModel | None) -> dict[str, str | None]:
    """Return what scores depend on in this process; `model` is the loaded one, if any is needed."""
    found: dict[str, str | None] = {"precision": None, "fingerprint": None, "device": None}
    if model is not None:
        device = model.hardware
        found = {"precision": model.precision, "fingerprint": model.fingerprint, "device": device}
    versions = {name: package_version(name) for name in _PACKAGES}
    parser = describe_parser() if settings.needs_parser else None
    return found | {"parser": parser, "barthes": __version__, "revision": str(REVISION)} | versions


def compare(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """Yield what differs between two mappings of settings or two environments.

    The fingerprint of a model includes its precision, so only the precision is named if that differs.

    >>> list(compare({"window": None}, {"window": 40}))
    ['window: none then, 40 now']
    >>> list(compare({"precision": "float32", "fingerprint": "5c"}, {"precision": "bfloat16"}))
    ['precision: float32 then, bfloat16 now']
    """
    different = [name for name in dict.fromkeys([*old, *new]) if old.get(name) != new.get(name)]
    if "precision" in different and "fingerprint" in different:
        different.remove("fingerprint")
    for name in different:
        label = _LABELS.get(name, name.replace("_", " "))
        yield f"{label}: {_show(old.get(name))} then, {_show(new.get(name))} now"


@dataclass(frozen=True)
class RunManifest:
    """A run without its results."""

    settings: Mapping[str, Any]
    environment: Environment
    inputs: Sequence[Input]

    @property
    def by_id(self) -> dict[str, Input]:
        """The texts by their ids."""
        return {each.id: each for each in self.inputs}

    def check(self, settings: Mapping[str, Any], inputs: Sequence[Input], *, where: str) -> None:
        """Refuse to continue a run with other settings or without some of its texts; texts may be added.

        Raises:
            OutputError: It names what differs.
        """
        now = {each.id for each in inputs}
        missing = [each.id for each in self.inputs if each.id not in now]
        _refuse([*compare(self.settings, settings), *_list_missing(missing)], where)

    def check_environment(self, environment: Environment, *, where: str) -> None:
        """Raise an `OutputError` that names what differs in the environment of this start."""
        _refuse(list(compare(self.environment, environment)), where)

    def save(self, storage: Storage) -> None:
        """Write it; raise an `OutputError` if that fails."""
        header = {"format": _FORMAT, "settings": self.settings, "environment": self.environment}
        lines = [header, *map(astuple, self.inputs)]
        storage.write(MANIFEST, "".join(json.dumps(line) + "\n" for line in lines).encode())


def load_manifest(storage: Storage) -> RunManifest | None:
    """Return the manifest of a run, or None if there is no run.

    Raises:
        ReadingError: It cannot be read, is damaged, or was written by another version.
    """
    if not storage.exists(MANIFEST):
        return None
    try:
        header, *lines = map(json.loads, storage.read(MANIFEST).splitlines())
        if header["format"] != _FORMAT:
            raise _unusable(storage, "it was written by another version of Barthes")
        settings = header["settings"]
        if settings["unit"] in (*SPAN_UNITS, "event") and settings["methods"]:
            return RunManifest(settings, header["environment"], [Input.parse(line) for line in lines])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    raise _unusable(storage, "it is damaged")


def _refuse(differences: Sequence[str], where: str) -> None:
    if differences:
        problem = f"was started with other settings or texts: {'; '.join(differences)}."
        raise OutputError(problem, where=where, remedy=_REMEDY, option="out")


def _show(value: Any) -> str:
    if value is None:
        return "none"
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"{text[:12]}…" if len(text) == 64 else text


def _list_missing(ids: Sequence[str]) -> list[str]:
    if not ids:
        return []
    shown = ", ".join(ids[:_SHOWN_TEXTS]) + (" …" if len(ids) > _SHOWN_TEXTS else "")
    return [f"{len(ids):,} missing {'text' if len(ids) == 1 else 'texts'} ({shown})"]


def _unusable(storage: Storage, problem: str) -> ReadingError:
    remedy = "Restore it from a copy, or choose another folder for the run."
    return ReadingError(f"{problem}.", where=f"{storage.where}/{MANIFEST}", remedy=remedy)
