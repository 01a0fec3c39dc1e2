from __future__ import annotations

import pytest

from barthes.annotation.languages import _NAMES, known_languages, resolve_language
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
    ("story", "language", "note"),
    [
        (GERMAN, None, "does not look like English"),
        (GERMAN, "en", "does not look like English"),
        (GERMAN, "de", None),
        (ENGLISH, "de", "looks like English but was read as 'de'"),
        (DUTCH, "nl", None),
    ],
)
def test_a_language_that_does_not_fit_is_noted_even_if_it_was_given(tmp_path, story, language, note):
    path = tmp_path / "story.txt"
    path.write_text(story, encoding="utf-8")
    notes = read(path, language=language).notes
    assert note in notes[0] if note else notes == ()


def test_a_language_that_the_file_declares_wrongly_is_noted(tmp_path):
    path = tmp_path / "story.html"
    path.write_text(f'<html lang="en"><body><p>{GERMAN}</p></body></html>', encoding="utf-8")
    assert "does not look like English" in read(path).notes[0]
