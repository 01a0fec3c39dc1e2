"""Load networks and tokenizers with transformers, and convert GGUF files.

::

    folder ───────────┐
    GGUF file ────────┼─▶ from_pretrained, never with remote code ─▶ tokenizer, network ─▶ convert_gguf
    name on the hub ──┘

Only this module calls `from_pretrained`. The hub's cache comes first, so that what was downloaded once needs
no network.
"""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from barthes.errors import ModelError

if TYPE_CHECKING:
    import torch
    from huggingface_hub.hf_api import ModelInfo

_TIMEOUT = 10  # seconds for the hub to answer whether it has a model

Pretrained = tuple[Any, Any]
"""A tokenizer and a network."""


def load_pretrained(name: str, path: Path | None, *, dtype: torch.dtype) -> Pretrained:
    """Load a folder in transformers' format or a GGUF file offline; without a path, a model of the hub."""
    if path is None:
        return _load_from_hub(name, dtype=dtype)
    if path.is_file():
        return load_gguf(path, dtype=dtype)
    return _load_offline(str(path), {}, {"dtype": dtype})


def load_gguf(path: Path, *, dtype: torch.dtype) -> Pretrained:
    """Load the tokenizer and the dequantised network of a GGUF file, offline."""
    from transformers import GgufConfig

    weights = {"dtype": dtype, "quantization_config": GgufConfig(dequantize=True)}
    tokenizer, network = _load_offline(str(path.parent), {"gguf_file": path.name}, weights)
    starts = tokenizer.bos_token is None or tokenizer("a")["input_ids"][:1] == [tokenizer.bos_token_id]
    if not starts and _adds_start_token(path):
        tokenizer.add_bos_token = True
    return tokenizer, network


def _adds_start_token(path: Path) -> bool:
    """Return whether texts start after the start-of-text token; transformers ignores this field of the file.

    Gemma, for example, predicts texts badly without it.
    """
    from gguf import GGUFReader

    field = GGUFReader(path).fields.get("tokenizer.ggml.add_bos_token")
    return field is not None and bool(field.contents())


def _load_from_hub(name: str, *, dtype: torch.dtype) -> Pretrained:
    """Load a model of the Hugging Face hub, from its cache if possible; otherwise download it."""
    with contextlib.suppress(OSError):
        return _load_offline(name, {}, {"dtype": dtype})
    ask_hub(name)
    return _load(name, {}, {"dtype": dtype})


def find_cached(name: str, file: str) -> Path | None:
    """Return the path of a file of a hub model in the hub's cache; None if it is not there."""
    from huggingface_hub import try_to_load_from_cache

    try:
        found = try_to_load_from_cache(name, file)
    except ValueError:  # not a name that the hub could have
        return None
    return Path(found) if isinstance(found, str) else None


def ask_hub(name: str) -> ModelInfo:
    """Return the hub's information about a model without retrying; from_pretrained would retry for minutes.

    Raises:
        OSError: The hub cannot be reached, or has no such model.
    """
    from huggingface_hub import model_info

    try:
        return model_info(name, timeout=_TIMEOUT)
    except Exception as error:  # errors of the hub, of its HTTP library and of the system
        raise OSError(str(error).strip().partition("\n")[0] or type(error).__name__) from error


def _load_offline(source: str, options: dict[str, Any], weights: dict[str, Any]) -> Pretrained:
    """Load local files without printing anything, because it takes only a second or two."""
    with quiet_transformers(), contextlib.redirect_stderr(io.StringIO()):  # one bar ignores all settings
        return _load(source, options | {"local_files_only": True}, weights)


def _load(source: str, options: dict[str, Any], weights: dict[str, Any]) -> Pretrained:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    loader: Any = AutoModelForCausalLM
    tokenizer = AutoTokenizer.from_pretrained(source, trust_remote_code=False, **options)
    network, found = loader.from_pretrained(
        source, trust_remote_code=False, output_loading_info=True, **options, **weights
    )
    if missing := [*found["missing_keys"], *found["mismatched_keys"]]:
        raise ValueError(f"weights are missing from its file, such as {sorted(map(str, missing))[0]}")
    return tokenizer, network


@contextlib.contextmanager
def quiet_transformers() -> Iterator[None]:
    """Hide transformers' notices and progress bars.

    Bars that are not disabled leave a semaphore behind in processes that are killed.
    """
    from transformers.utils import logging as untyped

    logging: Any = untyped
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def convert_gguf(gguf: Path, folder: Path) -> None:
    """Convert a GGUF model to `config.json`, float32 safetensors and tokenizer in an empty folder.

    Dequantising takes seconds, so it is not done at every start. The stored weights are exactly the
    dequantised ones.
    """
    import torch

    tokenizer, network = load_gguf(gguf, dtype=torch.float32)
    _save_weights(network, folder / "model.safetensors")
    config = json.loads(network.config.to_json_string())
    config.pop("quantization_config", None)
    tokenizer.chat_template = None
    tokenizer.save_pretrained(folder)
    settings = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    for circumstance in ("is_local", "local_files_only"):  # they describe the conversion, not the tokenizer
        settings.pop(circumstance, None)
    config |= {"architectures": [type(network).__name__]}
    for name, content in (("config.json", config), ("tokenizer_config.json", settings)):
        text = json.dumps(content, indent=2, sort_keys=True) + "\n"
        (folder / name).write_text(text, encoding="utf-8")


def _save_weights(network: Any, path: Path) -> None:
    """Save each tensor once; the input and output embeddings of a network are often the same tensor."""
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    state = network.state_dict()
    first = {tensor.data_ptr(): name for name, tensor in reversed(state.items())}
    tensors = {name: state[name].cpu().contiguous() for name in first.values()}
    if packed := [name for name, tensor in tensors.items() if not tensor.is_floating_point()]:
        remedy = "Install another version of transformers."
        raise ModelError(f"the weights of {packed[0]} were not dequantised.", remedy=remedy)
    try:
        save_file(tensors, path, metadata={"format": "pt"})
    except SafetensorError as error:  # raised for a full disk
        raise OSError(None, str(error).rpartition("I/O error: ")[2]) from error
    path.chmod(0o666 & (path.parent.stat().st_mode | 0o600))  # save_file makes it private
