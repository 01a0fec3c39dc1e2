from __future__ import annotations

import logging
import math
import pickle
import ssl
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from ipaddress import ip_address
from typing import ClassVar

import numpy as np
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

import barthes
from barthes.cache import ScoreCache
from barthes.errors import ModelError, UnknownModelError
from barthes.models import served, served_connection
from barthes.models.counting import CountingModel
from barthes.models.language_model import Edit
from barthes.models.served import ServedModel
from barthes.runs.manifest import RunSettings
from barthes.runs.worker import RunWorker
from barthes.testing import check_method
from tests.models.model_server import FAULTS, ModelServer

STORY = barthes.Narrative.from_sentences(
    ["A wolf came.", "The wolf ate the sheep.", "It rained.", "The girl saw the wolf.", "The wolf ran away."]
)
LONG = barthes.Narrative.from_sentences([str(sentence) for sentence in STORY] * 4)
MODEL = CountingModel([STORY.text, served.PROBE])
OTHER = CountingModel([STORY.text, "It rained and it rained."], k=0.01)


@pytest.fixture
def server():
    with ModelServer(MODEL).running() as running:
        yield running


@pytest.fixture(autouse=True)
def hurry(monkeypatch):
    """Wait hundredths of seconds instead of minutes."""
    monkeypatch.setattr(served_connection, "FIRST_WAIT", 0.01)
    monkeypatch.setattr(served_connection, "PATIENCE", 2.0)


@pytest.mark.parametrize("dialect", ["vllm", "sglang", "echo"])
@pytest.mark.parametrize("window", [None, 16])
def test_scores_are_those_of_the_same_model_here(dialect, window):
    with ModelServer(MODEL, dialect).running() as server:
        found = barthes.score(STORY, model=server.address, window=window)
    assert found.scores == barthes.score(STORY, model=MODEL, window=window).scores
    assert found.model == server.address


@pytest.mark.slow
def test_served_models_pass_the_battery_of_methods(server):
    check_method("sd", model=ServedModel(server.address))


def test_an_edit_with_a_limit_asks_only_for_its_tokens():
    tokens, edits = [0, 4, 5, 6, 7, 8], [Edit(1, 3), Edit(2, 4, (9,), until=5), Edit(3, 6)]
    expected = list(MODEL.read(tokens).rescore(edits))
    with ModelServer(MODEL, "sglang").running() as server:
        found = list(ServedModel(server.address).read(tokens).rescore(edits))
        asked = [body for body in server.asked if "input_ids" in body][-4:]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
    assert sorted(len(body["input_ids"]) - body["logprob_start_len"] for body in asked)[-1] == len(tokens)


def test_control_tokens_in_a_story_are_plain_text(server):
    assert ServedModel(server.address).encode(["The </s> ran."]) == MODEL.encode(["The </s> ran."])


def test_a_thousand_requests_with_faults_give_the_same_scores(server):
    model = ServedModel(server.address)
    server.faults = FAULTS
    tokens = [0, *range(2, 12)] * 10
    edits = [Edit(1 + k % 90, 2 + k % 90, (2 + k % 8,)) for k in range(900)]
    expected = list(MODEL.read(tokens).rescore(edits))
    found = list(model.read(tokens).rescore(edits))
    assert len(server.asked) > 1000
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_server_may_be_restarted():
    with ModelServer(MODEL).running() as first:
        model = ServedModel(first.address)
    port = first.server_port

    def restart():
        time.sleep(0.3)
        with ModelServer(MODEL, port=port).running():
            finished.wait(30)

    finished = threading.Event()
    thread = threading.Thread(target=restart)
    thread.start()
    try:
        found = model.read([0, 4, 5, 6]).log_probabilities
    finally:
        finished.set()
        thread.join()
    np.testing.assert_array_equal(found, MODEL.read([0, 4, 5, 6]).log_probabilities)


def test_finished_losses_are_not_asked_for_again(server):
    story = barthes.Narrative.from_sentences([str(sentence) for sentence in LONG] * 6)
    cache, model = ScoreCache(), ServedModel(server.address)
    server.broken_after = len(server.asked) + len(story) + 90  # tokens are asked for sentence by sentence
    with pytest.raises(ModelError, match="run the same command again"):
        barthes.Scorer("sd", model, cache=cache).score(story)
    server.broken_after = math.inf
    server.asked.clear()
    found = barthes.Scorer("sd", model, cache=cache).score(story)
    assert found.scores == barthes.score(story, model=MODEL).scores
    asked = {
        str(body) for body in server.asked if "prompt_logprobs" in body
    }  # some are asked twice on a busy machine
    assert 1 < len(asked) < len(story)


def test_a_server_may_say_how_long_to_wait(server):
    model = ServedModel(server.address)
    server.faults = ("status 429",)
    server.asked = server.asked[:9]
    assert np.isfinite(model.read([0, 4, 5, 6]).log_probabilities).all()
    server.asked = server.asked[:9]
    server.retry_after = 1000  # longer than anybody waits
    with pytest.raises(ModelError, match="429"):
        _ = model.read([0, 4, 5, 6]).log_probabilities


@pytest.mark.parametrize("noticed_by", ["time", "failure"])
def test_a_model_swapped_under_way_is_noticed(server, monkeypatch, noticed_by):
    model = ServedModel(server.address)
    server.model = CountingModel([served.PROBE] * 5, k=0.01)
    server.model.vocabulary = MODEL.vocabulary
    if noticed_by == "time":
        monkeypatch.setattr(served, "CHECK_INTERVAL", 0.0)
    else:
        server.faults = ("status 503",)
        server.asked = server.asked[:9]
    with pytest.raises(ModelError, match="another model"):
        _ = model.read([0, 4, 5, 6]).log_probabilities


def test_the_fingerprint_is_that_of_the_model(server):
    first = ServedModel(server.address)
    assert first.fingerprint == pickle.loads(pickle.dumps(first)).fingerprint
    server.model = OTHER
    assert ServedModel(server.address).fingerprint != first.fingerprint


def test_each_worker_may_have_its_own_server(server, monkeypatch):
    monkeypatch.setenv(served_connection.RANK, "0")  # what workers set is undone after the test
    settings = RunSettings(model="http://127.0.0.1:{rank}/v1")
    with ModelServer(MODEL).running() as other:
        first, second = (RunWorker(settings, rank=each.server_port).prepare() for each in (server, other))
    assert server.asked
    assert other.asked
    assert first == second  # they are one model


def test_another_machine_finds_the_same_fingerprint(server, monkeypatch, tmp_path):
    first, second = ServedModel(server.address), ServedModel(server.address)
    known = first.fingerprint
    monkeypatch.setenv("BARTHES_CACHE", str(tmp_path / "another"))
    second._expected = second._expected + 1e-5
    assert second.fingerprint == known


def test_windows_follow_the_context_of_the_server():
    with ModelServer(MODEL, context=40).running() as server:
        model = ServedModel(server.address)
        found = barthes.score(LONG, model=model)
        assert found.window == model.context_length == 39
        assert found.scores == barthes.score(LONG, model=MODEL, window=39).scores
        with pytest.raises(ModelError, match="context is too short") as caught:
            _ = model.read([0] * 41).log_probabilities
        assert caught.value.option == "window"


def test_an_answer_that_never_comes_is_given_up(server, monkeypatch):
    monkeypatch.setattr(served_connection, "_TIMEOUT", 0.1)
    model = ServedModel(server.address)
    server.silent_after = 0
    with pytest.raises(ModelError, match="does not answer"):
        _ = model.read([0, 4]).log_probabilities


def test_unread_results_are_cancelled(server):
    model = ServedModel(server.address)
    server.silent_after = 0
    results = model.read([0, 4, 5, 6]).rescore([Edit(1, 2)] * 100)
    assert len(server.asked) < 100
    del results


def test_servers_without_log_probabilities_are_refused():
    with (
        ModelServer(MODEL, "ollama").running() as server,
        pytest.raises(ModelError, match=r"vLLM, SGLang or llama-cpp-python"),
    ):
        ServedModel(server.address)


def test_models_are_chosen_by_name(server):
    assert ServedModel(f"{server.address}#counting").name.endswith("#counting")
    with pytest.raises(UnknownModelError, match="v1#counting"):
        ServedModel(f"{server.address}#other")


def test_states_and_precisions_are_not_those_of_the_server(server):
    with pytest.raises(ModelError, match="hidden states"):
        ServedModel(server.address).states([0, 4], [(0, 1)], layers=[1])
    with pytest.raises(ModelError, match="precision"):
        barthes.load_model(server.address, dtype="bfloat16")


def test_the_key_goes_to_the_server_and_nowhere_else(monkeypatch, caplog):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv(served_connection.KEY, "secret-4711")
    with ModelServer(MODEL, key="secret-4711").running() as server:
        profile = barthes.score(STORY, model=server.address, cache=ScoreCache())
        server.key = "another"
        with pytest.raises(ModelError, match="rejects the key") as caught:
            ServedModel(server.address)
    files = [file.read_bytes() for file in barthes.cache.cache_file().parent.iterdir()]
    for text in (str(profile.to_dict()), str(caught.value), caplog.text, repr(files)):
        assert "secret-4711" not in text


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("http://127.0.0.1:1/v1", "no server can be reached"),
        ("http://user:secret-4711@127.0.0.1/v1", "password or a key"),
        ("https://127.0.0.1/v1?api_key=secret-4711", "password or a key"),
        ("http://example.invalid/v1", "unencrypted"),
        ("http://:80", "not valid"),
        ("http://127.0.0.1:x/v1", "not valid"),
    ],
)
def test_bad_addresses_are_explained(monkeypatch, address, message):
    monkeypatch.setenv(served_connection.KEY, "secret-4711")
    with pytest.raises(ModelError, match=message) as caught:
        barthes.load_model(address)
    assert "secret-4711" not in str(caught.value)


def test_the_note_says_whether_the_text_left_this_machine(server):
    model = ServedModel(server.address)
    assert not any("left this machine" in note for note in barthes.score(STORY, model=model).notes)
    model._connection.is_local = False
    assert sum("left this machine" in note for note in barthes.score(STORY, model=model).notes) == 1


class _Answer(BaseHTTPRequestHandler):
    """Gives the same answer to every request; it may repeat the key."""

    status = 400
    headers_sent: ClassVar[dict[str, str]] = {}
    content = ""

    def do_GET(self):
        self.send_response(self.status)
        for name, value in self.headers_sent.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(self.content.format(key=self.headers["Authorization"][:-2]).encode())

    do_POST = do_GET  # noqa: N815 - the name that the library calls

    def log_message(self, *_):
        """Print nothing."""


@contextmanager
def answering(*, tls=None, **attributes):
    """Run a server that gives one answer; yield what follows the scheme in its address."""
    with HTTPServer(("127.0.0.1", 0), type("Answer", (_Answer,), attributes)) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def test_an_answer_that_repeats_the_key_is_not_shown(monkeypatch):
    monkeypatch.setenv(served_connection.KEY, "secret-4711")
    with (
        answering(content="Incorrect key: {key}") as address,
        pytest.raises(ModelError, match="repeats the key") as caught,
    ):
        ServedModel(f"http://{address}")
    assert "secret" not in str(caught.value)


def test_redirects_are_not_followed(server, monkeypatch):
    monkeypatch.setenv(served_connection.KEY, "secret-4711")
    with (
        answering(status=307, headers_sent={"Location": f"{server.address}/models"}) as address,
        pytest.raises(ModelError, match="307"),
    ):
        ServedModel(f"http://{address}")
    assert not server.asked


def test_certificates_are_verified(tmp_path, monkeypatch):
    monkeypatch.setenv(served_connection.KEY, "secret-4711")
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(write_certificate(tmp_path / "own.pem"))
    with answering(tls=tls) as address, pytest.raises(ModelError, match=r"(?i)certificate"):
        ServedModel(f"https://{address}")


def write_certificate(file):
    """Write a certificate that nobody else has signed, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file.write_bytes(private + certificate.public_bytes(Encoding.PEM))
    return file
