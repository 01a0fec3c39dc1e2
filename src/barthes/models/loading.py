"""From a name to a language model: embedded, on disk, or on the Hugging Face hub."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from barthes.errors import BarthesError, ChecksumError, FetchError, ModelError, UnknownModelError
from barthes.files import expand_home
from barthes.models.adapter import Adapter, check_base, is_adapter, merge_adapter, read_adapter
from barthes.models.embedded import DEFAULT_MODEL, EMBEDDED, ensure

if TYPE_CHECKING:
    import torch

    from barthes.models.causal import CausalModel

__all__ = ["load_for_training", "load_model"]

_BEGUN = Path("checkpoints", "run.json")  # in the folder of a fine-tuning that is not finished

Loader = Callable[["torch.dtype"], tuple[Any, Any]]
"""Gives a tokenizer and a network, whose weights were loaded in that precision or a higher one."""


def load_model(name: str = DEFAULT_MODEL, *, device: str = "auto", dtype: str = "auto") -> CausalModel:
    """Load a causal language model.

    Args:
        name: An embedded model (`barthes models` lists them; fetched once), a folder in transformers'
            format, a folder with a LoRA adapter, a GGUF file, or a name on the Hugging Face hub, such as
            ``gpt2``.
        device: ``auto`` (CUDA, else MPS, else CPU), ``cpu``, ``cuda``, ``cuda:1``, ``mps``.
        dtype: The precision of matrix products: ``float32``, ``bfloat16``, ``float16``, or ``auto``:
            bfloat16 where the hardware has units for it, else float32. All else is float32.

    Code that comes with a model is never run.

    Raises:
        UnknownModelError: The name is neither embedded nor on disk and cannot be had from the hub.
        ModelError: It is there, but it is not a causal language model that can be used.
    """
    find = _locate(name)
    from barthes.models.causal import CausalModel
    from barthes.models.hardware import choose_device, choose_dtype

    chosen = choose_device(device)
    products = choose_dtype(dtype, chosen)
    tokenizer, network = find(products)
    try:
        return CausalModel(network.to(chosen), tokenizer, name=name, products=products)
    except BarthesError:
        raise
    except Exception as error:  # whatever an unusual network or tokenizer raises when it is tried out
        raise ModelError(
            f"cannot be used ({str(error) or type(error).__name__}).",
            where=name,
            remedy="Choose another model.",
        ) from error


def load_for_training(name: str) -> tuple[Any, Any]:
    """The tokenizer and the network that `load_model` would use, with all weights in float32.

    Raises:
        UnknownModelError: The name is neither embedded nor on disk and cannot be had from the hub.
        ModelError: It is there, but it is not a causal language model.
    """
    find = _locate(name)
    import torch

    return find(torch.float32)


def _locate(name: str, above: tuple[Path, ...] = ()) -> Loader:
    """How to load what the name stands for; the libraries for it are imported when that is done.

    Args:
        name: As for `load_model`.
        above: The adapters that it is the base of, by their folders.
    """
    find = _choose_loader(name, above)

    def load(dtype: torch.dtype) -> tuple[Any, Any]:
        try:
            return find(dtype)
        except BarthesError:
            raise
        except Exception as error:  # transformers raises OSError, ValueError, KeyError, RuntimeError …
            raise _explain(error, name) from error

    return load


def _choose_loader(name: str, above: tuple[Path, ...]) -> Loader:
    path = ensure(name) if name in EMBEDDED else expand_home(name)
    if is_adapter(path):
        return _load_adapted(path.resolve(), above)
    if (path / "config.json").is_file():
        return lambda dtype: _pretrained().load_folder(path, dtype=dtype)
    if path.is_dir():
        raise _explain_folder(path, name)
    if path.is_file() and path.suffix.lower() == ".gguf":
        return lambda dtype: _pretrained().load_gguf(path, dtype=dtype)
    if path.is_file():
        raise UnknownModelError(
            "is a file, but not a GGUF model.", where=name, remedy="Give a folder, a .gguf file or a name."
        )
    if name.startswith((".", "/", "~")) or name.endswith(".gguf"):
        raise UnknownModelError("there is no such folder or file.", where=name, remedy="Check the path.")
    return lambda dtype: _load_from_hub(name, above, dtype)


def _explain_folder(folder: Path, name: str) -> ModelError:
    """Say of a folder without a model that it has none: transformers would ask for libraries instead."""
    if (folder / _BEGUN).is_file():
        states = sorted(
            (folder / _BEGUN).parent.glob("checkpoint-*"), key=lambda path: (len(path.name), path.name)
        )
        kept = f" Its last state so far can be used too: {states[-1]}." if states else ""
        return ModelError(
            "a fine-tuning was begun in this folder, and is not finished.",
            where=folder,
            remedy=f"Give the same `barthes finetune` command again to go on with it.{kept}",
        )
    return ModelError(
        "there is no language model in this folder (no config.json, no adapter_config.json).",
        where=folder,
        remedy="Give a folder with config.json, weights and tokenizer, a GGUF file, or a hub name."
        f" If you mean {name} of the hub, call the folder something else: transformers looks there first.",
    )


def _load_adapted(folder: Path, above: tuple[Path, ...]) -> Loader:
    """The base of an adapter, with the adapter merged into it in float32."""
    adapter = read_adapter(folder)
    if folder in above:
        raise ModelError("is the base of its own base.", where=folder, remedy="Correct their settings.")
    with _naming_base(adapter):
        find = _locate(adapter.base, (*above, folder))

    def load(dtype: torch.dtype) -> tuple[Any, Any]:
        import torch

        with _naming_base(adapter):
            tokenizer, network = find(torch.float32)
        if adapter.base not in EMBEDDED:  # the SHA-256 of their files is known
            check_base(network, adapter)
        return tokenizer, merge_adapter(network, adapter)

    return load


def _load_from_hub(name: str, above: tuple[Path, ...], dtype: torch.dtype) -> tuple[Any, Any]:
    """A model of the hub, which may be an adapter there too."""
    folder: Path | None = _pretrained().find_hub_adapter(name)
    if folder is not None:
        return _load_adapted(folder, above)(dtype)
    found: tuple[Any, Any] = _pretrained().load_from_hub(name, dtype=dtype)
    return found


@contextmanager
def _naming_base(adapter: Adapter) -> Iterator[None]:
    """Say of what goes wrong with a base which adapter asked for it."""
    try:
        yield
    except (FetchError, ChecksumError):  # these say what to do, and are not the adapter's fault
        raise
    except ModelError as error:
        raise ModelError(
            f"its base model cannot be loaded. {error}",
            where=adapter.folder,
            remedy="The adapter's settings name it as base_model_name_or_path.",
        ) from error


def _pretrained() -> ModuleType:
    from barthes.models import pretrained

    return pretrained


def _explain(error: Exception, name: str) -> ModelError:
    message = " ".join(str(error).split())
    if "trust_remote_code" in message or "custom code" in message:
        return ModelError(
            "wants to run code of its own, which Barthes never does.",
            where=name,
            remedy="Choose a model of an architecture that transformers knows.",
        )
    if isinstance(error, OSError) and not expand_home(name).exists():
        return UnknownModelError(
            "is not an embedded model or a path, and cannot be had from the Hugging Face hub"
            f" ({message[:200]}).",
            where=name,
            remedy=f"{_suggest(name)}Check the name and the connection;"
            f" {' and '.join(EMBEDDED)} need none once fetched.",
        )
    return ModelError(
        f"cannot be loaded as a causal language model ({type(error).__name__}: {message[:300]}).",
        where=name,
        remedy="Give a folder with config.json, weights and tokenizer, a GGUF file, or a hub name.",
    )


def _suggest(name: str) -> str:
    near = get_close_matches(name.lower().rpartition("/")[2], EMBEDDED, n=1)
    return f"Did you mean {near[0]!r}? " if near else ""
