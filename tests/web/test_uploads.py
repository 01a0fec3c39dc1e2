"""Stories on their way in."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.web.downloads import name_file
from barthes.web.limits import Limits
from barthes.web.uploads import TooLargeError, clean_title, find_suffix, is_blank, name_text, receive


async def chunks(*parts, pause=0.0):
    for part in parts:
        await asyncio.sleep(pause)
        yield part


def test_what_comes_is_written(tmp_path):
    path = tmp_path / "story"
    assert asyncio.run(receive(chunks(b"A wolf ", b"came."), path, limits=Limits())) == 12
    assert path.read_bytes() == b"A wolf came."


def test_what_is_too_large_or_too_slow_leaves_nothing_behind(tmp_path):
    path = tmp_path / "story"
    with pytest.raises(TooLargeError):
        asyncio.run(receive(chunks(b"12345", b"6"), path, limits=Limits(size=5)))
    assert not path.exists()
    with pytest.raises(TimeoutError):
        asyncio.run(receive(chunks(b"1", b"2", pause=0.2), path, limits=Limits(upload_seconds=0.05)))
    assert not path.exists()


def test_a_text_is_called_by_its_first_words(tmp_path):
    path = tmp_path / "story"
    path.write_text(
        "\n  Once upon a time\nthere was a wolf who lived at the edge of a forest that nobody knew."
    )
    assert name_text(path) == "Once upon a time there was a wolf who lived at the …"
    path.write_text("Fin.")
    assert name_text(path) == "Fin."


@pytest.mark.parametrize(
    ("content", "blank"), [(b"", True), (b" \r\n\t" * 99, True), (b"  a", False), (b"\0", False)]
)
def test_blank(tmp_path, content, blank):
    path = tmp_path / "story"
    path.write_bytes(content)
    assert is_blank(path) is blank


@given(st.text())
def test_names_are_harmless(name):
    assert find_suffix(name) in (
        "",
        *(
            f".{ending}"
            for ending in "txt md markdown html htm xhtml epub docx odt fodt pdf tei xml sty".split()
        ),
    )
    title = clean_title(name)
    assert "\n" not in title
    assert len(title) <= 200
    header = name_file(name, "tsv")
    header.encode("ascii")
    assert not set(header) & set('\r\n"/\\')
