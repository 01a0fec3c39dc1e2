import pytest

from barthes.evaluation.corpus import LabelledNarrative
from barthes.narrative import Narrative

STORY = Narrative.from_sentences(["It rained.", "The wolf came."])


def test_labels_and_grades_are_as_long_as_the_narrative():
    story = LabelledNarrative("wolf", STORY, (False, True))
    assert (story.labels, story.grades) == ((False, True), (0.0, 1.0))
    assert LabelledNarrative("wolf", STORY, (False, True), (0.25, 0.75)).grades == (0.25, 0.75)
    with pytest.raises(ValueError, match="1 labels for 2 sentences"):
        LabelledNarrative("wolf", STORY, (True,))
    with pytest.raises(ValueError, match="1 grades for 2 sentences"):
        LabelledNarrative("wolf", STORY, (False, True), (0.5,))
    with pytest.raises(ValueError, match="1 votes for 2 sentences"):
        LabelledNarrative("wolf", STORY, (False, True), votes=((True, False),))


@pytest.mark.parametrize("wrong", [1.5, -0.1, float("nan")])
def test_grades_are_from_0_to_1(wrong):
    with pytest.raises(ValueError, match="from 0 to 1"):
        LabelledNarrative("wolf", STORY, (False, True), (0.5, wrong))
