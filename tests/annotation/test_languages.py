from __future__ import annotations

import pytest

from barthes.annotation.languages import _NAMES, known_languages, resolve_language
from barthes.errors import UnknownNameError


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


def test_a_misspelt_name_is_told_its_code():
    with pytest.raises(UnknownNameError, match=r"Did you mean 'de' \(German\)\? There are: af, "):
        resolve_language("germn")
    with pytest.raises(UnknownNameError, match=r"no language 'klingon'\. There are: af, "):
        resolve_language("klingon")
