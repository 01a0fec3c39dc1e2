"""Any causal language model of transformers, as a `LanguageModel`."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import torch

from barthes.models.attention import ATTENTION, UnsupportedAttentionError, register
from barthes.models.head import VocabularyHead
from barthes.models.language_model import Edit, FloatArray, PlainReading, Reading
from barthes.models.shared_reading import SharedReading

__all__ = ["CausalModel"]

_END_OF_TEXT = "<|endoftext|>"
_PROBE = 24  # tokens: enough to see whether the fast path computes what the model computes


class CausalModel:
    """A transformers model and its tokenizer.

    Where the model's attention is of the plain causal kind, a story is read once and its keys and
    values are shared by all edits (`SharedReading`). Whether that gives what the model itself gives is
    tried out on a few tokens when the model is wrapped; a model for which it does not is read edit by
    edit, slower and as exact (`shares_prefix` tells).

    Args:
        network: A `transformers` causal language model.
        tokenizer: Its tokenizer.
        name: What to call it in results.
        products: The precision of matrix products. Below float32, their factors are rounded and
            everything else (the residual stream, norms, the projection to the vocabulary, all sums of
            log-probabilities) stays in float32, because salience is a small difference of large sums.
        pass_tokens: How many tokens go through the network at once, at most; it changes speed and
            memory, not scores.
    """

    def __init__(
        self,
        network: Any,
        tokenizer: Any,
        *,
        name: str,
        products: torch.dtype = torch.float32,
        pass_tokens: int = 1024,
    ) -> None:
        self.products = products
        self.network = _round_factors(network.eval(), products)
        self.tokenizer = tokenizer
        self.name = name
        self.pass_tokens = pass_tokens
        self.start_token, self.end_token = _text_boundaries(tokenizer)
        self._joint = _joint(tokenizer)
        self.head = VocabularyHead(network)
        self.shares_prefix = self._try_shared_prefix()

    @property
    def context_length(self) -> int | None:
        """How many tokens the network was built to read at once."""
        config = self.network.config
        for field in ("max_position_embeddings", "n_positions", "max_sequence_length"):
            if (length := getattr(config, field, None)) is not None:
                return int(length)
        return None

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the weights (names, shapes, bytes), the vocabulary and the precision."""
        digest = hashlib.sha256(str(self.products).encode())
        for name, tensor in sorted(self.network.state_dict().items()):
            digest.update(f"{name}{tuple(tensor.shape)}".encode())
            digest.update(tensor.detach().cpu().contiguous().view(torch.uint8).numpy().data)
        for word, index in sorted(self.tokenizer.get_vocab().items(), key=lambda item: item[1]):
            digest.update(f"{index}\t{word}\n".encode())
        return digest.hexdigest()

    def encode(self, pieces: Sequence[str]) -> list[list[int]]:
        """Tokenise the pieces of one text one by one; all but the first follow a space."""
        texts = [(self._joint if i else "") + piece for i, piece in enumerate(pieces)]
        # A story that happens to say <|endoftext|> means the characters, not the end of the text.
        encoded = self.tokenizer(texts, add_special_tokens=False, split_special_tokens=True)
        return [list(ids) for ids in encoded["input_ids"]]

    def read(self, tokens: Sequence[int]) -> Reading:
        """Read a sequence of at least two tokens."""
        if self.shares_prefix:
            return self._read_shared(tokens)
        return PlainReading(self, tokens)

    def _read_shared(self, tokens: Sequence[int]) -> SharedReading:
        return SharedReading(
            self.network, self.head, tokens, products=self.products, pass_tokens=self.pass_tokens
        )

    @torch.inference_mode()
    def continuation_log_probabilities(
        self, context: Sequence[int], continuation: Sequence[int]
    ) -> FloatArray:
        """log P(continuation | context), nats, by the network's own forward pass: nothing is shared."""
        if not continuation:
            return np.empty(0)
        ids = torch.tensor([[*context, *continuation]], device=self.network.device)
        with torch.autocast(ids.device.type, self.products, enabled=self.products != torch.float32):
            logits = self.network(input_ids=ids[:, :-1], use_cache=False).logits[0, len(context) - 1 :]
        logits = logits.float()
        picked = logits.gather(-1, ids[0, len(context) :, None])[:, 0] - logits.logsumexp(-1)
        return np.asarray(picked.double().cpu())

    def _try_shared_prefix(self) -> bool:
        """Switch to the shared-prefix attention if it gives what the network gives by itself."""
        size = len(self.tokenizer)
        tokens = [self.start_token, *(int(i) for i in np.linspace(1, size - 1, _PROBE, dtype=int))]
        edit = Edit(_PROBE // 3, _PROBE // 2, (tokens[5], tokens[7]))
        plain = PlainReading(self, tokens)
        expected = [plain.log_probabilities, *plain.rescore([edit])]
        usual = self.network.config._attn_implementation
        register()
        try:
            self.network.set_attn_implementation(ATTENTION)
            shared = self._read_shared(tokens)
            found = [shared.log_probabilities, *shared.rescore([edit])]
        except (UnsupportedAttentionError, KeyError, TypeError, ValueError, AttributeError):
            found = []
        tolerance = 1e-3 if self.products == torch.float32 else 0.5
        agrees = len(found) == len(expected) and all(
            np.allclose(a, b, atol=tolerance) for a, b in zip(found, expected, strict=True)
        )
        if not agrees or getattr(self.network.config, "sliding_window", None):
            self.network.set_attn_implementation(usual)
            return False
        return True


def _round_factors(network: Any, products: torch.dtype) -> Any:
    """Keep the weights of inner matrix products in `products`, all others (embeddings, norms) in float32."""
    outer = network.get_output_embeddings()
    for module in network.modules():
        inner = not isinstance(module, torch.nn.Embedding) and module is not outer
        for name, parameter in module.named_parameters(recurse=False):
            factor = inner and name == "weight" and parameter.ndim == 2
            parameter.data = parameter.data.to(products if factor else torch.float32)
    return network


def _text_boundaries(tokenizer: Any) -> tuple[int, int]:
    """The tokens that a text starts after and ends with.

    GPT-2 and its kin mark both by <|endoftext|>, chat-tuned models too, whatever they end a *message*
    with; others have a token for each.
    """
    known = tokenizer.get_vocab()
    if _END_OF_TEXT in known:
        return known[_END_OF_TEXT], known[_END_OF_TEXT]
    end = tokenizer.eos_token_id
    start = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else end
    if start is None:
        raise ValueError("the tokenizer has neither a beginning- nor an end-of-text token")
    return start, start if end is None else end


def _joint(tokenizer: Any) -> str:
    """What to put before a sentence so that its tokens are those it has after another sentence.

    A space for most; nothing for tokenizers that add one to every text by themselves.
    """
    whole = tokenizer("one two", add_special_tokens=False)["input_ids"]
    bare = [tokenizer(word, add_special_tokens=False)["input_ids"] for word in ("one", "two")]
    return "" if whole == bare[0] + bare[1] else " "
