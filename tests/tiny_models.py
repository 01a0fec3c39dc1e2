"""Random transformers of a few thousand weights, with a word tokenizer made in memory: no hub, no files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    Gemma2Config,
    Gemma2ForCausalLM,
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    GPT2Config,
    GPT2LMHeadModel,
    GPTNeoXConfig,
    GPTNeoXForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    PreTrainedTokenizerFast,
)

from barthes.models.causal import CausalModel

WORDS = "a the wolf sheep girl king came ate ran slept died married rained and but then . , !".split()
_SIZE = {"vocab_size": len(WORDS) + 2, "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4}


def tiny_tokenizer() -> PreTrainedTokenizerFast:
    vocabulary = {word: i for i, word in enumerate(["<|endoftext|>", "<unk>", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|endoftext|>", bos_token="<|endoftext|>", unk_token="<unk>"
    )


def tiny_network(architecture: str = "llama", *, context: int = 128, seed: int = 0, **fields: Any) -> Any:
    """Build a network; `fields` change the configuration of those with sliding windows."""
    torch.manual_seed(seed)
    gemma = {
        **_SIZE,
        "intermediate_size": 48,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "max_position_embeddings": context,
        "sliding_window": 8,
        "pad_token_id": None,
        "bos_token_id": 0,
        "eos_token_id": 0,
    }
    networks = {
        "llama": lambda: LlamaForCausalLM(
            LlamaConfig(**_SIZE, intermediate_size=48, num_key_value_heads=2, max_position_embeddings=context)
        ),
        "gpt2": lambda: GPT2LMHeadModel(
            GPT2Config(vocab_size=len(WORDS) + 2, n_positions=context, n_embd=32, n_layer=3, n_head=4)
        ),
        "neox": lambda: GPTNeoXForCausalLM(
            GPTNeoXConfig(**_SIZE, intermediate_size=48, max_position_embeddings=context)
        ),
        "mistral": lambda: MistralForCausalLM(
            MistralConfig(
                **_SIZE,
                intermediate_size=48,
                num_key_value_heads=2,
                max_position_embeddings=context,
                **{"sliding_window": 8, **fields},
            )
        ),
        "gemma2": lambda: Gemma2ForCausalLM(
            Gemma2Config(**(gemma | {"attn_logit_softcapping": 2.0} | fields))
        ),
        "gemma3": lambda: Gemma3ForCausalLM(
            Gemma3TextConfig(
                **(
                    gemma
                    | {"layer_types": ["sliding_attention", "full_attention", "sliding_attention"]}
                    | fields
                )
            )
        ),
    }
    network = networks[architecture]()
    for parameter in network.parameters():  # the usual tiny initial weights would make all words alike
        if parameter.ndim > 1:
            torch.nn.init.normal_(parameter, std=0.35)
    return network


def tiny_model(architecture: str = "llama", *, context: int = 128, pass_tokens: int = 1024) -> CausalModel:
    network = tiny_network(architecture, context=context)
    return CausalModel(network, tiny_tokenizer(), name=f"tiny-{architecture}", pass_tokens=pass_tokens)


def save_base(folder: Path, architecture: str = "llama", **options: Any) -> Path:
    """Save a tiny model in transformers' format."""
    tiny_network(architecture, **options).save_pretrained(folder)
    tiny_tokenizer().save_pretrained(folder)
    return folder


def by_hand(network, context, continuation):
    """Log-probabilities from a network that has never heard of Barthes."""
    ids = torch.tensor([[*context, *continuation]])
    with torch.inference_mode():
        logits = network(ids).logits[0, len(context) - 1 : -1].double()
    return logits.log_softmax(-1).gather(-1, ids[0, len(context) :, None])[:, 0].numpy()
