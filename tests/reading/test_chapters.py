"""Headings, chapters and tables of contents among the blocks of a text."""

from __future__ import annotations

from barthes.reading.contents_table import remove_contents
from barthes.reading.document import Block, DocumentDraft
from barthes.reading.headings import mark_headings
from barthes.reading.titles import to_number

PROSE = "It rained for three days, and on the fourth the wolf came down to the mill."


def test_bare_numbers_count_up_from_one():
    blocks = [Block(text) for text in ("7", "Seven.", "1", "One.", "3", "Three.", "2", "Two.")]
    draft = DocumentDraft(blocks=blocks)
    mark_headings(draft)
    assert [block.text for block in draft.blocks if block.level] == ["1", "2"]


def test_roman_numbers():
    numbers = ("I", "IV", "IX", "XLII", "XCIX", "CCC", "IIII", "VX", "IIX", "", "M", "12")
    assert [to_number(each) for each in numbers] == [1, 4, 9, 42, 99, 300, None, None, None, None, None, 12]


def test_a_rule_between_entries_does_not_end_a_table():
    blocks = ["Contents\nI. 1\n* * *\nII. 2", "* * *", "III. The wolf 3", PROSE]
    draft = DocumentDraft(blocks=[Block(text) for text in blocks])
    remove_contents(draft)
    assert [block.text for block in draft.blocks] == [PROSE]
    assert draft.left_out["table of contents"] == 1


def test_the_title_of_a_column_is_no_entry():
    blocks = ["CONTENTS", "PAGE\nThe Wolf 1\nThe Page 12", "CHAPTER  PAGE", PROSE]
    draft = DocumentDraft(blocks=[Block(text) for text in blocks])
    remove_contents(draft)
    assert draft.contents == [["CONTENTS"], ["The Wolf 1", "The Page 12"], []]
