"""Books that nobody made for Barthes, with expectations from reading the files."""

import json
import re
from pathlib import Path

import pytest

from barthes.reading import parse_document, read_chapters
from tests.shared_data import find_shared

EXPECTED = json.loads((Path(__file__).parent / "data" / "foreign.json").read_text(encoding="utf-8"))


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
