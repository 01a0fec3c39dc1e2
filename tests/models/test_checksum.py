from __future__ import annotations

import hashlib
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.errors import ChecksumError
from barthes.models.checksum import copy_checked, file_sha256


def copy(content, destination, *, size, sha256):
    copy_checked(
        io.BytesIO(content), destination, size=size, sha256=sha256, where="a.gguf", remedy="Again, please."
    )


@given(st.binary(max_size=3000))
def test_what_was_published_is_copied(tmp_path_factory, content):
    destination = tmp_path_factory.mktemp("copy") / "model.gguf"
    sha256 = hashlib.sha256(content).hexdigest()
    copy(content, destination, size=len(content), sha256=sha256)
    assert destination.read_bytes() == content
    assert file_sha256(destination) == sha256


def test_both_hashes_and_the_remedy_are_named_and_nothing_is_left(tmp_path):
    expected, found = (hashlib.sha256(text).hexdigest() for text in (b"abc", b"abd"))
    with pytest.raises(ChecksumError) as caught:
        copy(b"abd", tmp_path / "model.gguf", size=3, sha256=expected)
    assert str(caught.value) == (
        "a.gguf: is not the file that was published: "
        f"SHA-256 {expected} expected, {found} found. Again, please."
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("size", "message"), [(2, "longer than the 2 bytes"), (4, "3 bytes long, not 4")])
def test_a_wrong_length_is_enough(tmp_path, size, message):
    with pytest.raises(ChecksumError, match=message):
        copy(b"abc", tmp_path / "model.gguf", size=size, sha256="")
    assert not list(tmp_path.iterdir())


def test_an_endless_stream_is_not_copied_to_the_end(tmp_path):
    class Endless(io.RawIOBase):
        given = 0

        def read(self, size=-1):
            self.given += size
            return b"0" * size

    endless = Endless()
    with pytest.raises(ChecksumError, match="longer than"):
        copy_checked(endless, tmp_path / "a", size=5_000_000, sha256="", where="a", remedy="")
    assert endless.given == 5_000_001
