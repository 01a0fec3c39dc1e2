"""Writing a fine-tuned model: a folder in transformers' format, or an adapter and the name of its base."""

from __future__ import annotations

import copy
import os
from pathlib import Path
from typing import Any

from barthes.files import expand_home
from barthes.finetuning.quiet import quiet_stderr
from barthes.finetuning.run import Run
from barthes.models.adapter_settings import ADAPTER_WEIGHTS

__all__ = ["name_base", "save", "save_adapter", "save_network"]


def save(run: Run, network: Any, folder: Path, *, final: bool = False) -> None:
    """Write the network of a run: all of it or its adapters, the latter at last as they shall be stored."""
    if run.settings.method == "full":
        save_network(network, run.base.tokenizer, folder)
    else:
        import torch

        dtype = getattr(torch, run.settings.adapter_dtype) if final else torch.float32
        place = run.folder.folder if final else run.folder.checkpoints.path(0)  # or a neighbour of it
        save_adapter(network, folder, base=name_base(run.base.name, place), dtype=dtype)


def save_network(network: Any, tokenizer: Any, folder: Path) -> None:
    """Write all weights, the architecture and the tokenizer."""
    with quiet_stderr():
        network.save_pretrained(folder)
        tokenizer.save_pretrained(folder)


def save_adapter(network: Any, folder: Path, *, base: str, dtype: Any = None) -> None:
    """Write the adapters alone, and a description that names their base.

    PEFT's own `save_pretrained` would add a page about itself, and ask the hub about the base.
    """
    from peft import get_peft_model_state_dict
    from safetensors.torch import save_file

    state = get_peft_model_state_dict(network, save_embedding_layers=False)
    tensors = {name: tensor.detach().to("cpu", dtype).contiguous() for name, tensor in state.items()}
    folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors, folder / ADAPTER_WEIGHTS, metadata={"format": "pt"})
    (folder / ADAPTER_WEIGHTS).chmod(0o666 & (folder.stat().st_mode | 0o600))  # it writes for the owner alone
    description = copy.copy(network.peft_config["default"])
    description.base_model_name_or_path = base
    description.inference_mode = True
    description.target_modules = sorted(description.target_modules)  # a set, in another order every time
    description.save_pretrained(str(folder))


def name_base(name: str, folder: Path) -> str:
    """The base as an adapter in `folder` names it: a relative path is relative to that folder.

    >>> name_base("smollm2-135m", Path("tuned"))
    'smollm2-135m'
    """
    from barthes.models.embedded import EMBEDDED

    path = expand_home(name)
    if name in EMBEDDED or path.is_absolute() or not path.exists():
        return name
    # An adapter's own folder is resolved when it is loaded, so ".." has to lead out of the real one.
    return Path(os.path.relpath(path.parent.resolve() / path.name, folder.resolve())).as_posix()
