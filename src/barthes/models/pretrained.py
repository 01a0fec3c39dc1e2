"""The one place where transformers' `from_pretrained` is called: never with remote code, never noisy."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from barthes.models.adapter import ADAPTER_SETTINGS, ADAPTER_WEIGHTS
from barthes.models.manifest import MANIFEST

if TYPE_CHECKING:
    import torch
    from huggingface_hub.hf_api import ModelInfo

__all__ = ["ask_hub", "find_cached", "find_hub_adapter", "load_folder", "load_from_hub", "load_gguf"]

_PATIENCE = 10  # seconds for the hub to say whether it has a model
_OF_ADAPTERS = [ADAPTER_SETTINGS, ADAPTER_WEIGHTS, MANIFEST, "*.md"]

Pretrained = tuple[Any, Any]
"""A tokenizer and a network."""


def load_folder(folder: Path, *, dtype: torch.dtype) -> Pretrained:
    """A model in transformers' own format, without a look at any hub."""
    with _quiet():
        return _load(str(folder), {"local_files_only": True}, {"dtype": dtype})


def load_gguf(path: Path, *, dtype: torch.dtype) -> Pretrained:
    """The tokenizer and the dequantised network of a GGUF file, without a look at any hub."""
    import transformers

    weights: dict[str, Any] = {"dtype": dtype}
    if hasattr(transformers, "GgufConfig"):  # versions that otherwise may keep the weights packed
        weights["quantization_config"] = transformers.GgufConfig(dequantize=True)
    with _quiet():
        return _load(str(path.parent), {"gguf_file": path.name, "local_files_only": True}, weights)


def load_from_hub(name: str, *, dtype: torch.dtype) -> Pretrained:
    """A model by its name on the Hugging Face hub: from its cache, else downloaded with its own bars.

    Raises:
        OSError: It is not in the cache, and the hub cannot be reached or has no such model.
    """
    with contextlib.suppress(OSError), _quiet():
        return _load(name, {"local_files_only": True}, {"dtype": dtype})
    ask_hub(name)
    return _load(name, {}, {"dtype": dtype})


def find_hub_adapter(name: str) -> Path | None:
    """The folder of an adapter by its name on the hub, downloaded if need be; None where it is a model.

    Raises:
        OSError: It is not in the cache, and the hub cannot be reached or has no such model.
    """
    if find_cached(name, "config.json") is not None:
        return None
    cached = find_cached(name, ADAPTER_SETTINGS)
    if cached is not None and find_cached(name, ADAPTER_WEIGHTS) is not None:
        return cached.parent
    if ADAPTER_SETTINGS not in {file.rfilename for file in ask_hub(name).siblings or []}:
        return None
    from huggingface_hub import snapshot_download

    return Path(snapshot_download(name, allow_patterns=_OF_ADAPTERS))


def find_cached(name: str, file: str) -> Path | None:
    """A file of a model of the hub in the hub's own cache; None where it is not there."""
    from huggingface_hub import try_to_load_from_cache

    try:
        found = try_to_load_from_cache(name, file)
    except ValueError:  # not a name that the hub could have
        return None
    return Path(found) if isinstance(found, str) else None


def ask_hub(name: str) -> ModelInfo:
    """What the hub knows of a model; it says at once what from_pretrained finds out after minutes.

    Raises:
        OSError: It cannot be reached, or has no such model.
    """
    from huggingface_hub import model_info

    try:
        return model_info(name, timeout=_PATIENCE)
    except Exception as error:  # its own errors, those of its HTTP library, and the system's
        raise OSError(str(error).strip().partition("\n")[0] or type(error).__name__) from error


def _load(source: str, options: dict[str, Any], weights: dict[str, Any]) -> Pretrained:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    loader: Any = AutoModelForCausalLM
    tokenizer = AutoTokenizer.from_pretrained(source, trust_remote_code=False, **options)
    network, found = loader.from_pretrained(
        source, trust_remote_code=False, output_loading_info=True, **options, **weights
    )
    if lacking := [*found["missing_keys"], *found["mismatched_keys"]]:
        raise ValueError(f"its file lacks weights of the model, such as {sorted(map(str, lacking))[0]}")
    return tokenizer, network


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Leave out transformers' bars and notices: local files take a second or two.

    One of those bars asks no setting, so stderr as a whole is put aside for these seconds.
    """
    from transformers.utils import logging as untyped

    logging: Any = untyped
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
