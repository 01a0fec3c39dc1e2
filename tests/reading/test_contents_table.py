from __future__ import annotations

from barthes.reading.contents_table import remove_contents
from barthes.reading.story_document import Block, DocumentDraft

PROSE = "It rained for three days, and on the fourth the wolf came down to the mill."


def test_a_rule_between_entries_does_not_end_a_table():
    blocks = ["Contents\nI. 1\n* * *\nII. 2", "* * *", "III. The wolf 3", PROSE]
    draft = DocumentDraft(blocks=[Block(text) for text in blocks])
    remove_contents(draft)
    assert [block.text for block in draft.blocks] == [PROSE]
    assert draft.left_out["table of contents"] == 1
