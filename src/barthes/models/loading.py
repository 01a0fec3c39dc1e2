"""From a name to a language model: embedded, on disk, or on the Hugging Face hub."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from barthes.errors import ModelError, UnknownModelError
from barthes.models.embedded import DEFAULT_MODEL, EMBEDDED, ensure

if TYPE_CHECKING:
    from barthes.models.causal import CausalModel

__all__ = ["load_model"]


def load_model(name: str = DEFAULT_MODEL, *, device: str = "auto", dtype: str = "auto") -> CausalModel:
    """Load a causal language model.

    Args:
        name: An embedded model (`barthes models` lists them; fetched once), a folder in transformers'
            format, a GGUF file, or a name on the Hugging Face hub, such as ``gpt2``.
        device: ``auto`` (CUDA, else MPS, else CPU), ``cpu``, ``cuda``, ``cuda:1``, ``mps``.
        dtype: ``auto``, ``float32``, ``bfloat16`` or ``float16``.

    Code that comes with a model is never run.

    Raises:
        UnknownModelError: The name is neither embedded nor on disk and cannot be had from the hub.
        ModelError: It is there, but it is not a causal language model that can be used.
    """
    source, options = _locate(name)
    from barthes.models.causal import CausalModel
    from barthes.models.hardware import choose_device, choose_dtype

    chosen = choose_device(device)
    network, tokenizer = _load(source, options | {"dtype": choose_dtype(dtype, chosen)}, name)
    try:
        return CausalModel(network.to(chosen), tokenizer, name=name)
    except ValueError as error:
        raise ModelError(f"{error}.", where=name, remedy="Choose another model.") from error


def _locate(name: str) -> tuple[str, dict[str, Any]]:
    """Where transformers finds the model, and the options it needs to read it there."""
    if name in EMBEDDED:
        return str(ensure(name)), {"local_files_only": True}
    path = Path(name).expanduser()
    if path.is_file():
        if path.suffix.lower() != ".gguf":
            raise UnknownModelError(
                "is a file, but not a GGUF model.",
                where=name,
                remedy="Give a folder, a .gguf file or a name.",
            )
        return str(path.parent), {"gguf_file": path.name, "local_files_only": True}
    if path.is_dir():
        return str(path), {"local_files_only": True}
    if name.startswith((".", "/", "~")) or name.endswith(".gguf"):
        raise UnknownModelError("there is no such folder or file.", where=name, remedy="Check the path.")
    return name, {}


def _load(source: str, options: dict[str, Any], name: str) -> tuple[Any, Any]:
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    bars = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # downloads keep their own bars
    try:
        found = {key: value for key, value in options.items() if key != "dtype"}
        tokenizer = AutoTokenizer.from_pretrained(source, trust_remote_code=False, **found)
        network = AutoModelForCausalLM.from_pretrained(source, trust_remote_code=False, **options)
    except Exception as error:  # transformers raises OSError, ValueError, KeyError, RuntimeError …
        raise _explain(error, name, local="local_files_only" in options) from error
    finally:
        if bars:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]
    return network, tokenizer


def _explain(error: Exception, name: str, *, local: bool) -> ModelError:
    message = " ".join(str(error).split())
    if "trust_remote_code" in message or "custom code" in message:
        return ModelError(
            "wants to run code of its own, which Barthes never does.",
            where=name,
            remedy="Choose a model of an architecture that transformers knows.",
        )
    if isinstance(error, OSError) and not local:
        return UnknownModelError(
            "is not an embedded model or a path, and cannot be had from the Hugging Face hub"
            f" ({message[:200]}).",
            where=name,
            remedy=f"Check the name and the connection; {', '.join(EMBEDDED)} needs none once fetched.",
        )
    return ModelError(
        f"cannot be loaded as a causal language model ({type(error).__name__}: {message[:300]}).",
        where=name,
        remedy="Give a folder with config.json, weights and tokenizer, a GGUF file, or a hub name.",
    )
