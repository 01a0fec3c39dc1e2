"""The model that is fine-tuned: load it in float32, add adapters, and save or restore its weights."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from barthes.errors import BarthesError, ModelError
from barthes.files import expand_home
from barthes.finetuning.texts import TrainingText, collapse
from barthes.finetuning.token_blocks import TokenBlock, pack
from barthes.finetuning.training_settings import TrainingSettings
from barthes.models.embedded import EMBEDDED
from barthes.models.loading import list_model_files, load_for_training
from barthes.models.pretrained import ADAPTER_SETTINGS, ADAPTER_WEIGHTS


@dataclass(frozen=True, slots=True)
class BaseModel:
    """A network and its tokenizer, and how a text becomes its tokens when it is scored.

    Attributes:
        name: As the user named it.
        fingerprint: SHA-256 over weights, architecture and tokenizer.
        sample: `sample_weights` of it; None for an adapter merged into a model, whose weights may differ in
            the last digits from machine to machine.
        start: The token that a text starts after.
        end: The token that a text ends with.
        context: The most tokens that the network reads at once; None for no limit.
    """

    name: str
    network: Any
    tokenizer: Any
    fingerprint: str
    sample: str | None
    start: int
    end: int
    context: int | None

    def block_size(self, wanted: int) -> int:
        """Return the wanted size of a block, or the context where that is smaller."""
        return wanted if self.context is None else min(wanted, self.context)

    def pack(self, stories: Iterable[TrainingText], settings: TrainingSettings) -> list[TokenBlock]:
        """Return the blocks of stories; a story that says <|endoftext|> means the characters."""

        def encode(text: str) -> list[int]:
            found = self.tokenizer([collapse(text)], add_special_tokens=False, split_special_tokens=True)
            return list(found["input_ids"][0])

        texts = (story.text for story in stories)
        size = self.block_size(settings.block)
        return pack(texts, encode=encode, start=self.start, end=self.end, size=size, seed=settings.seed)


def load_base(name: str) -> BaseModel:
    """Load a model for training, and refuse one that cannot be scored or trained."""
    tokenizer, network = load_for_training(name)
    check_trainable(network, name)
    # A GGUF file's weights have been dequantised; the network must not say otherwise when it is saved.
    network.hf_quantizer = None
    network.is_quantized = False
    if getattr(network.config, "quantization_config", None) is not None:
        del network.config.quantization_config
    try:
        return _inspect(name, network, tokenizer)
    except BarthesError:
        raise
    except Exception as error:  # an unusual network or tokenizer may raise anything when it is tried out
        problem = f"cannot be used ({str(error) or type(error).__name__})."
        raise ModelError(problem, where=name, remedy="Choose another model.") from error


def check_trainable(network: Any, name: str) -> None:
    """Refuse weights that are not floating-point numbers of at least 16 bits: they have no gradient."""
    parameters = dict(network.named_parameters())
    packed = [key for key, each in parameters.items() if not each.is_floating_point() or each.itemsize < 2]
    if packed or not parameters or getattr(network, "quantization_method", None) is not None:
        what = f"{packed[0]} is {parameters[packed[0]].dtype}" if packed else "its weights are quantised"
        raise ModelError(
            f"cannot be trained as loaded: {what}.",
            where=name,
            remedy="Give the model in its unquantised form (float32, bfloat16 or float16), or a GGUF file.",
        )


def _inspect(name: str, network: Any, tokenizer: Any) -> BaseModel:
    """Wrap the network as for scoring, which checks it, and then restore the usual attention."""
    from barthes.models.causal import CausalModel
    from barthes.models.pretrained import sample_weights

    model = CausalModel(network, tokenizer, name=name)
    if model.shares_prefix:  # only a network with plain causal attention does
        network.set_attn_implementation("sdpa")
    is_merged = any(file.name == ADAPTER_SETTINGS for file in list_model_files(name))
    return BaseModel(
        name,
        network,
        tokenizer,
        fingerprint=model.fingerprint,
        sample=None if is_merged else sample_weights(network),
        start=model.start_token,
        end=model.end_token,
        context=model.context_length,
    )


def add_adapters(network: Any, settings: TrainingSettings, *, name: str) -> Any:
    """Return the network with LoRA adapters beside all linear layers but the output, which alone are trained.

    The seed decides their initial weights.
    """
    import torch
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
        fan_in_fan_out=any(type(module).__name__ == "Conv1D" for module in network.modules()),  # as in GPT-2
    )
    torch.manual_seed(settings.seed)
    try:
        return get_peft_model(network, config)
    except (ValueError, TypeError, NotImplementedError) as error:  # PEFT does not know where to put them
        problem = f"cannot be given adapters ({collapse(str(error))[:200]})."
        raise ModelError(problem, where=name, remedy="Use full fine-tuning.") from error


def round_adapters(network: Any, dtype: str) -> None:
    """Round adapters to the precision they are stored in, so that what is measured is what is stored."""
    import torch

    for parameter in network.parameters():
        if parameter.requires_grad:
            parameter.data = parameter.data.to(getattr(torch, dtype)).to(torch.float32)


def save_adapter(network: Any, folder: Path, *, base: str, dtype: Any = None) -> None:
    """Write the adapters, and settings that name their base.

    PEFT's own `save_pretrained` would add a card of its own, and ask the hub about the base.
    """
    from peft import get_peft_model_state_dict
    from safetensors.torch import save_file

    state = get_peft_model_state_dict(network, save_embedding_layers=False)
    tensors = {name: tensor.detach().to("cpu", dtype).contiguous() for name, tensor in state.items()}
    folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors, folder / ADAPTER_WEIGHTS, metadata={"format": "pt"})
    (folder / ADAPTER_WEIGHTS).chmod(0o666 & (folder.stat().st_mode | 0o600))  # it writes for the owner alone
    config = copy.copy(network.peft_config["default"])
    config.base_model_name_or_path = base
    config.inference_mode = True
    config.target_modules = sorted(config.target_modules)  # a set, in another order every time
    config.save_pretrained(str(folder))


def load_weights(network: Any, folder: Path) -> None:
    """Give a network, or its adapters, the weights of a checkpoint."""
    import torch
    from peft import set_peft_model_state_dict
    from safetensors.torch import load_file

    if (folder / ADAPTER_WEIGHTS).exists():
        set_peft_model_state_dict(network, load_file(folder / ADAPTER_WEIGHTS))
    else:
        network.load_state_dict(type(network).from_pretrained(folder, dtype=torch.float32).state_dict())


def name_base(name: str, folder: Path) -> str:
    """Return the base as an adapter in `folder` names it: a relative path starts at that folder.

    >>> name_base("smollm2-135m", Path("tuned"))
    'smollm2-135m'
    """
    path = expand_home(name)
    if name in EMBEDDED or path.is_absolute() or not path.exists():
        return name
    # An adapter's own folder is resolved when it is loaded, so ".." has to lead out of the real one.
    return Path(os.path.relpath(path.parent.resolve() / path.name, folder.resolve())).as_posix()
