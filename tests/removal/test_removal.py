from barthes.narrative import Narrative
from barthes.removal.removal import Removed, delete_sentences


def test_each_sentence_is_deleted_separately():
    story = Narrative.from_sentences(["It rained.", "Alas!", "The wolf came."])
    assert delete_sentences(story) == [Removed(0, ""), Removed(1, ""), Removed(2, "")]
