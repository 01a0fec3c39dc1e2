"""No word of a file is lost: it is in a chapter, or marked and counted; and stories come back whole."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.reading.document import MARKS, count_words
from tests.reading.parsing import parse_as
from tests.reading.writers import WRITERS, write_text

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
CHOSEN = st.lists(st.sampled_from(TITLES), min_size=3, max_size=5, unique=True)


def check(stories, ending, data, *, other=0):
    """Assert that the stories are the chapters, and that the document has as many words and `other` ones."""
    document = parse_as(ending, data)
    found = [(each.title, " ".join(each.copy_scored().split())) for each in document.chapters]
    assert found == [(title, " ".join(tale.split())) for title, tale in stories]
    scored = sum(each.count_scored() for each in document.chapters)
    marked = sum(count_words(text) for _, text in document.marked)
    assert scored + marked == sum(count_words(f"{title} {tale}") for title, tale in stories) + other


@settings(max_examples=40, deadline=None)
@given(titles=CHOSEN, contents=st.booleans(), wrapped=st.booleans(), gap=st.integers(3, 5))
def test_plain_text_comes_back_whole(titles, contents, wrapped, gap):
    stories = list(zip(titles, TALES, strict=False))
    ending, data = write_text(stories, contents=contents, wrapped=wrapped, gap=gap)
    told = sum(count_words(f"{title} {tale}") for title, tale in stories)
    check(stories, ending, data, other=count_words(data.decode()) - told)


@pytest.mark.parametrize("write", WRITERS)
@settings(max_examples=20, deadline=None)
@given(titles=CHOSEN)
def test_every_format_comes_back_whole(write, titles):
    stories = list(zip(titles, TALES, strict=False))
    ending, data = write(stories)
    check(stories, ending, data, other=data.count(b"/Type /Page "))  # pages of a PDF have numbers


PLAY = """Title: The Mill

*** START OF THE PROJECT GUTENBERG EBOOK THE MILL ***

THE MILL

by A. Teller


CONTENTS

  ACT I . . . . 1
  ACT II . . . . 9


ACT I

_Enter_ ANNA.

ANNA. (_Rises._) Who is there?[1]

[Footnote 1: Nobody.]

BEN. Only the wind.

[Illustration: The mill.]


ACT II

12

ANNA. It rained all night.

13

BEN. And the mill is gone.

14

ANNA. So it is.

*** END OF THE PROJECT GUTENBERG EBOOK THE MILL ***

Terms of use."""


@pytest.mark.parametrize("kind", MARKS)
def test_words_of_each_kind_are_scored_on_request(kind):
    kept = parse_as(".txt", PLAY, keep=[kind])
    document = parse_as(".txt", PLAY)
    marked = sum(count_words(text) for each, text in document.marked if each == kind)
    assert marked
    assert kind not in {each for each, _ in kept.marked}
    scored = (sum(part.count_scored() for part in each.chapters) for each in (document, kept))
    assert next(scored) + marked == next(scored)
