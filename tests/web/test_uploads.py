"""Stories on their way in, and the names that they get."""

from __future__ import annotations

import asyncio

import pytest
from fastapi import HTTPException
from hypothesis import given
from hypothesis import strategies as st

from barthes.jobs.offer import Limits
from barthes.reading.formats import ENDINGS
from barthes.web.api import name_file
from barthes.web.uploads import clean_file_name, clean_title, find_suffix, quote_start, receive


async def chunks(*parts, pause=0.0):
    for part in parts:
        await asyncio.sleep(pause)
        yield part


def test_an_upload_is_written_unless_it_is_too_large_or_too_slow(tmp_path):
    asyncio.run(receive(chunks(b"A wolf ", b"came."), tmp_path / "story", Limits(bytes=12)))
    assert (tmp_path / "story").read_bytes() == b"A wolf came."
    slow = chunks(b"1", b"2", pause=0.1)
    for number, (sent, limits, status) in enumerate(
        [(chunks(b"12345", b"6"), Limits(bytes=5), 413), (slow, Limits(upload_seconds=0.05), 408)]
    ):
        with pytest.raises(HTTPException) as refusal:
            asyncio.run(receive(sent, tmp_path / str(number), limits))
        assert refusal.value.status_code == status


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "\n  Once upon a time\nthere was a wolf who lived at the edge of a forest that nobody knew.",
            "Once upon a time there was a wolf who lived at the edge …",
        ),
        ("A wolf-in-sheep's-clothing, " + "long-" * 9, "A wolf-in-sheep's-clothing, …"),
        ("Fin.", "Fin."),
        ("</script> came first, and/or last.", "</script> came first, and/or last."),
    ],
)
def test_a_text_is_called_by_its_first_words(tmp_path, text, title):
    (tmp_path / "story").write_text(text)
    assert quote_start(tmp_path / "story") == title


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_ending_is_known(ending):
    assert find_suffix(f"My tale, vol. 2{ending.upper()}") == ending


@given(st.text())
def test_names_are_harmless(name):
    assert find_suffix(name) in ("", *ENDINGS)
    title = clean_title(name)
    assert "\n" not in title
    assert len(title) <= 200
    header = name_file(name, "tsv")
    header.encode("ascii")
    assert not set(header) & set('\r\n"/\\')


def test_titles_are_no_paths_but_names_of_files_are():
    assert clean_title("and/or") == "and/or"
    assert clean_file_name("tales/old/wolf.txt") == "wolf.txt"
