"""XML without entities, network or surprises."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.corpora.story_workbench import parse_story
from barthes.errors import ReadingError

STORY = '<story><rep id="edu.mit.story.char"><desc id="0" off="0" len="5">\nA &amp; B\n</desc></rep></story>'


def test_text_loses_the_line_breaks_of_the_file_only():
    file = parse_story(STORY.encode(), name="a.sty")
    assert file.text == "A & B"
    assert file.problems == ()
    assert file.layer("parsing.token") == ()


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE story [<!ENTITY lol "lol"><!ENTITY b "&lol;&lol;&lol;">]>',
        '<!DOCTYPE story [<!ENTITY secret SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE story SYSTEM "http://localhost:9/story.dtd">',
        "<!DOCTYPE story>",
    ],
)
def test_document_types_and_entities_are_refused(doctype):
    with pytest.raises(ReadingError, match=r"a\.sty: declares a document type.*Remove"):
        parse_story((doctype + STORY).encode(), name="a.sty")


def test_undeclared_entity():
    with pytest.raises(ReadingError, match="is not XML"):
        parse_story(STORY.replace("&amp;", "&secret;").encode(), name="a.sty")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it is empty"),
        (b" \n ", "it is empty"),
        (b"Once upon a time.", "is not XML"),
        (b"PK\x03\x04 a zip", "is not XML"),
        (STORY[:-10].encode(), "is not XML"),
        (b"\xff\xfe<\x00s", "is not XML"),
        (b'<?xml version="1.0" encoding="klingon"?><story/>', "is not XML"),
        (b"<html><body/></html>", "root is <html>"),
        (b"<story/>", "has 0 texts"),
        (STORY.replace("story.char", "story.chars").encode(), "has 0 texts"),
    ],
)
def test_what_is_no_story_file(content, reason):
    with pytest.raises(ReadingError, match=reason) as caught:
        parse_story(content, name="a.sty")
    assert caught.value.where == "a.sty"


def test_deep_xml_does_not_exhaust_the_stack():
    deep = STORY.replace("</story>", "<x>" * 100_000 + "</x>" * 100_000 + "</story>")
    assert parse_story(deep.encode(), name="a.sty").text == "A & B"


@given(st.binary(max_size=200))
def test_any_bytes_are_a_story_or_a_reading_error(content):
    with pytest.raises(ReadingError):
        parse_story(content, name="a.sty")


@given(st.data())
def test_a_damaged_file_is_read_or_refused_never_a_crash(crane_bytes, data):
    from barthes.corpora.tale import read_tale

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
