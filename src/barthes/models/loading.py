"""Load language models by name: embedded, on disk, on the Hugging Face hub, or from a plugin.

::

    load_model ─┬─▶ ModelSource of a plugin: a server, an adapter ────────────────▶ LanguageModel
                ├─▶ embedded name ─▶ fetched if need be ─▶ llama.py ──────┐
                ├─▶ folder, GGUF file, name on the hub ─▶ pretrained.py ──┼─▶ wrap_network ─▶ CausalModel
                └─▶ a loaded network of transformers, and its tokenizer ──┘
"""

from __future__ import annotations

import os
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from barthes import lab
from barthes.errors import BarthesError, ModelError, UnknownModelError
from barthes.files import expand_home
from barthes.models import pretrained
from barthes.models.embedded import DEFAULT_MODEL, EMBEDDED, ensure, look_up
from barthes.plugins import MODELS, load_plugins

if TYPE_CHECKING:
    import torch

    from barthes.models.causal import CausalModel
    from barthes.models.language_model import LanguageModel

_ADAPTERS = "Install what reads them: pip install barthes-research"
_GIVE = "Give a folder with config.json, weights and tokenizer, a GGUF file, or a hub name."


class ModelSource(Protocol):
    """A source of language models, offered as an entry point in the group ``barthes.models``.

    Sources are asked before Barthes looks for a model itself.
    """

    def matches(self, name: str) -> bool:
        """Return whether the model of that name comes from this source."""

    def load(self, name: str, *, device: str, dtype: str) -> LanguageModel:
        """Load the model, with the options of `load_model`."""

    def stamp(self, name: str) -> str | None:
        """Return a hash of the state of the model's files; None if they are not on this machine."""


def find_source(name: str) -> ModelSource | None:
    """Return the source among the plugins that has a model of that name; None if there is none."""
    sources: list[ModelSource] = list(load_plugins(MODELS).values())
    return next((source for source in sources if source.matches(name)), None)


def load_model(
    model: str | os.PathLike[str] | Any = DEFAULT_MODEL,
    tokenizer: Any = None,
    *,
    device: str = "auto",
    dtype: str | torch.dtype = "auto",
) -> CausalModel:
    """Load a causal language model, or take one of transformers that is loaded already.

    Args:
        model: An embedded model (`barthes models` lists them; fetched once), a folder in transformers'
            format, a GGUF file, or a name on the Hugging Face hub, such as ``gpt2``; with barthes-research,
            also a LoRA adapter. Or a model of transformers, also a quantised one or one with a
            ``device_map``: it is used where it is, in its precision, and not changed.
        tokenizer: The tokenizer of such a model.
        device: ``auto`` (CUDA, else MPS, else CPU), ``cpu``, ``cuda``, ``cuda:1``, ``mps``.
        dtype: The precision of matrix products: ``float32``, ``bfloat16``, ``float16``, or ``auto``:
            bfloat16 on a GPU that computes in it, otherwise float32. Everything else is float32.

    Code that comes with a model is never run.

    Raises:
        UnknownModelError: The name is neither embedded nor on disk, and the hub has no such model.
        ModelError: It is not a causal language model, cannot be used, or does not fit into memory.
    """
    if not isinstance(model, str | os.PathLike):
        return _take_network(model, tokenizer, device=device, dtype=dtype)
    name = os.fspath(model)
    if tokenizer is not None:
        raise ModelError("is loaded with its own tokenizer.", where=name, remedy="Leave out the tokenizer.")
    if (source := find_source(name)) is not None:
        named = str(dtype).removeprefix("torch.")
        return cast("CausalModel", source.load(name, device=device, dtype=named))
    path = _locate(name)  # before torch is imported
    from barthes.models.hardware import choose_device, choose_dtype

    chosen = choose_device(device)
    products = choose_dtype(dtype, chosen)
    if name in EMBEDDED and path is not None:
        from barthes.models.llama import load_llama

        parts = load_llama(path)
        return wrap_network(name, *parts, device=chosen, products=products, weights=EMBEDDED[name].sha256)
    return wrap_network(name, *_load(name, path, products), device=chosen, products=products)


def wrap_network(
    name: str,
    tokenizer: Any,
    network: Any,
    *,
    products: torch.dtype,
    device: torch.device | None = None,
    weights: str | None = None,
) -> CausalModel:
    """Return a network of transformers as a language model, on a device (by default where it is).

    Raises:
        ModelError: It cannot be used, or does not fit into memory.
    """
    from barthes.models.causal import CausalModel
    from barthes.models.forward_pass import is_out_of_memory

    try:
        placed = network if device is None else network.to(device)
        return CausalModel(placed, tokenizer, name=name, products=products, weights=weights)
    except Exception as error:  # unusual networks and tokenizers raise all kinds of errors
        if is_out_of_memory(error):
            raise _out_of_memory(name) from error
        if isinstance(error, BarthesError):
            raise
        problem = f"cannot be used ({str(error) or type(error).__name__})."
        raise ModelError(problem, where=name, remedy="Choose another model.") from error


def _take_network(network: Any, tokenizer: Any, *, device: str, dtype: str | torch.dtype) -> CausalModel:
    """Return a loaded model of transformers as a language model, without changing it."""
    kind = type(network).__name__
    if not hasattr(network, "get_output_embeddings"):
        raise ModelError(
            f"{kind} is not a language model.",
            remedy="Give a name, a path, or a causal language model of transformers with its tokenizer.",
        )
    name = str(getattr(network, "name_or_path", "") or kind)
    if tokenizer is None:
        remedy = "Pass its tokenizer too: barthes.load_model(model, tokenizer)."
        raise ModelError("a loaded model needs its tokenizer.", where=name, remedy=remedy)
    if device != "auto" or str(dtype) != "auto":
        remedy = "Leave out device and dtype, or load the model with them."
        raise ModelError("a loaded model stays on its device, in its precision.", where=name, remedy=remedy)
    from barthes.models.causal import share_weights

    return wrap_network(name, tokenizer, share_weights(network), products=network.dtype)


def load_for_training(name: str) -> tuple[Any, Any]:
    """Return the tokenizer and the network of a model, with all weights in float32."""
    path = _locate(name)  # before torch is imported
    import torch

    return _load(name, path, torch.float32)


def list_model_files(name: str) -> list[Path]:
    """Return the files that `load_model` would read.

    The list is empty if the model is not on this machine (a name on the hub, an embedded model that has not
    been fetched).
    """
    path = _find_path(name)
    if path is None:
        return []
    return sorted(file for file in path.iterdir() if file.is_file()) if path.is_dir() else [path]


def _find_path(name: str) -> Path | None:
    """Return the resolved folder or file of a model; None if it is not on this machine."""
    if name in EMBEDDED:
        stored = look_up(name)
        return stored.folder if stored.state == "fetched" else None
    given = expand_home(name)
    if given.exists():
        return given.resolve()
    cached = pretrained.find_cached(name, "config.json")
    return None if cached is None else cached.parent


def _locate(name: str) -> Path | None:
    """Return the folder or the GGUF file of a model, fetched if need be; None for a name on the hub."""
    path = ensure(name) if name in EMBEDDED else expand_home(name)
    is_gguf = path.is_file() and path.suffix.lower() == ".gguf"
    if is_gguf or (path / "config.json").is_file():
        return path
    if path.is_dir():
        raise _explain_folder(path, name)
    if path.is_file():
        raise UnknownModelError(
            "is a file, but not a GGUF model.", where=name, remedy="Give a folder, a .gguf file or a name."
        )
    if name in lab.MODELS:
        raise lab.explain_missing(f"the model {name}")
    if name.startswith((".", "/", "~")) or name.endswith(".gguf"):
        raise UnknownModelError("there is no such folder or file.", where=name, remedy="Check the path.")
    return None


def _load(name: str, path: Path | None, dtype: torch.dtype) -> tuple[Any, Any]:
    """Return the tokenizer and the network of a model, with weights in that precision or higher."""
    try:
        return pretrained.load_pretrained(name, path, dtype=dtype)
    except BarthesError:
        raise
    except Exception as error:  # transformers raises OSError, ValueError, KeyError, RuntimeError …
        raise _explain(error, name) from error


def _explain_folder(folder: Path, name: str) -> ModelError:
    """Return the error for a folder without a model."""
    if (folder / "adapter_config.json").is_file():
        return ModelError("this is a LoRA adapter.", where=folder, remedy=_ADAPTERS)
    return ModelError(
        "there is no language model in this folder (no config.json).",
        where=folder,
        remedy=f"{_GIVE} If you mean {name} on the hub, rename the folder, because folders are tried first.",
    )


def _out_of_memory(name: str) -> ModelError:
    remedy = "Choose a smaller model or another device, or close other programs."
    return ModelError("there is not enough memory for this model.", where=name, remedy=remedy)


def _explain(error: Exception, name: str) -> ModelError:
    """Return the error for a model that transformers cannot load."""
    from barthes.models.forward_pass import is_out_of_memory

    if is_out_of_memory(error):
        return _out_of_memory(name)
    message = " ".join(str(error).split())
    if "trust_remote_code" in message or "custom code" in message:
        return ModelError(
            "needs to run its own code, which Barthes never does.",
            where=name,
            remedy="Choose a model of an architecture that transformers knows.",
        )
    if isinstance(error, OSError) and not expand_home(name).exists():
        near = get_close_matches(name.lower().rpartition("/")[2], EMBEDDED, n=1)
        meant = f"Did you mean {near[0]!r}? " if near else ""
        return UnknownModelError(
            f"is not an embedded model or a path; the Hugging Face hub cannot provide it ({message[:200]}).",
            where=name,
            remedy=f"{meant}Check the name and the network ({', '.join(EMBEDDED)} need none once fetched).",
        )
    problem = f"cannot be loaded as a causal language model ({type(error).__name__}: {message[:300]})."
    return ModelError(problem, where=name, remedy=_GIVE)
