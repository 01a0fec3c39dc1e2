"""No word of a file is lost: it is in a chapter, or marked and counted; and stories come back whole."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.reading.document import count_words
from tests.reading.parsing import parse_as

TITLES = (
    "The Twelve Dancing Princesses|How Bala Lake Began|Snowdrop|What Came of Picking Flowers|Notes|Sources"
    "|Index|The End|Contents|Preface to a Murder|Chapter and Verse|Act One|Notes of a Madman|Reader|The Wolf"
).split("|")
TALES = [
    f"Once a {who} came to the {place}, and it rained all night. Nobody knew why the {who} wept.\n\n"
    f"In the morning the {place} was gone, and the {who} with it. Only a grey feather lay in the grass."
    for who, place in (
        ("wolf", "mill"),
        ("crane", "well"),
        ("king", "barn"),
        ("girl", "shore"),
        ("fox", "hut"),
    )
]


def write_text(stories, *, contents, wrapped, gap):
    parts = [f"{title}\n\n{text}" for title, text in stories]
    if contents:
        lines = "\n".join(f"  {title}   {number}" for number, (title, _) in enumerate(stories, start=3))
        parts.insert(0, f"CONTENTS\n\n{lines}")
    text = ("\n" * (gap + 1)).join(parts)
    if wrapped:
        start, end = (f"*** {edge} OF THE PROJECT GUTENBERG EBOOK X ***" for edge in ("START", "END"))
        text = f"{start}\n\n\n\n{text}\n\n\n\n{end}"
    return ".txt", text


def write_html(stories, **_):
    body = "".join(
        f"<h2>{title}</h2>" + "".join(f"<p>{each}</p>" for each in text.split("\n\n"))
        for title, text in stories
    )
    return ".html", f"<html><body>{body}</body></html>"


def write_markdown(stories, **_):
    return ".md", "\n\n".join(f"# {title}\n\n{text}" for title, text in stories)


@pytest.mark.parametrize("write", [write_text, write_html, write_markdown])
@settings(max_examples=40, deadline=None)
@given(
    titles=st.lists(st.sampled_from(TITLES), min_size=3, max_size=5, unique=True),
    contents=st.booleans(),
    wrapped=st.booleans(),
    gap=st.integers(3, 5),
)
def test_every_story_comes_back_whole(write, titles, contents, wrapped, gap):
    stories = list(zip(titles, TALES, strict=False))
    ending, text = write(stories, contents=contents, wrapped=wrapped, gap=gap)
    document = parse_as(ending, text)
    found = [(each.title, " ".join(each.copy_scored().split())) for each in document.chapters]
    assert found == [(title, " ".join(tale.split())) for title, tale in stories]
    scored = sum(each.count_scored() for each in document.chapters)
    marked = sum(count_words(text) for _, text in document.marked)
    assert scored + marked == count_words(re.sub(r"<[^>]*>", " ", text))
