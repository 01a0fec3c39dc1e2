from __future__ import annotations

from hypothesis import given

from barthes.narrative import Narrative
from barthes.report.exports.paragraphs import find_paragraphs
from tests.report.exports.stories import profiles


@given(profiles())
def test_paragraphs_hold_all_text_and_no_part_of_a_sentence(profile):
    narrative = profile.narrative
    paragraphs = find_paragraphs(narrative)
    position = 0
    for start, end in paragraphs:
        assert not narrative.text[position:start].strip()
        assert narrative.text[start:end].strip() == narrative.text[start:end] != ""
        position = end
    assert not narrative.text[position:].strip()
    for start, end in narrative.spans:
        assert any(first <= start and end <= last for first, last in paragraphs)


def test_blank_lines_of_every_kind_part_and_single_breaks_do_not():
    text = "A.\nB.\r\n \r\nC.\n\t\n\nD."
    spans = tuple((text.index(letter), text.index(letter) + 2) for letter in "ABCD")
    found = find_paragraphs(Narrative(text, spans))
    assert [text[start:end] for start, end in found] == ["A.\nB.", "C.", "D."]


def test_a_sentence_is_not_torn_by_a_blank_line_in_it():
    text = "A wolf\n\ncame."
    assert find_paragraphs(Narrative(text, ((0, len(text)),))) == ((0, len(text)),)
