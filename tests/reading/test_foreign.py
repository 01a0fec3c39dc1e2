"""Books that nobody made for Barthes, with expectations from reading the files."""

import json
import re
from html import escape
from pathlib import Path

import pytest

from barthes.reading import parse_document, read_chapters
from tests.reading.parsing import parse_as
from tests.shared_data import find_shared

DATA = Path(__file__).parent / "data"
EXPECTED = json.loads((DATA / "foreign.json").read_text(encoding="utf-8"))
BOOKS = json.loads((DATA / "folktales.json").read_text(encoding="utf-8"))
STORIES = json.loads((DATA / "stories.json").read_text(encoding="utf-8"))
HEAD, FOOT = (f"*** {edge} OF THE PROJECT GUTENBERG EBOOK X ***" for edge in ("START", "END"))


def parse(path):
    return parse_document(path.read_bytes(), where=path.name, name=path.name)


@pytest.mark.parametrize("ending", ["txt", "htm"])
def test_legends_are_whole(ending):
    document = parse(find_shared(f"foreign/legend_land.{ending}"))
    words = {each.title: each.count_scored() for each in document.chapters}
    assert len(words) == EXPECTED["legend_land"]["stories"]
    assert EXPECTED["legend_land"]["words"].items() <= words.items()


def test_plain_text_and_html_give_the_same_sentences():
    found = []
    for ending in ("txt", "htm"):
        stories = read_chapters(find_shared(f"foreign/legend_land.{ending}"), title="")
        found.append([[re.sub(r"[\W_]", "", str(each)).lower() for each in story] for story in stories])
    assert found[0] == found[1]


def test_plays_keep_speeches_and_no_names():
    document = parse(find_shared("foreign/icelandic_plays.txt"))
    expected = EXPECTED["icelandic_plays"]
    assert [each.title for each in document.chapters] == expected["chapters"]
    stories = read_chapters(find_shared("foreign/icelandic_plays.txt"), title="")
    assert str(stories[0][0]) == "Ho! ho!" or expected["first"].startswith(str(stories[0][0]))
    names = {f"{name}." for name in expected["speakers"]}
    assert not [str(each) for story in stories for each in story if str(each).strip("_") in names]


@pytest.mark.parametrize("name", BOOKS)
def test_collections_are_whole(name):
    expected, document = BOOKS[name], parse(find_shared(f"folktales/{name}.txt"))
    words = {each.title: each.count_scored() for each in document.chapters}
    assert expected["words"].items() <= words.items()
    titles = [each.title for each in document.chapters]
    first, last = titles.index(next(iter(expected["words"]))), titles.index(expected["last_title"])
    assert last - first + 1 == expected["stories"]
    opening, ending = (" ".join(document.chapters[place].copy_scored().split()) for place in (first, last))
    assert opening.startswith(expected["first"])
    assert expected["last"] in ending[-300:]


def normalize(title):
    """Return a title without its number and its note, as the contents of the books print it."""
    return re.findall(r"[^\W_]+", re.sub(r"^\d+\. |[(\[]\d+[)\]]", "", title).lower())


@pytest.mark.parametrize("name", STORIES)
def test_every_listed_story_is_whole(name):
    """The number of words and the first and the last five, counted in the file between its headings."""
    document = parse(find_shared(f"folktales/{name}.txt"))
    found = {tuple(normalize(each.title)): each for each in document.chapters}
    for title, (count, first, last) in STORIES[name].items():
        words = re.findall(r"[^\W_]+", found[tuple(normalize(title))].copy_scored())
        assert (len(words), words[:5], words[-5:]) == (count, first.split(), last.split()), title


def write_novel(chapters, ending):
    """Return a novel as Project Gutenberg publishes it, in plain text or as a page."""
    if ending == ".txt":
        parts = [f"{title}\n\n{text}" for title, text in chapters]
        contents = "CONTENTS\n\n" + "\n".join(f" {title}" for title, _ in chapters)
        return "\n\n\n\n\n".join([HEAD, "THE NOVEL\n\nBY\n\nA. TELLER", contents, *parts, FOOT])
    links = "".join(f'<p><a href="#c{n}">{title}</a></p>' for n, (title, _) in enumerate(chapters))
    body = "".join(
        f'<h2 id="c{n}">{title}</h2>' + "".join(f"<p>{escape(each)}</p>" for each in text.split("\n\n"))
        for n, (title, text) in enumerate(chapters)
    )
    front = f"<p>{HEAD}</p><h1>THE NOVEL</h1><p>BY</p><p>A. TELLER</p><h2>CONTENTS</h2><div>{links}</div>"
    return f"<html><body>{front}{body}<p>{FOOT}</p></body></html>"


def test_a_novel_has_the_same_chapters_as_text_and_as_a_page():
    book = parse(find_shared("folktales/lang_yellow.txt")).chapters[:30]
    chapters = [
        (f"CHAPTER {number}", each.copy_scored().replace("_", "").strip())
        for number, each in enumerate(book, 1)
    ]
    found = []
    for ending in (".txt", ".htm"):
        document = parse_as(ending, write_novel(chapters, ending))
        found.append([(each.title, each.copy_scored().split()) for each in document.chapters])
    assert found[0] == found[1] == [(title, text.split()) for title, text in chapters]
