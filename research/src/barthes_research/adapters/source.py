"""LoRA adapters as a source of language models: the folktale adapter, folders, and the Hugging Face hub."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from barthes.errors import ChecksumError, FetchError, ModelError
from barthes.files import expand_home
from barthes.models import pretrained
from barthes.models.deferred import stamp_files
from barthes.models.embedded import EMBEDDED
from barthes.models.loading import list_model_files, wrap_network
from barthes.models.loading import load_for_training as load_base
from barthes.models.store import MANIFEST
from barthes_research.adapters.adapter import (
    ADAPTER_SETTINGS,
    ADAPTER_WEIGHTS,
    check_base,
    is_adapter,
    merge_adapter,
    read_adapter,
)

if TYPE_CHECKING:
    from barthes.models.causal import CausalModel

INCLUDED: dict[str, Path] = {"folktale": Path(__file__).parent / "folktale"}
"""The adapters of this package, by name."""

_HUB_FILES = [ADAPTER_SETTINGS, ADAPTER_WEIGHTS, MANIFEST, "*.md"]


class AdapterSource:
    """Loads the base of an adapter and merges the adapter into it, in float32."""

    def matches(self, name: str) -> bool:
        """Return whether a name is that of an adapter, which is downloaded if it is on the hub only."""
        return find_adapter(name) is not None

    def load(self, name: str, *, device: str, dtype: str) -> CausalModel:
        """Load an adapter as a plain model, as fast as its base."""
        from barthes.models.hardware import choose_device, choose_dtype

        chosen = choose_device(device)
        products = choose_dtype(dtype, chosen)
        tokenizer, network = load_for_training(name)
        return wrap_network(name, tokenizer, network, device=chosen, products=products)

    def stamp(self, name: str) -> str | None:
        """Return a hash of the state of the files of an adapter and its base; None if one is missing."""
        return stamp_files(list_files(name))


ADAPTERS = AdapterSource()


def load_for_training(name: str, *, above: tuple[Path, ...] = ()) -> tuple[Any, Any]:
    """Return the tokenizer and the network of a model or adapter, with all weights in float32.

    `above` are the folders of the adapters that have it as base.
    """
    folder = find_adapter(name)
    if folder is None:
        return load_base(name)
    adapter = read_adapter(folder.resolve())
    if adapter.folder in above:
        remedy = f"Correct base_model_name_or_path in {ADAPTER_SETTINGS}."
        raise ModelError("is the base of its own base.", where=adapter.folder, remedy=remedy)
    try:
        tokenizer, network = load_for_training(adapter.base, above=(*above, adapter.folder))
    except (FetchError, ChecksumError):  # they are not about the adapter
        raise
    except ModelError as error:
        raise ModelError(
            f"its base model cannot be loaded. {error}",
            where=adapter.folder,
            remedy="The adapter's settings name it as base_model_name_or_path.",
        ) from error
    if adapter.base not in EMBEDDED:  # those have been checked by their SHA-256
        check_base(network, adapter)
    return tokenizer, merge_adapter(network, adapter)


def list_files(name: str, *, above: tuple[Path, ...] = ()) -> list[Path]:
    """Return the files of a model or adapter, with those of its base; none if one is not on this machine."""
    folder = _find_on_disk(name)
    if folder is None:
        return list_model_files(name)
    folder = folder.resolve()
    if folder in above:
        return []
    try:
        base = list_files(read_adapter(folder).base, above=(*above, folder))
    except ModelError:  # reported when the model is loaded
        return []
    return [folder / ADAPTER_SETTINGS, folder / ADAPTER_WEIGHTS, *base] if base else []


def find_adapter(name: str) -> Path | None:
    """Return the folder of an adapter, downloaded from the hub if need be; None if it is not one."""
    folder = _find_on_disk(name)
    return folder if folder is not None or _is_on_disk(name) else _download(name)


def _find_on_disk(name: str) -> Path | None:
    """Return the folder of an adapter on this machine, without asking the hub."""
    if name in INCLUDED:
        return INCLUDED[name]
    if name in EMBEDDED:
        return None
    if expand_home(name).exists():
        return expand_home(name) if is_adapter(expand_home(name)) else None
    files = [pretrained.find_cached(name, file) for file in (ADAPTER_SETTINGS, ADAPTER_WEIGHTS)]
    return files[0].parent if files[0] is not None and files[1] is not None else None


def _is_on_disk(name: str) -> bool:
    """Return whether a name is that of a complete model on this machine, or of nothing on the hub."""
    is_path = name.startswith((".", "/", "~")) or name.endswith(".gguf") or "://" in name
    is_path = is_path or expand_home(name).exists()
    return is_path or name in EMBEDDED or pretrained.find_cached(name, "config.json") is not None


def _download(name: str) -> Path | None:
    """Download an adapter from the hub; return None if it has none of that name, or cannot be asked."""
    from huggingface_hub import snapshot_download

    try:
        files = {file.rfilename for file in pretrained.ask_hub(name).siblings or []}
    except OSError:  # explained when the model is loaded
        return None
    if ADAPTER_SETTINGS not in files or "config.json" in files:
        return None
    return Path(snapshot_download(name, allow_patterns=_HUB_FILES))
