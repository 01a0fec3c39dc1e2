"""A book of tales becomes its tales, and nothing else of it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.reading.tale_books import split_tales
from tests.shared_data import find_shared

WELL = (
    "There was once a miller who had a well behind his house, and nobody drank from it.\n"
    "One evening a crane came down and asked for water, and the miller gave it a cup of\n"
    "his own beer instead. The crane thanked him and flew away over the hill.\n\n"
    '"I will come again," it said, "when the snow lies on your roof and your fire is out."\n\n'
    "And so it did, and brought him a coal in its beak, and he was never cold again."
)
GOOSE = (
    "A goose and a hedgehog shared a barn, and neither could abide the other's singing.\n"
    "They agreed that whoever was silent until the moon was round should have the barn.\n\n"
    "The goose lasted a week. The hedgehog had gone to sleep for the winter, and won."
)
KING = (
    "A king without a country walked from door to door and offered his crown for bread.\n"
    "At the seventh door a girl gave him bread and would not have the crown, because it\n"
    "was too small for her head and too heavy for her hand. So he stayed and baked."
)
PREFACE = "The tales in this book were told to me by my aunt. " * 12


def join(*parts, gap=4):
    return ("\n" * (gap + 1)).join(parts)


BOOK = join(
    "Produced by nobody in particular",
    "THE GREY-GREEN TALE BOOK\n\nEdited by A. Teller",
    f"PREFACE\n\n{PREFACE}\n\nA. T.",
    "CONTENTS\n\n The Well   1\n The Goose and the Hedgehog  4\n The King Without a Country  9\n Notes  12",
    f"THE WELL\n\n[Illustration: The crane comes\n\nto the mill.]\n\n{WELL}",
    f"THE GOOSE AND THE HEDGEHOG(1)\n\n(1) From the Lowlands. Teller.\n\n{GOOSE}\n\n       *       *       *",
    f"THE KING WITHOUT A COUNTRY\n\n{KING}\n\n(Märchen der Aue.)",
    "NOTES\n\nThe Well\n\n" + "A crane is a bird. " * 30,
    "THE GOOSE\n\n" + "The goose is known in Hungary too, see Teller, p. 12. " * 10,
)


def told(text):
    return re.findall(r"\w+", text)


def test_a_book_gives_its_tales_and_nothing_else():
    tales = split_tales(BOOK)
    assert [tale.title for tale in tales] == [
        "THE WELL",
        "THE GOOSE AND THE HEDGEHOG",
        "THE KING WITHOUT A COUNTRY",
    ]
    assert [told(tale.text) for tale in tales] == [told(text) for text in (WELL, GOOSE, KING)]


CLOSE = f"Contents\n\nThe Well\nThe Goose\n\nThe Well\n\n{WELL}\n\nThe Goose\n\n{GOOSE}"
NUMBERED = f"TWO BIRDS\n\nFIRST STORY\n\n\n{GOOSE}\n\nSECOND STORY\n\n\n{KING}"


@pytest.mark.parametrize(
    ("book", "titles"),
    [
        (
            join("My Book", f"The Well\n\n{WELL}", f"Why the Goose Sings.\n\n{GOOSE}"),
            ["The Well", "Why the Goose Sings"],
        ),
        (CLOSE, ["The Well", "The Goose"]),
        (
            join(f"THE WELL\n\n{WELL}", NUMBERED),
            ["THE WELL", "TWO BIRDS: FIRST STORY", "TWO BIRDS: SECOND STORY"],
        ),
    ],
    ids=["neither capitals nor contents", "a closely printed book with contents", "numbered stories"],
)
def test_the_titles_of_tales(book, titles):
    assert [tale.title for tale in split_tales(book)] == titles


def test_an_entry_of_the_contents_is_a_heading_with_less_space():
    contents = "Contents\n\nThe Well\n\nThe Goose\n\nThe King"
    book = join(contents, f"THE WELL\n\n{WELL}\n\n\nTHE GOOSE\n\n{GOOSE}\n\n\nTHE SNOW\n\n{KING}")
    well, goose = split_tales(book)
    assert (well.title, goose.title) == ("THE WELL", "THE GOOSE")
    assert "THE SNOW" not in goose.text  # a chapter's heading
    assert told(goose.text) == told(GOOSE) + told(KING)


def test_chapters_do_not_divide_a_tale():
    tale = f"I\n\n{WELL}\n\n\nII\n\n\n{GOOSE}\n\n\nCHAPTER III\n\n{KING}"
    (story,) = split_tales(tale)
    assert told(story.text) == told(WELL) + told(GOOSE) + told(KING)


def test_what_is_written_in_capitals_inside_a_tale_stays():
    sign = "Over the door was written:\n\nBE BOLD, BUT NOT TOO BOLD.\n\nSo she went in."
    book = join(f"THE WELL\n\n{WELL}\n\n{sign}", f"THE GOOSE\n\n{GOOSE}")
    assert "BE BOLD, BUT NOT TOO BOLD." in split_tales(book)[0].text


@pytest.mark.parametrize(
    ("added", "kept"),
    [
        ("{}\n\n[From the Hungarian.]", ""),
        ("{}\n\n(1) Teller, Tales of the Fen.", ""),
        ("{}\n\nTHE END", ""),
        ("By A. Teller\n\n{}", ""),
        ("(A Fenland Story)\n\n{}", ""),
        (
            "{}\n\n(And that is why the moon is cool to this day.)",
            "And that is why the moon is cool to this day",
        ),
        ("{}\n\nHe was _very_ glad[2] of it.*\n\n[2] Or merry.", "He was very glad of it"),
        ("{}\n\n[Pg 12]\n\n{{13}}\n\n14", ""),
    ],
)
def test_what_editors_added_goes_and_what_tellers_said_stays(added, kept):
    book = join(f"THE WELL\n\n{added.format(WELL)}", f"THE GOOSE\n\n{GOOSE}")
    assert told(split_tales(book)[0].text) == told(WELL) + told(kept)


def test_remarks_behind_the_last_tale_are_cut():
    book = join(f"THE WELL\n\n{WELL}", f"THE GOOSE\n\n{GOOSE}\n\n\n*****\n\n\nThe teller was born in a barn.")
    assert told(split_tales(book)[-1].text) == told(GOOSE)


MARK = "*** {} OF THE PROJECT GUTENBERG EBOOK WELL ***"
WRAPPED = f"The Project Gutenberg eBook\n\n{MARK}\n\n{WELL}\n\n{MARK}\n\nLicence".replace("{}", "START", 1)


@pytest.mark.parametrize(
    ("text", "title", "story"),
    [
        (f"The Well\n\n{WELL}", "The Well", WELL),
        (WELL, "", WELL),
        (WRAPPED.format("END"), "", WELL),
        ("The wolf came. It ate.", "", "The wolf came. It ate."),  # however short
        ("THERE was once a well.", "", "There was once a well."),
    ],
)
def test_one_story_is_one_text_with_its_title(text, title, story):
    (tale,) = split_tales(text)
    assert (tale.title, told(tale.text)) == (title, told(story))
    assert split_tales(" \n\n ") == ()


def test_an_open_bracket_swallows_nothing():
    (story,) = split_tales(f"{WELL}\n\n[Illustration: never closed\n\n{GOOSE}" + "\n\nMore." * 20)
    assert told(GOOSE)[-5:] == told(story.text)[-25:-20]


@given(
    st.lists(st.sampled_from([*BOOK.split("\n"), "\n", "\n\n\n", "[Footnote", "]", "IV", "***"]), max_size=40)
)
def test_any_lines_give_words_that_were_there(lines):
    text = "\n".join(lines)
    known = {word.lower() for word in told(text.replace("_", " "))}
    for tale in split_tales(text):
        assert tale.text.strip() == tale.text != ""
        assert {word.lower() for word in told(tale.text)} <= known


@given(st.text(max_size=300))
def test_any_text_at_all(text):
    for tale in split_tales(text):
        assert tale.text


TALES = {
    "blumenthal_folk_tales_from_the_russian": 9,
    "grimm_hunt": 214,  # 201 tales and 10 legends, two of which are two and three stories
    "grimm_taylor_edwardes": 64,
    "jacobs_english": 43,
    "jacobs_indian": 29,
    "lang_blue": 37,
    "lang_crimson": 36,
    "lang_grey": 35,
    "lang_red": 37,
    "lang_violet": 35,
    "lang_yellow": 48,
    "ransome_old_peters_russian": 22,
}
LEFTOVERS = re.compile(r"\[(?:illustration|footnote|from)|gutenberg|_|\*|\(\d+\)|\bpp?\. ?\d", re.IGNORECASE)


@pytest.mark.parametrize("name", TALES)
def test_real_books(name):
    text = (find_shared("folktales") / f"{name}.txt").read_text(encoding="utf-8-sig")
    tales = split_tales(text)
    assert len(tales) == TALES[name]
    kept = sum(len(tale.text.split()) for tale in tales) / len(text.split())
    assert 0.8 < kept < 0.997
    assert min(len(tale.text.split()) for tale in tales) > 100
    for tale in tales:
        assert not LEFTOVERS.search(tale.text), tale.title
        assert tale.text[-1] in ".!?”’\"')”:-", tale.title
