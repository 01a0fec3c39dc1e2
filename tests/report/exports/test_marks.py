from __future__ import annotations

from hypothesis import given

from barthes.narrative import Narrative
from barthes.report.exports.marks import find_paragraphs
from tests.report.profiles import profiles


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


def test_blank_lines_between_sentences_part_and_other_breaks_do_not():
    text = "A.\nB.\r\n \r\nC\n\nc.\n\t\n\nD."
    spans = tuple((text.index(s), text.index(s) + len(s)) for s in ("A.", "B.", "C\n\nc.", "D."))
    found = find_paragraphs(Narrative(text, spans))
    assert [text[start:end] for start, end in found] == ["A.\nB.", "C\n\nc.", "D."]
