"""The stories of a collection are found by its contents, numbers and layout, and none is invented."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

import pytest

from barthes.reading import narrate_chapters
from barthes.reading.plain_text import parse
from barthes.reading.titles import is_matter, normalize_title
from tests.reading.test_tale_books import GOOSE, KING, WELL
from tests.shared_data import find_shared

TALES = {"The Well": WELL, "The Goose and the Hedgehog": GOOSE, "The King Without a Country": KING}
TITLES = list(TALES)


def lay_out(heading, *, before="\n\n\n\n", after="\n\n"):
    """A book of the three tales; `heading` sets a title, given its number."""
    tales = (heading(number, title) + after + text for number, (title, text) in enumerate(TALES.items(), 1))
    return before.join(tales)


def number_parts(text):
    """Number the paragraphs of a tale as its parts."""
    numerals = "I II III IV".split()
    return "\n\n".join(f"{n}.\n\n{part}" for n, part in zip(numerals, text.split("\n\n"), strict=False))


PAGES = "CONTENTS\n\n" + "\n".join(
    f"{title} {'.' * (40 - len(title))} {n * 7}" for n, title in enumerate(TITLES)
)
ROMAN = "CONTENTS\n\nI. THE WELL II. THE GOOSE AND THE HEDGEHOG III. THE KING\nWITHOUT A COUNTRY"
RESTARTING = "\n\n".join(f"{title}\n\n{number_parts(text)}" for title, text in TALES.items())
LAYOUTS = {
    "contents with pages": (
        f"TALES\n\n{PAGES}\n\n" + lay_out(lambda _, title: title, before="\n\n"),
        "the table of contents, 3 of 3 entries (confidence: high)",
    ),
    "contents on running lines": (
        f"{ROMAN}\n\n" + lay_out(lambda _, title: title.upper(), before="\n\n"),
        "the table of contents, 3 of 3 entries (confidence: high)",
    ),
    "contents at the end, spelled differently": (
        lay_out(lambda _, title: title.replace("oo", "o")) + f"\n\n\n\n{PAGES}",
        "the table of contents, 3 of 3 entries (confidence: high)",
    ),
    "capitals": (
        lay_out(lambda _, title: title.upper(), before="\n\n\n"),
        "lines in capitals set apart by blank lines (confidence: medium)",
    ),
    "capitals without more space": (
        lay_out(lambda _, title: title.upper(), before="\n\n"),
        "lines in capitals (confidence: low)",
    ),
    "blank lines": (
        lay_out(lambda _, title: title),
        "lines set apart by blank lines (confidence: medium)",
    ),
    "two blank lines": (
        lay_out(lambda _, title: title, before="\n\n\n"),
        "titles set apart by blank lines (confidence: medium)",
    ),
    "centred": (
        lay_out(lambda _, title: title.center(84).rstrip(), before="\n\n"),
        "centred lines (confidence: low)",
    ),
    "numerals that start again": (
        RESTARTING,
        "titles, under which the numbers start again (confidence: high)",
    ),
    "numbered titles": (
        lay_out(lambda number, title: f"{number}. {title}", before="\n\n"),
        "numbered titles (confidence: high)",
    ),
    "numbered titles and parts": (
        "\n\n".join(
            f"{n}. {title}\n\n{number_parts(TALES[title])}"
            for n, title in zip(["I", "II", "III"], TITLES, strict=True)
        ),
        "titles, under which the numbers start again (confidence: high)",
    ),
    "underlined": (
        lay_out(lambda _, title: f"{title}\n{'-' * len(title)}", before="\n\n", after="\n"),
        "underlined or marked lines (confidence: high)",
    ),
    "Markdown in plain text": (
        lay_out(lambda _, title: f"## {title}", before="\n\n"),
        "underlined or marked lines (confidence: high)",
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_stories_of_a_collection(layout):
    text, how = LAYOUTS[layout]
    document = parse(text.encode(), where="x")
    names = [normalize_title(chapter.title) for chapter in document.chapters]
    expected = [normalize_title(title) for title in TITLES]
    assert [name.replace("gose", "goose") for name in names] == expected
    assert document.division == f"found by {how}"
    words = [chapter.text.split()[-1] for chapter in document.chapters]
    assert words == [text.split()[-1] for text in TALES.values()]


@pytest.mark.parametrize("heading", ["Chapter {}", "CHAPTER {}: THE FOG", "{}."])
def test_chapters_of_a_novel(heading):
    text = lay_out(lambda number, _: heading.format(number))
    document = parse(text.encode(), where="x")
    assert [chapter.title for chapter in document.chapters] == [heading.format(n) for n in (1, 2, 3)]
    first, *_ = narrate_chapters(document)
    assert first.notes[-1] == "3 chapters found by their numbers (confidence: high)."


def test_numbers_that_start_again_without_titles_are_noted():
    text = "\n\n".join(number_parts(text) for text in (WELL, GOOSE))
    document = parse(text.encode(), where="x")
    assert [chapter.title for chapter in document.chapters] == ["I.", "II.", "III.", "I.", "II."]
    assert (
        document.division
        == "found by their numbers, which start again once without a title (confidence: low)"
    )


def test_chapters_that_start_again_belong_to_titled_parts():
    one = "THE OLD HOUSE\n\n\nChapter 1\n\n" + WELL + "\n\n\nChapter 2\n\n" + GOOSE
    two = "THE NEW HOUSE\n\n\nChapter 1\n\n" + KING + "\n\n\nChapter 2\n\n" + WELL
    document = parse(f"{one}\n\n\n\n\n{two}".encode(), where="x")
    parts = ["THE OLD HOUSE", "THE NEW HOUSE"]
    expected = [f"{part}: Chapter {number}" for part in parts for number in (1, 2)]
    assert [chapter.title for chapter in document.chapters] == expected


WHOLE = {
    "one tale": f"The Well\n\n{WELL}",
    "a shouted line": f"{WELL}\n\nHELP ME\n\n{GOOSE}",
    "signs": f"{WELL}\n\nBE BOLD\n\n{GOOSE}\n\nBE BOLD\n\n{KING}\n\nBE BOLD\n\n{WELL}",
    "a letter": f"Dear Mother\n\n{WELL}\n\n{GOOSE}\n\n{'Your Daughter Anna':>70}\n\n{KING}",
    "a list": f"{WELL}\n\n1. Bread\n\n2. Salt\n\n3. Beer\n\n{GOOSE}",
    "stars": f"{WELL}\n\n\n* * *\n\n\n{GOOSE}\n\n\n* * *\n\n\n{KING}",
    "the end": f"THE WELL\n\n\n{WELL}\n\n{GOOSE}\n\n\n\nTHE END\n\n\n\n{KING}",
}


@pytest.mark.parametrize("name", WHOLE)
def test_no_story_is_invented(name):
    document = parse(WHOLE[name].encode(), where="x")
    assert len(document.chapters) == 1
    assert document.division == ""


def test_prefaces_and_notes_are_left_out_of_the_chapters():
    preface = "PREFACE\n\n" + "These tales were told to me by my aunt. " * 9
    notes = "NOTES\n\n" + "A crane is a bird. " * 9 + "\n\nThe Well\n\nA well is a hole in the ground."
    text = f"{preface}\n\n\n\n{lay_out(lambda _, title: title)}\n\n\n\n{notes}"
    document = parse(text.encode(), where="x")
    assert [chapter.title for chapter in document.chapters] == TITLES
    assert document.left_out["part of the front or back matter"] == 2
    assert document.chapters[-1].text.endswith("So he stayed and baked.")


# The lists of contents of the books are the truth. Where the text was read and has other headings, or where
# the list is garbled, it is corrected here: by titles that are not listed, and by lines that list no story.
UNLISTED = {
    "lang_grey": ["the bear", "the daughter of buk ettemsuch"],  # on the lines of other entries
    "ransome_old_peters_russian": ["baba yaga and the little girl with the kind heart"],
}
NOT_STORIES = {
    "grimm_hunt": ["children s legends"],
    "grimm_taylor_edwardes": [
        "the juniper tree",  # listed twice: the second is a line of the tale
        "the adventures of chanticleer and partlet",  # the title of two tales
        *("first story", "second story"),
    ],
    "jacobs_indian": ["page"],
}
BOOKS = (
    "blumenthal_folk_tales_from_the_russian grimm_hunt grimm_taylor_edwardes jacobs_english jacobs_indian "
    "lang_blue lang_crimson lang_grey lang_red lang_violet lang_yellow ransome_old_peters_russian"
).split()
CONTENTS = re.compile(r"^ *(?:THE TABLE OF )?CONTENTS:? *$\n(.*?)\n\n\n\n(?=\S)", re.M | re.S | re.I)


def list_entries(name, text):
    """The titles that a book lists, read from its lines without the code under test."""
    table = CONTENTS.search(text)[1]
    if name.startswith("blumenthal"):
        table = text.partition("\nFOLK TALES\n\nThe")[2].partition("A LIST")[0]
    if name == "jacobs_english":
        lines = re.split(r"\b[IVXL]+\.\s", " ".join(table.split("NOTES")[0].split()))
    elif name in ("jacobs_indian", "ransome_old_peters_russian"):
        lines = [" ".join(part.split()) for part in table.split("\n\n")]
    else:
        lines = table.split("\n")
    titles = [normalize_title(line) for line in lines if line.strip() and not is_matter(line)]
    ignored = NOT_STORIES.get(name, [])
    return [
        title
        for index, title in enumerate(titles)
        if title and (title not in ignored or title in titles[index + 1 :])
    ]


def evaluate(name, text, listed):
    """Return how many stories a book lists, how many chapters are found, and how many of them are stories.

    A title that is spelled differently counts where it stands in the place of its entry.
    """
    found = []
    for chapter in parse(text.encode(), where=name).chapters:
        title = normalize_title(chapter.title.partition(": ")[0])
        if found[-1:] != [title]:  # the first and second story under one title
            found.append(title)
    hits = sum(
        min(i2 - i1, j2 - j1)
        for _, i1, i2, j1, j2 in SequenceMatcher(None, listed, found, autojunk=False).get_opcodes()
    )
    unlisted = sum(title in found for title in UNLISTED.get(name, []))
    return len(listed) + len(UNLISTED.get(name, [])), len(found), hits + unlisted


@pytest.mark.parametrize("has_contents", [True, False])
@pytest.mark.parametrize("name", BOOKS)
def test_the_stories_of_real_books(name, has_contents):
    text = (find_shared("folktales") / f"{name}.txt").read_text(encoding="utf-8-sig")
    entries = list_entries(name, text)
    listed, found, hits = evaluate(name, text if has_contents else CONTENTS.sub("", text, count=1), entries)
    print(f"{name}: recall {hits / listed:.3f}, precision {hits / found:.3f} of {listed}")
    assert hits >= 0.95 * listed
    assert hits >= 0.99 * found
