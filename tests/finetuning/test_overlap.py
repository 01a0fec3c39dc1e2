"""What must stay unseen is not in the training texts."""

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.errors import TrainingError
from barthes.finetuning.overlap import (
    FEWEST_RUNS,
    LARGEST_SHARE,
    drop_repeats,
    find_overlaps,
    find_retellings,
    hold_out,
    leave_out,
    set_apart,
)
from barthes.finetuning.texts import Texts, TrainingText, gather_texts, hash_text
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


@given(
    st.lists(st.sampled_from("wolf well came went ate 3 , the".split()), max_size=60).map(" ".join),
    st.lists(st.sampled_from("wolf well came went ate 3 , the".split()), max_size=60).map(" ".join),
    st.integers(1, 5),
)
def test_counts_agree_with_the_slow_way(first, second, words):
    shared, total = count_slowly(first, second, words)
    found = find_overlaps([text(first)], [text(second, "b")], words=words)
    assert [(each.shared, each.share) for each in found] == ([(shared, shared / total)] if shared else [])


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


def test_rare_words_tell_a_retelling_and_common_words_do_not():
    lines = (
        "The king rode out and came home again with the queen.",
        "The king sat down with the queen and ate.",
    )
    texts = [text(f"{line} {word}", f"book: Tale {word}") for line in lines for word in ("one", "two")]
    told = text("The king met Vertodub and Usynya by the copper palace of the gnome.", "book: A Bargain")
    other = text("Vertodub went with Usynya, and the gnome shut the copper palace.", "x: Three Men")
    [(name, named, sign)] = find_retellings([*texts, told], [other])
    assert (name, named) == (told, other)
    assert sign.startswith("rare words")
    assert find_retellings(texts, [text("The king and the queen.", "x")]) == []


def test_a_file_name_is_no_title():
    assert find_retellings([text("A wolf came.", "tale")], [text("It rained hard.", "tale")]) == []


WORDS = "wolf well crane miller king crown bread goose barn moon snow coal roof door hill fire".split()
LONG = " ".join(f"{WORDS[i * i % 16]} {WORDS[i * 7 % 16]} {WORDS[i // 5 % 16]} {i:b}x" for i in range(80))


def test_a_second_printing_is_dropped_and_short_stories_that_differ_stay():
    kept, notes = drop_repeats([text(LONG, "first"), text(LONG.replace("goose", "gander", 2), "second")])
    assert [story.name for story in kept] == ["first"]
    assert notes == ("second was left out: first tells it in the same words.",)
    stories = (text("The wolf came."), text("The wolf went.", "b"))
    assert drop_repeats(stories) == (stories, ())


@given(st.lists(st.text("ab c", min_size=1, max_size=40), max_size=12))
def test_what_is_kept_is_kept_in_order_and_once(texts):
    stories = [text(each, str(index)) for index, each in enumerate(texts)]
    kept, notes = drop_repeats(stories)
    assert len(kept) + len(notes) == len(stories)
    assert list(kept) == [story for story in stories if story in kept]
    assert drop_repeats(kept) == (kept, ())


def test_a_short_near_copy_is_dropped_though_few_of_its_runs_are_sampled():
    words = LONG.split()
    for length in range(20, 160):  # some have just enough sampled runs where their copies have too few
        whole, cut = text(" ".join(words[:length]), "whole"), text(" ".join(words[: length - 3]), "cut")
        for pair in ([whole, cut], [cut, whole]):
            assert drop_repeats(pair)[0] == (pair[0],), length


def test_a_like_title_is_left_out():
    texts = Texts((text(STORY, "book: The Story of the Seven Simons"), text(OTHER, "book: The Boat")))
    left = leave_out(texts, [text("An old man had sons.", "story10: The Seven Simeons")])
    assert [story.name for story in left.stories] == ["book: The Boat"]


stories = st.lists(st.sampled_from("abcdefghijklmnop"), min_size=2, max_size=40).map(
    lambda letters: [TrainingText(f"{i}", f"Tale of {letter}.") for i, letter in enumerate(letters)]
)


def hashes(part):
    return {hash_text(story.text) for story in part}


@given(stories.filter(lambda found: len(hashes(found)) > 1), st.floats(0.01, 0.99), st.integers(0, 9))
def test_every_story_is_on_one_side(found, share, seed):
    parts = hold_out(found, share, seed=seed)
    assert sorted(map(repr, parts.train + parts.held_out)) == sorted(map(repr, found))
    assert parts.train
    assert parts.held_out
    assert not hashes(parts.train) & hashes(parts.held_out)


@given(stories.filter(lambda found: len(hashes(found)) > 1), st.randoms(), st.integers(0, 9))
def test_order_names_and_white_space_change_nothing(found, draw, seed):
    others = [TrainingText(f"other {story.name}", f"  {story.text}\n".replace(" ", "\n")) for story in found]
    draw.shuffle(others)
    assert hashes(hold_out(found, 0.3, seed=seed).held_out) == hashes(
        hold_out(others, 0.3, seed=seed).held_out
    )


def test_the_seed_decides():
    found = [TrainingText(str(i), f"Tale {i}.") for i in range(40)]
    assert len({frozenset(hashes(hold_out(found, 0.1, seed=seed).held_out)) for seed in range(5)}) > 1
    assert len(hold_out(found, 0.1).held_out) == 4


def test_nothing_is_held_out_where_nothing_should_be():
    assert hold_out([TrainingText("a", "One.")], 0).held_out == ()


def test_one_story_cannot_be_divided():
    twice = [TrainingText("a", "One."), TrainingText("b", "One.\n")]
    with pytest.raises(TrainingError, match="a share of 0"):
        hold_out(twice, 0.1)


def test_separate_stories_are_not_trained_on():
    found = [TrainingText("a", "One."), TrainingText("b", "Two.")]
    parts = set_apart(found, [TrainingText("c", "Two. ")])
    assert [story.name for story in parts.train] == ["a"]
    assert parts.notes == ("b is not trained on: it has passages of c, which is measured on.",)
    with pytest.raises(TrainingError, match="other stories to measure on"):
        set_apart(found, found)


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
        ([*FRAME, *TALE, *FRAME], TALE),  # a book that it stands in
        (TALE[100:130], TALE),  # a part of it
        ([*TALE[380:], *FRAME], TALE),  # a passage that was cut elsewhere
        (TALE[:20], TALE),  # a page of it
        (NOVEL[5000:5100], NOVEL),  # a small part of a novel
    ],
)
def test_passages_of_a_story_to_measure_on_are_not_trained_on(words, whole):
    found = [TrainingText("passage", " ".join(words)), TrainingText("other", " ".join(FRAME))]
    twice = [*found, replace(found[1], name="copy")]  # copies to train on are the caller's choice
    split = set_apart(twice, [TrainingText("whole", " ".join(whole))])
    assert [story.name for story in split.train] == ["other", "copy"]
    assert [story.name for story in split.held_out] == ["whole"]


@given(st.integers(0, 9))
def test_passages_of_one_stretch_stay_together(seed):
    found = [TrainingText(str(i), f"Passage {i}.", f"stretch {i // 5}") for i in range(50)]
    parts = hold_out(found, 0.2, seed=seed)
    assert len(parts.held_out) == 10
    assert not {story.stretch for story in parts.train} & {story.stretch for story in parts.held_out}


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
    assert max(each.share for each in overlaps) < 0.002  # "lived an old couple who had one son called"
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
