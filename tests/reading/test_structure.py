"""Chapters, contents and matter in the layouts of printed books: no story loses or gains a word."""

import pytest

from tests.reading.parsing import parse_as
from tests.reading.tales import GOOSE, KING, WELL, join

START, END = (f"*** {edge} OF THE PROJECT GUTENBERG EBOOK X ***" for edge in ("START", "END"))
TALES = (WELL, GOOSE, KING)
TOPICS = "The well--A crane comes down--What the miller gave it--The coal in its beak"


def read_chapters(text, ending=".txt"):
    document = parse_as(ending, text)
    return [(each.title, " ".join(each.copy_scored().split())) for each in document.chapters]


def expect(*titles, tales=TALES):
    return [(title, " ".join(tale.split())) for title, tale in zip(titles, tales, strict=True)]


def print_book(titles, *, contents="", before="", after=""):
    stories = [f"{title}\n\n{tale}" for title, tale in zip(titles, TALES, strict=True)]
    return join(*filter(None, [START, before, contents, *stories, after, END]))


@pytest.mark.parametrize(
    "contents",
    [
        "CONTENTS\n\n  I. The Well . . . . 3\n  II. “Who Has the Barn?” . . . 5\n  III. The King . . . 9",
        "CONTENTS\n\nI. The Well\n\nII. “Who Has the Barn?”\n\nIII. The King",
        f"CONTENTS\n\nCHAPTER I\n\n  {TOPICS} 3\n\nCHAPTER II\n\n  {TOPICS} 5\n\nCHAPTER III\n\n  {TOPICS} 9",
        "",
    ],
    ids=["leaders", "set apart", "topics", "none"],
)
def test_a_title_may_follow_the_number_of_a_chapter(contents):
    headings = ["CHAPTER I.\nTHE WELL", "CHAPTER II.\n“WHO HAS THE BARN?”", "CHAPTER III.\nTHE KING"]
    found = read_chapters(print_book(headings, contents=contents))
    assert [text for _, text in found] == [text for _, text in expect(1, 2, 3)]
    assert found[0][0] == "CHAPTER I: THE WELL"


@pytest.mark.parametrize("contents", [True, False])
@pytest.mark.parametrize("word", ["PART", "BOOK", "VOLUME"])
def test_numbers_may_start_again_in_each_part(word, contents):
    headings = [f"{word} ONE\n\nTHE MILL\n\n\n\n\nCHAPTER I", "CHAPTER II", f"{word} TWO\n\n\n\n\nCHAPTER I"]
    listed = f"CONTENTS\n\n{word} ONE THE MILL\n  CHAPTER I\n  CHAPTER II\n{word} TWO\n  CHAPTER I"
    part = f"{word} ONE: THE MILL"
    assert read_chapters(print_book(headings, contents=listed if contents else "")) == expect(
        f"{part}: CHAPTER I", f"{part}: CHAPTER II", f"{word} TWO: CHAPTER I"
    )


def test_a_listed_chapter_with_references_is_text():
    study = "\n\n".join(f"{TALES[0]} See Grimm, vol. ii. p. {page}, and cf. ed. 1849." for page in range(5))
    text = print_book(["INTRODUCTION", "THE FAIRIES", "THE KING"], after=f"SOURCES OF THE LEGENDS\n\n{study}")
    contents = "CONTENTS\n\nINTRODUCTION 1\nTHE FAIRIES 9\nTHE KING 12\nSOURCES OF THE LEGENDS 20"
    found = read_chapters(text.replace(START, f"{START}\n\n\n\n\n{contents}"))
    assert [title for title, _ in found][::3] == ["INTRODUCTION", "SOURCES OF THE LEGENDS"]
    assert found[-1][1] == " ".join(study.split())


def test_what_transcribers_and_publishers_add_at_the_end_is_marked():
    remarks = "Transcriber's Notes:\n\nPage 12: “teh” changed to “the”.\n\nPage 40: full stop added."
    catalogue = "BY THE SAME AUTHOR\n\nThe Other Book. Crown 8vo, 6s.\n\nThe Third Book. Cloth, 3s. 6d."
    found = read_chapters(print_book(["WELL", "GOOSE", "KING"], after=join("THE END", catalogue, remarks)))
    assert found == expect("WELL", "GOOSE", "KING")


def test_lines_that_the_contents_link_to_are_headings():
    links = "".join(f'<p><a href="#c{number}">Tale {number}</a></p>' for number in range(3))
    lines = ("I.</p><p>THE WELL", "II.</p><p>THE GOOSE", "III.</p><p>THE KING")
    stories = "".join(
        f'<p><a id="c{number}"></a>{line}</p>' + "".join(f"<p>{each}</p>" for each in tale.split("\n\n"))
        for number, (line, tale) in enumerate(zip(lines, TALES, strict=True))
    )
    found = read_chapters(f"<body><h2>CONTENTS</h2>{links}{stories}</body>", ".html")
    assert found == expect("I: THE WELL", "II: THE GOOSE", "III: THE KING")


def test_stories_under_the_heading_of_a_preface_are_text():
    stories = "".join(f"<h3>{number}</h3><p>{tale}</p>" for number, tale in enumerate(TALES, start=1))
    preface = f"<h2>PREFACE</h2><p>{KING}</p>"
    found = read_chapters(f"<body><p>{START}</p><h2>THE BOOK</h2>{preface}{stories}</body>", ".html")
    assert found[-3:] == expect("1", "2", "3")


@pytest.mark.parametrize("gap", [" ", "\n", "\n\n"])
def test_long_headings_in_capitals_follow_their_numbers(gap):
    title = "IN WHICH A CRANE COMES DOWN TO THE WELL,\nAND IS GIVEN BEER, AND FLIES AWAY OVER THE HILL"
    found = read_chapters(print_book([f"CHAPTER {number}.{gap}{title}" for number in ("I", "II", "III")]))
    assert [text for _, text in found] == [text for _, text in expect(1, 2, 3)]


def test_prose_on_the_line_after_a_number_is_text():
    tales = [f"CHAPTER {number}\n{tale}" for number, tale in zip(("I", "II", "III"), TALES, strict=True)]
    found = read_chapters(join(START, *tales, END))
    assert " ".join(text for _, text in found).endswith(" ".join(KING.split()))
    assert all(" ".join(tale.split()) in " ".join(text for _, text in found) for tale in TALES)
