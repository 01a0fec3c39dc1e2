"""The Llama architecture and its tokenizer without transformers, whose import takes longer than the rest.

The embedded model is loaded in this way::

    config.json ─▶ Llama, whose weights are mapped from model.safetensors, not copied
    tokenizer.json ─▶ LlamaTokenizer

Both have what `CausalModel` needs of a network and a tokenizer of transformers, and give the same numbers.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from barthes.models.attention import AttentionPlan, attend_by_plan


class Llama(nn.Module):
    """A Llama whose attention is always the shared-prefix attention.

    Args:
        config: The content of ``config.json``.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        self.config = SimpleNamespace(**config)
        self.config.get_text_config = lambda: self.config
        width, words = config["hidden_size"], config["vocab_size"]
        self.model: LlamaBody = LlamaBody(config)
        self.lm_head: nn.Linear = nn.Linear(width, words, bias=False)
        if config["tie_word_embeddings"]:
            self.lm_head.weight = self.model.embed_tokens.weight

    @property
    def base_model(self) -> LlamaBody:
        """The network without the projection to the vocabulary."""
        return self.model

    @property
    def device(self) -> torch.device:
        """The device of the weights."""
        return self.lm_head.weight.device

    def get_output_embeddings(self) -> nn.Linear:
        """Return the projection to the vocabulary."""
        return self.lm_head


class LlamaBody(nn.Module):
    """The layers of a Llama."""

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        # Not nn.Embedding(…), whose random numbers on the meta device import the compiler of PyTorch.
        words = torch.empty(config["vocab_size"], config["hidden_size"])
        self.embed_tokens: nn.Embedding = nn.Embedding.from_pretrained(words)  # type: ignore[no-untyped-call]
        self.layers: nn.ModuleList = nn.ModuleList(
            _Layer(config, number) for number in range(config["num_hidden_layers"])
        )
        self.norm: nn.RMSNorm = _make_norm(config)
        self._head_width: int = config["head_dim"]
        self._theta: float = config["rope_parameters"]["rope_theta"]

    def forward(
        self, input_ids: Tensor, position_ids: Tensor, barthes_plan: AttentionPlan, **options: Any
    ) -> SimpleNamespace:
        """Return the last hidden state of each token, shape (1, tokens, width), as `last_hidden_state`.

        With `output_hidden_states`, return also those after each number of layers up to the plan's depth.
        """
        hidden = self.embed_tokens(input_ids)
        rotation = self._rotate(position_ids)
        states = []
        for layer in self.layers[: barthes_plan.depth]:
            if options.get("output_hidden_states"):
                states.append(hidden)
            hidden = layer(hidden, rotation, barthes_plan)
        if barthes_plan.depth in (None, len(self.layers)):
            hidden = self.norm(hidden)
        return SimpleNamespace(last_hidden_state=hidden, hidden_states=[*states, hidden])

    def _rotate(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Return the cosine and sine of the angle of each position and dimension of a head."""
        steps = torch.arange(0, self._head_width, 2, dtype=torch.float32, device=positions.device)
        angles = positions[0, :, None].float() * (1.0 / self._theta ** (steps / self._head_width))
        angles = torch.cat([angles, angles], dim=-1)
        return angles.cos(), angles.sin()


class _Layer(nn.Module):
    def __init__(self, config: dict[str, Any], number: int) -> None:
        super().__init__()
        self.input_layernorm = _make_norm(config)
        self.self_attn = _Attention(config, number)
        self.post_attention_layernorm = _make_norm(config)
        self.mlp = _FeedForward(config)

    def forward(self, hidden: Tensor, rotation: tuple[Tensor, Tensor], plan: AttentionPlan) -> Tensor:
        hidden = hidden + self.self_attn(self.input_layernorm(hidden), rotation, plan)
        added: Tensor = hidden + self.mlp(self.post_attention_layernorm(hidden))
        return added


class _Attention(nn.Module):
    def __init__(self, config: dict[str, Any], number: int) -> None:
        super().__init__()
        width, head = config["hidden_size"], config["head_dim"]
        queries, keys = config["num_attention_heads"], config["num_key_value_heads"]
        self._number, self._head = number, head
        self.q_proj = nn.Linear(width, queries * head, bias=False)
        self.k_proj = nn.Linear(width, keys * head, bias=False)
        self.v_proj = nn.Linear(width, keys * head, bias=False)
        self.o_proj = nn.Linear(queries * head, width, bias=False)

    def forward(self, hidden: Tensor, rotation: tuple[Tensor, Tensor], plan: AttentionPlan) -> Tensor:
        query, key, value = (
            projection(hidden).unflatten(-1, (-1, self._head)).transpose(1, 2)
            for projection in (self.q_proj, self.k_proj, self.v_proj)
        )
        query, key = (_apply(rotation, each).to(value.dtype) for each in (query, key))
        found = attend_by_plan(plan, self._number, query, key, value)
        projected: Tensor = self.o_proj(found.transpose(1, 2).flatten(2))
        return projected


class _FeedForward(nn.Module):
    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        width, inner = config["hidden_size"], config["intermediate_size"]
        self.gate_proj = nn.Linear(width, inner, bias=False)
        self.up_proj = nn.Linear(width, inner, bias=False)
        self.down_proj = nn.Linear(inner, width, bias=False)

    def forward(self, hidden: Tensor) -> Tensor:
        projected: Tensor = self.down_proj(functional.silu(self.gate_proj(hidden)) * self.up_proj(hidden))
        return projected


def _make_norm(config: dict[str, Any]) -> nn.RMSNorm:
    return nn.RMSNorm(config["hidden_size"], eps=config["rms_norm_eps"])


def _apply(rotation: tuple[Tensor, Tensor], states: Tensor) -> Tensor:
    """Rotate each pair of dimensions of queries or keys by its angle."""
    cosine, sine = rotation
    first, second = states.chunk(2, dim=-1)
    return states * cosine + torch.cat([-second, first], dim=-1) * sine


class LlamaTokenizer:
    """A tokenizer of the tokenizers library that is called like one of transformers.

    Special tokens in a text are always plain characters.
    """

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        self.backend_tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.backend_tokenizer.encode_special_tokens = True
        settings = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
        self.bos_token_id: int | None = self._find(settings.get("bos_token"))
        self.eos_token_id: int | None = self._find(settings.get("eos_token"))

    def _find(self, token: str | None) -> int | None:
        found: int | None = None if token is None else self.backend_tokenizer.token_to_id(token)
        return found

    def get_vocab(self) -> dict[str, int]:
        """Return the number of each token."""
        known: dict[str, int] = self.backend_tokenizer.get_vocab()
        return known

    def __call__(
        self, texts: str | list[str], *, add_special_tokens: bool = True, split_special_tokens: bool = True
    ) -> dict[str, Any]:
        """Return the tokens of a text, or of several, as `input_ids`."""
        if isinstance(texts, str):
            return {
                "input_ids": self.backend_tokenizer.encode(texts, add_special_tokens=add_special_tokens).ids
            }
        found = self.backend_tokenizer.encode_batch_fast(texts, add_special_tokens=add_special_tokens)
        return {"input_ids": [each.ids for each in found]}


def load_llama(folder: Path) -> tuple[LlamaTokenizer, Llama]:
    """Return the tokenizer and the network in a folder of transformers' format; weights are mapped."""
    from safetensors.torch import load_file

    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    with torch.device("meta"):
        network = Llama(config)
    weights = load_file(folder / "model.safetensors")
    if config["tie_word_embeddings"]:
        weights["lm_head.weight"] = weights["model.embed_tokens.weight"]
    network.load_state_dict(weights, assign=True)
    if config["tie_word_embeddings"]:
        network.lm_head.weight = network.model.embed_tokens.weight
    return LlamaTokenizer(folder), network.requires_grad_(False)
