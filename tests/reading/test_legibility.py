from __future__ import annotations

import runpy
from pathlib import Path

import pytest
import spacy.lang

from barthes.reading.legibility import is_garbled, lacks_vowels

EXAMPLES = sorted(Path(spacy.lang.__path__[0]).glob("*/examples.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.parent.name for path in EXAMPLES])
def test_text_in_any_language_is_legible(path):
    """spaCy has some sentences in each of its languages."""
    text = " ".join(runpy.run_path(path)["sentences"])
    assert not is_garbled(text)
    assert not lacks_vowels(text)


@pytest.mark.parametrize(
    "text",
    [
        "ðə nɔːθ wɪnd ənd ðə sʌn wɜː dɪspjuːtɪŋ wɪtʃ wəz ðə strɒŋɡə wɛn ə trævlə keɪm əlɒŋ. " * 3,
        "ខ្ញុំ\u200bទៅ\u200bផ្សារ\u200bទិញ\u200bត្រី\u200b" * 20,
        "می\u200cخواهم به خانه\u200cام بروم و کتاب\u200cهایم را بخوانم. " * 9,
        "The iPhone-user said “No!” at 3:15 p.m. (GMT+1); “$5/day?” “No.” … ‘Yes!’ " * 5,
    ],
    ids=["phonetic", "Khmer with spaces of no width", "Persian with joiners", "much punctuation"],
)
def test_unusual_text_is_legible(text):
    assert not is_garbled(text)


@pytest.mark.parametrize(
    "text",
    [
        "(cid:12)(cid:7) (cid:31)(cid:2)" * 9,
        "/g12/g45/g7 " * 9,
        "\ue001\ue045 \ue007" * 9,
        '!"# %&\'( %#)* *"+&,-" ' * 9,
    ],
)
def test_what_fonts_leave_is_garbled(text):
    assert is_garbled(text)
