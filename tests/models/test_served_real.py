"""Real servers: `BARTHES_VLLM` and `BARTHES_LLAMACPP` are the paths of Python interpreters that have them."""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import barthes
from barthes.models.embedded import DEFAULT_MODEL, ensure
from barthes.models.served import ServedModel

pytestmark = [pytest.mark.alone, pytest.mark.slow]

CINDERELLA = [
    "Cinderella lived with her wicked stepmother and two stepsisters.",
    "She had to do all the housework.",
    "One day, the king invited everybody to a ball.",
    "Her “fairy godmother” gave her a dress and glass slippers — until midnight.",
    "The prince danced with her, and she lost a slipper on the stairs.",
    "He found her by the slipper, and they married.",
]

DEQUANTIZE = """
import sys, llama_cpp
settings = llama_cpp.llama_model_quantize_default_params()
settings.ftype, settings.allow_requantize = llama_cpp.LLAMA_FTYPE_ALL_F32, True
llama_cpp.llama_model_quantize(sys.argv[1].encode(), sys.argv[2].encode(), settings)
"""


@contextmanager
def serving(variable: str, module: str, *arguments: str) -> Iterator[str]:
    """Start a server and yield its address; skip the test if it is not installed."""
    python = os.environ.get(variable)
    if not python:
        pytest.skip(f"set {variable} to a Python interpreter that has this server")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [python, "-m", module, "--host", "127.0.0.1", "--port", str(port), *arguments]
    settings = {"VLLM_CPU_KVCACHE_SPACE": "2", "OMP_NUM_THREADS": "2"}
    with subprocess.Popen(
        command, env=os.environ | settings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            wait_for(f"http://127.0.0.1:{port}/v1/models", process)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()


def wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        assert process.poll() is None, "the server has ended"
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except OSError:
            time.sleep(1)
    raise AssertionError("the server does not start")


@pytest.fixture(scope="module")
def local():
    return barthes.load_model(DEFAULT_MODEL, device="cpu", dtype="float32")


@pytest.fixture(scope="module")
def vllm():
    settings = ["--dtype", "float32", "--enforce-eager", "--max-model-len", "512"]
    model = str(ensure(DEFAULT_MODEL))
    with serving("BARTHES_VLLM", "vllm.entrypoints.openai.api_server", "--model", model, *settings) as url:
        yield ServedModel(url)


@pytest.mark.parametrize(("method", "window"), [("sd", None), ("sd", 48), ("va", None), ("paa", None)])
def test_vllm_gives_the_scores_of_the_model_here(vllm, local, method, window):
    found, expected = (
        np.array(barthes.score(CINDERELLA, method=method, model=model, window=window).scores)
        for model in (vllm, local)
    )
    np.testing.assert_allclose(found[:-1], expected[:-1], rtol=0, atol=1e-5)
    np.testing.assert_allclose(found[-1], expected[-1], rtol=0, atol=2e-5)  # of a single token


def test_vllm_gives_the_tokens_and_log_probabilities_of_the_model_here(vllm, local):
    pieces = local.encode(CINDERELLA)
    assert vllm.encode(CINDERELLA) == pieces
    tokens = [local.start_token, *sum(pieces, []), local.end_token]
    found, expected = (model.read(tokens).log_probabilities for model in (vllm, local))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4)
    assert np.abs(found - expected).mean() < 2e-5


def test_vllm_serves_stories_longer_than_its_context(vllm):
    story = CINDERELLA * 8
    assert vllm.context_length == 511
    assert barthes.score(story, model=vllm).window == 511


@pytest.fixture(scope="module")
def gguf(tmp_path_factory):
    """GGUF files of the model: as published, with activations in 8 bits, and in float32."""
    published = os.environ.get("BARTHES_GGUF", "")
    if not Path(published).is_file() or "BARTHES_LLAMACPP" not in os.environ:
        pytest.skip("set BARTHES_LLAMACPP, and BARTHES_GGUF to the GGUF file of smollm2-135m")
    exact = str(tmp_path_factory.mktemp("gguf") / "float32.gguf")
    subprocess.run([os.environ["BARTHES_LLAMACPP"], "-c", DEQUANTIZE, published, exact], check=True)
    return {"published": published, "float32": exact}


@pytest.mark.parametrize(("file", "largest", "mean"), [("float32", 5e-5, 1e-5), ("published", 0.5, 0.1)])
def test_llama_cpp_gives_the_log_probabilities_of_the_model_here(local, gguf, file, largest, mean):
    """Its texts start with one more token, <|im_start|>."""
    settings = ["--model", gguf[file], "--n_ctx", "256", "--type_k", "0", "--type_v", "0"]  # 0 is float32
    with serving("BARTHES_LLAMACPP", "llama_cpp.server", *settings) as url:
        model = ServedModel(url)
        assert model.context_length == 253
        pieces = model.encode(CINDERELLA[3:5])
        assert pieces == local.encode(CINDERELLA[3:5])
        tokens = [model.start_token, *sum(pieces, []), model.end_token]
        found = model.read(tokens).log_probabilities
    difference = np.abs(found - local.read([1, *tokens]).log_probabilities[1:])
    assert difference.max() < largest
    assert difference.mean() < mean
