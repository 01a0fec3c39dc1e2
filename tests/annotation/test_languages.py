from __future__ import annotations

import pytest

from barthes.annotation.languages import _NAMES, doubt_english, known_languages, resolve_language
from barthes.errors import UnknownNameError
from barthes.reading import read

GERMAN = (
    "Es war einmal eine arme Witwe, die lebte einsam in einem Haus am Wald, und davor war ein alter Garten."
)
DUTCH = "Er was eens een koning die een dochter had, en ze was zo mooi dat de zon zelf zich verwonderde."
ENGLISH = (
    "There was once a poor widow who lived in a lonely cottage, and in front of it was a garden of roses."
)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("german", "de"),
        (" French ", "fr"),
        ("Ancient Greek", "grc"),
        ("lower-sorbian", "dsb"),
        ("pt_BR", "pt"),
    ],
)
def test_codes_and_english_names(name, code):
    assert resolve_language(name) == code


def test_every_language_of_spacy_has_a_name():
    assert known_languages() - {"xx"} <= set(_NAMES.values())


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("germn", r"Did you mean 'de' \(German\)\? There are: af, "),
        ("klingon", r"no language 'klingon'\. There are: af, "),
        ("", "no language ''"),
    ],
)
def test_an_unknown_name_gets_a_suggestion(name, message):
    with pytest.raises(UnknownNameError, match=message):
        resolve_language(name)


@pytest.mark.parametrize(
    ("story", "doubted"), [(GERMAN, True), (DUTCH, True), (ENGLISH, False), ("Wolf. Sheep. Rain.", False)]
)
def test_texts_that_hardly_look_english_are_noted(story, doubted):
    assert (doubt_english(story) is not None) == doubted


def test_the_note_is_left_out_when_the_language_is_given(tmp_path):
    path = tmp_path / "story.txt"
    path.write_text(GERMAN, encoding="utf-8")
    assert any("does not look like English" in note for note in read(path).notes)
    assert read(path, language="en").notes == ()
