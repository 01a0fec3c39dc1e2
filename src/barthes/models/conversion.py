"""GGUF in, a folder of safetensors out: seconds of dequantising once, instead of at every start."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from barthes.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["convert_gguf"]


def convert_gguf(gguf: Path, folder: Path) -> None:
    """Write a GGUF model as `config.json`, float32 weights and tokenizer into an empty folder.

    The weights are exactly the dequantised ones; `from_pretrained(folder)` of transformers loads them
    without knowing about GGUF.

    Raises:
        OSError: The folder cannot be written, or the disk is full.
    """
    import torch

    from barthes.models.pretrained import load_gguf

    tokenizer, network = load_gguf(gguf, dtype=torch.float32)
    _save_weights(network, folder / "model.safetensors")
    _save_config(network, folder / "config.json")
    _save_tokenizer(tokenizer, folder)


def _save_weights(network: Any, path: Path) -> None:
    """Write each tensor once: a network's input and output embeddings are often the same one."""
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    state = network.state_dict()
    first = {tensor.data_ptr(): name for name, tensor in reversed(state.items())}
    tensors = {name: state[name].cpu().contiguous() for name in first.values()}
    if packed := [name for name, tensor in tensors.items() if not tensor.is_floating_point()]:
        raise ModelError(
            f"the weights of {packed[0]} were not dequantised.",
            remedy="Install another version of transformers.",
        )
    try:
        save_file(tensors, path, metadata={"format": "pt"})
    except SafetensorError as error:  # the library's only word for a full disk
        raise OSError(None, str(error).rpartition("I/O error: ")[2]) from error
    path.chmod(0o666 & (path.parent.stat().st_mode | 0o600))  # it writes for the owner alone


def _save_config(network: Any, path: Path) -> None:
    """Write the architecture, without the claim that the weights are quantised."""
    content = json.loads(network.config.to_json_string())
    content.pop("quantization_config", None)
    _write_json(path, content | {"architectures": [type(network).__name__]})


def _save_tokenizer(tokenizer: Any, folder: Path) -> None:
    """Write the tokenizer as a tokenizer of plain text, without its chat template."""
    tokenizer.chat_template = None
    tokenizer.save_pretrained(folder)
    path = folder / "tokenizer_config.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    for circumstance in ("is_local", "local_files_only"):  # of this conversion, not of the tokenizer
        content.pop(circumstance, None)
    _write_json(path, content)


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2, sort_keys=True) + "\n", encoding="utf-8")
