"""The XML of Story Workbench: no entities, no surprises."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.errors import ReadingError
from barthes_research.corpora.tale import read_tale
from barthes_research.corpora.workbench_file import parse_story

STORY = '<story><rep id="edu.mit.story.char"><desc id="0" off="0" len="5">\nA &amp; B\n</desc></rep></story>'


def test_text_loses_the_line_breaks_of_the_file_only():
    file = parse_story(STORY.encode(), name="a.sty")
    assert file.text == "A & B"
    assert file.problems == ()
    assert file.layer("parsing.token") == ()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "not well-formed XML"),
        (" \n ", "not well-formed XML"),
        ("Once upon a time.", "not well-formed XML"),
        (STORY[:-10], "not well-formed XML"),
        (STORY.replace("&amp;", "&secret;"), "not well-formed XML"),
        ('<!DOCTYPE story [<!ENTITY b "bomb">]>' + STORY, "declares the entity 'b'"),
        ('<!DOCTYPE story [<!ENTITY s SYSTEM "file:///etc/hostname">]>' + STORY, "declares the entity 's'"),
        (b"PK\x03\x04 a zip", "not well-formed XML"),
        (b"\xff\xfe<\x00s", "not well-formed XML"),
        ('<?xml version="1.0" encoding="klingon"?><story/>', "not well-formed XML"),
        ("<html><body/></html>", "root is <html>"),
        ("<story/>", "has 0 texts"),
        (STORY.replace("story.char", "story.chars"), "has 0 texts"),
        (STORY.replace("</story>", "<x>" * 1_000 + "</x>" * 1_000 + "</story>"), "not well-formed XML"),
    ],
)
def test_what_is_refused(content, reason):
    with pytest.raises(ReadingError, match=reason) as caught:
        parse_story(content if isinstance(content, bytes) else content.encode(), name="a.sty")
    assert caught.value.where == "a.sty"


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(content):
    with pytest.raises(ReadingError):
        parse_story(content, name="a.sty")


@given(st.data())
def test_a_damaged_file_is_read_or_refused(crane_bytes, data):
    start = data.draw(st.integers(0, len(crane_bytes) - 1))
    length = data.draw(st.integers(0, 40))
    patch = data.draw(
        st.binary(max_size=10) | st.sampled_from([b"0", b"-1", b"~", b"|", b"(", b"99999999999"])
    )
    damaged = crane_bytes[:start] + patch + crane_bytes[start + length :]
    try:
        tale = read_tale(damaged, name="damaged.sty")
    except ReadingError:
        return
    tale.annotation.check(tale.narrative)
    assert len(tale.labels) == len(tale.narrative)
