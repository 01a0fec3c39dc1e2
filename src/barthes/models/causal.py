"""Wrap any causal language model of transformers as a `LanguageModel`.

::

    CausalModel ─▶ read ─┬─▶ SharedReading   the story is read once, edits continue it (attention.py)
                         └─▶ PlainReading    each edit is read from the start, if attention cannot be shared

Which of the two it is, is tried once: both must give the same log-probabilities for a few tokens.
"""

from __future__ import annotations

import copy
import hashlib
import inspect
import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import torch

from barthes.errors import ModelError
from barthes.models.attention import ATTENTION, AttentionPlan, UnsupportedAttentionError, register
from barthes.models.forward_pass import ForwardPass, VocabularyHead, is_out_of_memory, too_large
from barthes.models.language_model import Edit, FloatArray, PlainReading, Reading
from barthes.models.llama import Llama
from barthes.models.shared_reading import SharedReading

_END_TOKENS = ("<|endoftext|>", "<|end_of_text|>", "<eos>", "</s>")
_PROBE = 24  # tokens to compare the shared-prefix attention with the network's own
_UNSUPPORTED = (UnsupportedAttentionError, LookupError, TypeError, ValueError, AttributeError, RuntimeError)


class CausalModel:
    """A transformers model and its tokenizer.

    If the model has causal attention, with or without a sliding window, a story is read once and its keys and
    values are shared by all edits (`SharedReading`). This is compared with the model's own results on a few
    tokens when the model is wrapped. If they differ, stories are read from the start for every edit: just as
    exact, but slow (see `shares_prefix` and `notes`).

    Args:
        network: A `transformers` causal language model, or `barthes.models.llama.Llama`.
        tokenizer: Its tokenizer.
        name: Its name in results.
        products: The precision of matrix products. Below float32, only their factors are rounded. Everything
            else (the residual stream, norms, the projection to the vocabulary, sums of log-probabilities)
            stays in float32, because salience is a small difference of large sums.
        pass_tokens: Maximum tokens per pass; it affects speed and memory, not scores. By default 1024 on the
            CPU and 8192 on other devices, which need more to be busy.
        weights: A hash of weights, configuration and tokenizer, if it is known; else it is computed.

    Raises:
        ModelError: The weights are not numbers.
        ValueError: The network is not causal, or the tokenizer has no start- or end-of-text token.
    """

    def __init__(
        self,
        network: Any,
        tokenizer: Any,
        *,
        name: str,
        products: torch.dtype = torch.float32,
        pass_tokens: int | None = None,
        weights: str | None = None,
    ) -> None:
        self.name = name
        self.products = products
        self.network: Any = _round_factors(network.eval(), products)
        self.tokenizer = tokenizer
        self.hardware: str = network.device.type
        self.pass_tokens: int = pass_tokens or (1024 if self.hardware == "cpu" else 8192)
        self.start_token: int
        self.end_token: int
        self.start_token, self.end_token = _text_boundaries(tokenizer)
        self._separator = _find_separator(tokenizer)
        self._weights = weights
        cap = getattr(network.config.get_text_config(), "final_logit_softcapping", None)
        self._forward = ForwardPass(self.network, VocabularyHead(network, cap=cap), products)
        self.shares_prefix: bool = self._try_shared_prefix()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Unpickle, and register the attention in case this is another process."""
        self.__dict__.update(state)
        register()

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for readers of its scores."""
        notes = []
        if not self.shares_prefix:
            reason = "its attention cannot be shared, so the text is read again for every sentence."
            notes.append(f"{self.name} is slow: {reason}")
        if self.products != torch.float32:
            notes.append(f"Computed in {self.precision}: scores differ a little from those in float32.")
        return tuple(notes)

    @cached_property
    def precision(self) -> str:
        """The precision of matrix products: ``float32``, ``bfloat16`` or ``float16``; how it is quantised."""
        quantisation: Any = getattr(self.network.config, "quantization_config", None)
        method = getattr(quantisation, "quant_method", None)
        products = str(self.products).removeprefix("torch.")
        return products if method is None else f"{products}, {getattr(method, 'value', method)}"

    @property
    def context_length(self) -> int | None:
        """The maximum number of tokens in one reading; None if it is not configured."""
        config = self.network.config.get_text_config()
        for field in ("max_position_embeddings", "n_positions", "max_sequence_length"):
            length = getattr(config, field, None)
            if length is not None and length > 0:
                return int(length)
        return None

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of everything that changes its results: weights, architecture, tokenizer, precision."""
        digest = hashlib.sha256(str(self.products).encode())
        if self._weights is not None:
            digest.update(self._weights.encode())
            return digest.hexdigest()
        for name, tensor in sorted(self.network.state_dict().items()):
            digest.update(f"{name}{tuple(tensor.shape)}".encode())
            digest.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data)
        config = self.network.config.to_dict()
        for irrelevant in ("_name_or_path", "transformers_version", "_attn_implementation", "dtype"):
            config.pop(irrelevant, None)
        digest.update(json.dumps(config, sort_keys=True, default=str).encode())
        backend = getattr(self.tokenizer, "backend_tokenizer", None)
        vocabulary = sorted(self.tokenizer.get_vocab().items())
        digest.update((backend.to_str() if backend is not None else json.dumps(vocabulary)).encode())
        return digest.hexdigest()

    def encode(self, pieces: Sequence[str]) -> list[list[int]]:
        """Tokenise each piece of a text on its own; all but the first follow a space."""
        texts = [(self._separator if i else "") + piece for i, piece in enumerate(pieces)]
        # In a story, <|endoftext|> stands for these characters, not for the end of the text.
        encoded = self.tokenizer(texts, add_special_tokens=False, split_special_tokens=True)
        return [list(ids) for ids in encoded["input_ids"]]

    def read(self, tokens: Sequence[int]) -> Reading:
        """Read a sequence of at least two tokens."""
        if self.shares_prefix:
            return self._read_shared(tokens)
        return PlainReading(self.continuation_log_probabilities, tokens)

    @torch.inference_mode()
    def states(
        self, tokens: Sequence[int], spans: Sequence[tuple[int, int]], *, layers: Sequence[int]
    ) -> FloatArray:
        """Return the mean hidden state of each span of a text after each number of layers."""
        plan = AttentionPlan.of([tokens], [0], depth=layers[-1]) if self.shares_prefix else None
        ids = torch.tensor(list(tokens), device=self.network.device)
        try:
            return self._forward.mean_states(ids, plan, spans, layers)
        except (RuntimeError, MemoryError) as error:
            raise (too_large(len(tokens)) if is_out_of_memory(error) else error) from error

    def _read_shared(self, tokens: Sequence[int]) -> SharedReading:
        return SharedReading(self._forward, tokens, pass_tokens=self.pass_tokens)

    @torch.inference_mode()
    def continuation_log_probabilities(
        self, context: Sequence[int], continuation: Sequence[int]
    ) -> FloatArray:
        """Return log P(continuation | context), nats, by the network's own forward pass."""
        if not continuation:
            return np.empty(0)
        ids = torch.tensor([[*context, *continuation]], device=self.network.device)
        # Compute the logits of the last tokens only, if the network can.
        can_keep = "logits_to_keep" in inspect.signature(self.network.forward).parameters
        keep = {"logits_to_keep": len(continuation)} if can_keep else {}
        with torch.autocast(ids.device.type, self.products, enabled=self.products != torch.float32):
            logits = self.network(input_ids=ids[:, :-1], use_cache=False, **keep).logits
        logits = logits[0, -len(continuation) :].float()
        picked = logits.gather(-1, ids[0, len(context) :, None].to(logits.device))[:, 0]
        return np.asarray((picked - logits.logsumexp(-1)).cpu().double())

    def _try_shared_prefix(self) -> bool:
        """Switch to the shared-prefix attention if it gives the same results as the network's default."""
        if isinstance(self.network, Llama):  # it has no other
            return True
        size = min(len(self.tokenizer), self.network.get_input_embeddings().num_embeddings)
        tokens = [self.start_token, *(int(i) for i in np.linspace(1, size - 1, _PROBE, dtype=int))]
        expected = _read_all(PlainReading(self.continuation_log_probabilities, tokens), tokens)
        self._check_causal(tokens, expected[: len(tokens) - 1])
        if self._shares_correctly(tokens, expected):
            return True
        default = self.network.get_correct_attn_implementation(None)  # for this network and machine
        self.network.set_attn_implementation(default)
        return False

    def _shares_correctly(self, tokens: Sequence[int], expected: FloatArray) -> bool:
        """Switch to the shared-prefix attention, and return whether it gives the expected results."""
        if _depends_on_length(self.network.config.get_text_config()):
            return False
        register()
        tolerance = 1e-3 if self.products == torch.float32 else 0.25
        try:
            self.network.set_attn_implementation(ATTENTION)
            found = _read_all(self._read_shared(tokens), tokens)
        except _UNSUPPORTED as error:
            if is_out_of_memory(error):
                raise
            return False
        return np.allclose(found, expected, atol=tolerance)

    def _check_causal(self, tokens: Sequence[int], expected: FloatArray) -> None:
        """Raise an error if results are not numbers, or later tokens change earlier probabilities."""
        if not np.isfinite(expected).all():
            raise ModelError(
                "gives probabilities that are not numbers (NaN or infinite).",
                where=self.name,
                remedy="Its weights are damaged, or the precision is too low: try float32.",
            )
        other = [*tokens[:-2], tokens[1], tokens[-1]]
        found = self.continuation_log_probabilities(other[:1], other[1:])
        if not np.allclose(found[:-2], expected[:-2], atol=0.05):
            raise ValueError("it is not a causal model: later tokens change earlier probabilities")


def _read_all(reading: Reading, tokens: Sequence[int]) -> FloatArray:
    """Return the log-probabilities of a text and of what follows two edits of it."""
    half = len(tokens) // 2
    edits = [Edit(half - 4, half, (tokens[5], tokens[7])), Edit(half, half + 3)]
    return np.concatenate([reading.log_probabilities, *reading.rescore(edits)])


def share_weights(network: Any) -> Any:
    """Return a copy of a network that has the same tensors, so that its settings can be changed."""
    tensors = [*network.parameters(), *network.buffers()]
    return copy.deepcopy(network, {id(tensor): tensor for tensor in tensors})


def _depends_on_length(config: Any) -> bool:
    """Return whether attention changes with the length of the text: scaled positions, chunks."""
    rope = getattr(config, "rope_parameters", None) or getattr(config, "rope_scaling", None) or {}
    # Some models have a set of parameters for each type of layer.
    sets = [rope, *rope.values()] if isinstance(rope, dict) else []
    kinds = {each.get("rope_type", each.get("type")) for each in sets if isinstance(each, dict)}
    chunks = "chunked_attention" in (getattr(config, "layer_types", None) or [])
    return chunks or bool(kinds & {"longrope", "dynamic", "su"})


def _round_factors(network: Any, products: torch.dtype) -> Any:
    """Give a network weights of inner matrix products in `products`, and all others in float32.

    Its old tensors do not change; quantised weights stay as they are.
    """
    outer = network.get_output_embeddings()
    rounded: dict[int, torch.nn.Parameter] = {}  # tied weights stay tied
    for module in network.modules():
        inner = not isinstance(module, torch.nn.Embedding) and module is not outer
        for name, parameter in list(module.named_parameters(recurse=False)):
            dtype = products if inner and name == "weight" and parameter.ndim == 2 else torch.float32
            if parameter.is_floating_point() and parameter.dtype != dtype:
                new = torch.nn.Parameter(parameter.data.to(dtype), requires_grad=False)
                setattr(module, name, rounded.setdefault(id(parameter), new))
    return network


def _text_boundaries(tokenizer: Any) -> tuple[int, int]:
    """Return the tokens that a text starts after and ends with.

    A text starts after the token that the tokenizer itself puts first, otherwise after the end-of-text token
    (GPT-2 uses <|endoftext|> for both). In chat models `eos_token_id` ends a *message*, so the usual
    end-of-text tokens are looked up by name first.
    """
    known = tokenizer.get_vocab()
    named = next((known[name] for name in _END_TOKENS if name in known), None)
    end = named if named is not None else tokenizer.eos_token_id
    first = (tokenizer("a")["input_ids"] or [None])[0]
    start = tokenizer.bos_token_id if first == tokenizer.bos_token_id else end
    if start is None:
        start = tokenizer.bos_token_id
    if start is None:
        raise ValueError("its tokenizer has neither a beginning- nor an end-of-text token")
    return start, start if end is None else end


def _find_separator(tokenizer: Any) -> str:
    """Return the prefix that makes a sentence be tokenised as if it followed another one.

    It is a space for most tokenizers, and empty for those that add a space to every text themselves.
    """
    whole = tokenizer("one two", add_special_tokens=False)["input_ids"]
    bare = [tokenizer(word, add_special_tokens=False)["input_ids"] for word in ("one", "two")]
    return "" if whole == bare[0] + bare[1] else " "
