"""Plays without markup: every speech is kept and no name, whatever the form of the names."""

import pytest

from tests.reading.parsing import parse_as

CAST = "PERSONS OF THE PLAY\n\nANNA, a miller.\nMRS. GREY, her aunt.\nTHE OLD KING, without a country."
SPEECHES = [
    ("Anna", "Who is there? It is late."),
    ("Mrs. Grey", "Only the wind, child."),
    ("The Old King", "Bread for a crown!"),
    ("Anna", "The crown is too small for my head."),
    ("Mrs. Grey", "And too heavy for her hand."),
    ("The Old King", "Then I shall stay and bake."),
]
FORMS = {
    "full stop": lambda name, text: f"{name.upper()}. (_Rises._) {text}",
    "line": lambda name, text: f"{name.upper()}\n(rises) {text}",
    "paragraph": lambda name, text: f"{name.upper()}\n\n{text}",
    "italics": lambda name, text: f"_{name}._ {text}",
    "bracket": lambda name, text: f"{name.upper()} [rises]. {text}",
    "colon": lambda name, text: f"{name}: {text}",
}
DIARY = ["PARIS.", "ROME.", "PARIS.", "ROME.", "NAPLES.", "PARIS.", "ROME."]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_speeches_are_kept_without_names_and_directions(form):
    acts = [SPEECHES, SPEECHES[::-1]]
    parts = [
        "\n\n".join([f"ACT {'I' * number}", "_A mill._", "_Enter_ ANNA.", *(form(*each) for each in act)])
        for number, act in enumerate(acts, start=1)
    ]
    document = parse_as(".txt", "\n\n\n\n".join([CAST, *parts]))
    assert [each.title for each in document.chapters] == ["ACT I", "ACT II"]
    found = [" ".join(each.copy_scored().split()) for each in document.chapters]
    assert found == [" ".join(text for _, text in act) for act in acts]
    assert any("Read as a play" in note for note in document.notes)


@pytest.mark.parametrize("gap", [" ", "\n\n"], ids=["in the entry", "above it"])
def test_the_places_of_a_diary_are_no_speakers(gap):
    entries = "\n\n".join(
        f"{place}{gap}{text}" for place, (_, text) in zip(DIARY, SPEECHES * 2, strict=False)
    )
    document = parse_as(".txt", entries)
    assert document.join().copy_scored().split() == entries.split()
    assert not document.marked
