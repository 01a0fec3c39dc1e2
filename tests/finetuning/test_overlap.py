"""What must stay unseen is not in the training texts."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.finetuning.overlap import FEWEST_RUNS, LARGEST_SHARE, RUN, find_overlaps, leave_out
from barthes.finetuning.texts import gather_texts
from barthes.finetuning.training_text import Texts, TrainingText, hash_text
from barthes.models.embedded import FOLKTALE
from tests.finetuning.shared_data import find_shared

STORY = (
    "A king without a country walked from door to door and offered his crown for bread. At the seventh door "
    "a girl gave him bread and would not have the crown, because it was too small for her head."
)
OTHER = (
    "Once upon a time there lived an old man. He had a boat with three sails, and every sail was torn in two."
)


def text(content, name="a"):
    return TrainingText(name, content)


def count_slowly(first, second, words):
    """The other's runs that stand in the text, by looking for each in all of it."""
    texts = [re.findall(r"[^\W\d_]+", each.lower()) for each in (first, second)]
    runs = [{tuple(each[i : i + words]) for i in range(len(each) - words + 1)} for each in texts]
    return len(runs[0] & runs[1]), min(map(len, runs))


def test_a_copy_shares_everything():
    (overlap,) = find_overlaps([text(STORY.upper())], [text(STORY, "b")])
    assert (overlap.text, overlap.other, overlap.share) == ("a", "b", 1.0)
    assert len(overlap.example.split()) == len(re.findall(r"\w+", STORY))


def test_other_stories_share_nothing():
    assert find_overlaps([text(STORY)], [text(OTHER)]) == []


def test_the_example_is_the_longest_passage():
    told = (
        "From door to door and offered his hat. Later the girl gave him bread and would not have the crown."
    )
    (overlap,) = find_overlaps([text(told)], [text(STORY, "b")], words=4)
    assert overlap.example == "girl gave him bread and would not have the crown"


@given(
    st.lists(st.sampled_from("wolf well came went ate 3 , the".split()), max_size=60).map(" ".join),
    st.lists(st.sampled_from("wolf well came went ate 3 , the".split()), max_size=60).map(" ".join),
    st.integers(1, 5),
)
def test_counts_agree_with_the_slow_way(first, second, words):
    shared, total = count_slowly(first, second, words)
    found = find_overlaps([text(first)], [text(second, "b")], words=words)
    assert [(each.shared, each.share) for each in found] == ([(shared, shared / total)] if shared else [])


def test_a_run_has_a_word():
    with pytest.raises(ValueError, match="at least one word"):
        find_overlaps([text(STORY)], [text(OTHER)], words=0)


def test_leave_out_drops_what_overlaps_and_says_so():
    texts = Texts((text(STORY, "copy"), text(OTHER, "new")), ("x.bin: no text.",), ("A note.",))
    left = leave_out(texts, [text(f"And then. {STORY}", "unseen")])
    assert [story.name for story in left.stories] == ["new"]
    assert left.skipped == texts.skipped
    assert left.notes[0] == "A note."
    assert "copy was left out" in left.notes[1]
    assert "unseen" in left.notes[1]


def test_a_formula_is_no_overlap():
    formula = "Once upon a time there lived an old man and his wife."
    texts = Texts((text(f"{formula} {STORY}"),))
    unseen = text(f"{formula} {OTHER}", "unseen")
    assert 0 < find_overlaps(texts.stories, [unseen])[0].shared < FEWEST_RUNS
    assert leave_out(texts, [unseen]).stories == texts.stories


def test_a_like_title_is_left_out():
    texts = Texts((text(STORY, "book: The Story of the Seven Simons"), text(OTHER, "book: The Boat")))
    left = leave_out(texts, [text("An old man had sons.", "story10: The Seven Simeons")])
    assert [story.name for story in left.stories] == ["book: The Boat"]


@pytest.fixture(scope="module")
def folktales():
    return gather_texts([str(find_shared("folktales"))])


@pytest.fixture(scope="module")
def propplearner():
    return gather_texts([f"propplearner={find_shared('propplearner')}"]).stories


@pytest.fixture(scope="module")
def training(folktales, propplearner):
    return leave_out(folktales, propplearner)


def test_no_tale_of_propplearner_is_in_the_training_data(folktales, training, propplearner):
    overlaps = find_overlaps(training.stories, propplearner)
    assert all(each.share <= LARGEST_SHARE and each.shared < FEWEST_RUNS for each in overlaps)
    assert (
        max(each.share for each in overlaps) < 0.002
    )  # formulas: "lived an old couple who had one son called"
    assert max(len(each.example.split()) for each in overlaps) <= RUN + 1
    assert len(folktales.stories) - len(training.stories) == 4


def test_the_folktale_adapter_was_trained_on_these_tales_and_no_others(training):
    record = json.loads((FOLKTALE.folder / "barthes.json").read_text(encoding="utf-8"))
    used = [story["sha256"] for part in ("train", "held_out") for story in record["stories"][part]]
    assert sorted(used) == sorted(hash_text(story.text) for story in training.stories)


def test_the_tales_that_are_told_again_are_left_out(folktales, training):
    """Every translation of a ProppLearner tale that we know of here; the last has only its title."""
    gone = {story.name for story in folktales.stories}
    gone -= {story.name for story in training.stories}
    assert {name.partition(": ")[2] for name in gone} == {
        "SEVEN SIMEONS",
        "The Story of the Seven Simons",
        "THE THREE MEN OF POWER--EVENING, MIDNIGHT, AND SUNRISE",
        "THE WITCH",
    }
