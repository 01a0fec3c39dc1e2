"""Stories on their way in."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

import barthes
from barthes.salience.profile import Profile
from barthes.web.downloads import name_file
from barthes.web.limits import Limits
from barthes.web.reports import render_report
from barthes.web.uploads import (
    TooLargeError,
    clean_file_name,
    clean_title,
    find_suffix,
    is_blank,
    name_text,
    receive,
)


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


def test_titles_are_no_paths_but_names_of_files_are(tmp_path):
    assert clean_title("and/or") == "and/or"
    assert clean_file_name("tales/old/wolf.txt") == "wolf.txt"
    path = tmp_path / "story"
    path.write_text("</script> came first, and/or last.", encoding="utf-8")
    assert name_text(path) == "</script> came first, and/or last."
    profile = Profile(barthes.Narrative.from_sentences(["A."], title="and/or"), (1.0,), method="length")
    assert ">and/or</h1>" in render_report(profile)
