"""One event of a sentence goes, the others stay."""

from __future__ import annotations

import pytest

from barthes.annotation.annotator import annotate
from barthes.errors import NarrativeError
from barthes.narrative import Narrative
from barthes.removal.single_events import remove_single_events


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (False, ["A wolf did and ate a sheep.", "A wolf came and did a sheep.", "The girl did."]),
        (True, ["Something did and ate a sheep.", "Someone came and did something.", "Someone did."]),
    ],
)
def test_one_removal_an_event(arguments, expected):
    story = Narrative.from_sentences(["A wolf came and ate a sheep.", "The girl slept."])
    events, removals = remove_single_events(story, annotate(story), arguments=arguments)
    assert [index for index, _ in events] == [removed.index for removed in removals] == [0, 0, 1]
    assert len({removed.text for removed in removals}) == 3
    assert [removed.text for removed in removals] == expected


def test_a_story_without_events_is_refused():
    story = Narrative.from_sentences(["Snow everywhere."], title="snow.txt")
    with pytest.raises(NarrativeError, match=r"snow.txt.*no event.*barthes show"):
        remove_single_events(story, annotate(story), arguments=False)
