"""Split stories, and keep texts out of the training data that overlap with others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.errors import TrainingError
from barthes_research.finetuning.overlap import (
    hold_out,
    leave_out,
    list_ngrams,
)
from barthes_research.finetuning.texts import Texts, TrainingText, gather_texts, hash_text
from tests.shared_data import find_shared

STORY = (
    "A king without a country walked from door to door and offered his crown for bread. At the seventh door "
    "a girl gave him bread and would not have the crown, because it was too small for her head."
)
OTHER = (
    "Once upon a time there lived an old man. He had a boat with three sails, and every sail was torn in two."
)


def text(content, name="a"):
    return TrainingText(name, content)


def names(found):
    return [story.name for story in found]


def hashes(part):
    return {hash_text(story.text) for story in part}


def test_leave_out_drops_overlapping_texts_with_a_note():
    texts = Texts((text(STORY, "copy"), text(OTHER, "new")), ("A note.",))
    left = leave_out(texts, [text(f"And then. {STORY}", "unseen")])
    assert names(left.stories) == ["new"]
    assert left.notes[0] == "A note."
    assert left.notes[1].startswith("copy was left out: it shares 32 sequences of 8 words")
    assert "unseen" in left.notes[1]


def test_a_retelling_is_found_by_rare_words_but_not_by_common_ones():
    lines = (
        "The king rode out and came home again with the queen.",
        "The king sat down with the queen and ate.",
    )
    texts = [text(f"{line} {word}", f"book: Tale {word}") for line in lines for word in ("one", "two")]
    retold = text("The king met Vertodub and Usynya by the copper palace of the gnome.", "book: A Bargain")
    other = text("Vertodub went with Usynya, and the gnome shut the copper palace.", "x: Three Men")
    left = leave_out(Texts((*texts, retold)), [other])
    assert left.stories == tuple(texts)
    assert "it seems to retell x: Three Men (rare words" in left.notes[0]
    assert leave_out(Texts((*texts, retold)), [other], retellings=False).stories == (*texts, retold)
    assert leave_out(Texts(tuple(texts)), [text("The king and the queen.", "x")]).stories == tuple(texts)


def test_a_retelling_is_found_by_its_title_but_not_by_its_file_name():
    texts = Texts((text(STORY, "book: The Story of the Seven Simons"), text(OTHER, "book: The Boat")))
    left = leave_out(texts, [text("An old man had sons.", "story10: The Seven Simeons")])
    assert names(left.stories) == ["book: The Boat"]
    assert "it seems to retell story10: The Seven Simeons (similar titles)" in left.notes[0]
    named = Texts((text("A wolf came.", "tale"),))
    assert leave_out(named, [text("It rained hard.", "tale")]) == named


stories = (
    st.lists(st.sampled_from("abcdefghijklmnop"), min_size=2, max_size=40)
    .map(lambda letters: [TrainingText(f"{i}", f"Tale of {letter}.") for i, letter in enumerate(letters)])
    .filter(lambda found: len(hashes(found)) > 1)
)


@given(stories, st.floats(0.01, 0.99), st.integers(0, 9))
def test_every_story_is_either_trained_on_or_held_out(found, share, seed):
    parts = hold_out(found, share, seed=seed)
    assert sorted(map(repr, parts.train + parts.held_out)) == sorted(map(repr, found))
    assert parts.train
    assert parts.held_out
    assert not hashes(parts.train) & hashes(parts.held_out)


@given(stories, st.randoms(), st.integers(0, 9))
def test_order_names_and_white_space_change_nothing(found, draw, seed):
    others = [TrainingText(f"other {story.name}", f"  {story.text}\n".replace(" ", "\n")) for story in found]
    draw.shuffle(others)
    parts = [hold_out(each, 0.3, seed=seed).held_out for each in (found, others)]
    assert hashes(parts[0]) == hashes(parts[1])


def test_the_share_and_the_seed_decide_which_stories_are_held_out():
    found = [TrainingText(str(i), f"Tale {i}.") for i in range(40)]
    assert len({frozenset(hashes(hold_out(found, 0.1, seed=seed).held_out)) for seed in range(5)}) > 1
    assert len(hold_out(found, 0.1).held_out) == 4
    assert hold_out(found[:1], 0).held_out == ()
    copies = [TrainingText("a", "One."), TrainingText("b", "One.\n")]
    with pytest.raises(TrainingError, match="a share of 0"):
        hold_out(copies, 0.1)


def test_copies_of_other_stories_are_left_out():
    found = Texts((TrainingText("a", "One."), TrainingText("b", "Two.")))
    left = leave_out(found, [TrainingText("c", "Two. ")])
    assert names(left.stories) == ["a"]
    assert left.notes == ("b was left out: it repeats c.",)
    with pytest.raises(TrainingError, match="all 2 training stories"):
        leave_out(found, found.stories)


def make_words(count, seed):
    letters = "abcdefghij"
    return [
        f"{letters[i % 10]}{letters[i * i % 7]}{letters[i // 10 % 10]}{letters[seed]}" for i in range(count)
    ]


TALE, FRAME = make_words(400, 0), make_words(90, 1)
NOVEL = [f"{word}{letter}" for letter in "abcdefghijklmnopqrst" for word in make_words(1000, 0)]


@pytest.mark.parametrize(
    ("words", "whole"),
    [
        ([*TALE[:40], "newer", *TALE[41:]], TALE),  # another printing
        ([*FRAME, *TALE, *FRAME], TALE),  # a book that contains it
        (TALE[100:130], TALE),  # a part of it
        ([*TALE[380:], *FRAME], TALE),  # a passage that was cut elsewhere
        (TALE[:20], TALE),  # a page of it
        (NOVEL[5000:5100], NOVEL),  # a small part of a novel
    ],
)
def test_passages_of_other_stories_are_left_out(words, whole):
    found = [text(" ".join(words), "passage")]
    found += [text(" ".join(FRAME), name) for name in ("other", "copy")]  # copies to train on are allowed
    left = leave_out(Texts(tuple(found)), [text(" ".join(whole), "whole")])
    assert names(left.stories) == ["other", "copy"]


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
    known = set().union(*(list_ngrams(tale.text) for tale in propplearner))
    for story in training.stories:
        assert len(list_ngrams(story.text) & known) < 4  # "lived an old couple who had one son called"
    dropped = set(names(folktales.stories)) - set(names(training.stories))
    assert len(folktales.stories) - len(training.stories) == 4
    assert {name.partition(": ")[2] for name in dropped} == {  # all known retellings; the last by its title
        "SEVEN SIMEONS",
        "The Story of the Seven Simons",
        "THE THREE MEN OF POWER--EVENING, MIDNIGHT, AND SUNRISE",
        "THE WITCH",
    }
