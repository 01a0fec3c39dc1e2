from __future__ import annotations

from barthes.reading.blocks import Block, Gathering
from barthes.reading.contents import leave_out_contents

PROSE = "It rained for three days, and on the fourth the wolf came down to the mill."


def test_a_rule_between_entries_does_not_end_a_table():
    blocks = ["Contents\nI. 1\n* * *\nII. 2", "* * *", "III. The wolf 3", PROSE]
    gathering = Gathering(blocks=[Block(text) for text in blocks])
    leave_out_contents(gathering)
    assert [block.text for block in gathering.blocks] == [PROSE]
    assert gathering.left_out["table of contents"] == 1
